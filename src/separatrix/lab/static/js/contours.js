// Filled contours of a grid: bands between levels, each drawn as the part of every cell that lies above its level.

// Adds to the path the part of a triangle where the value is at least `level`.
function clip(paper, ax, ay, a, bx, by, b, cx, cy, c, level) {
  let open = side(paper, false, ax, ay, a, bx, by, b, level);
  open = side(paper, open, bx, by, b, cx, cy, c, level);
  if (side(paper, open, cx, cy, c, ax, ay, a, level)) paper.closePath();
}

// The same for one side, from p to q; whether the part has begun.
function side(paper, open, px, py, p, qx, qy, q, level) {
  if (p >= level) {
    if (open) paper.lineTo(px, py);
    else paper.moveTo(px, py);
    open = true;
  }
  if ((p - level) * (q - level) >= 0) return open;
  const t = (level - p) / (q - p), x = px + t * (qx - px), y = py + t * (qy - py);
  if (open) paper.lineTo(x, y);
  else paper.moveTo(x, y);
  return true;
}

// Where the columns and rows of a grid are, in pixels; worked out once, since a grid is drawn with one plane.
function places(grid, plane) {
  if (grid.places) return grid.places;
  const { columns, rows, window: [left, right, low, high] } = grid;
  grid.places = {
    px: Array.from({ length: columns }, (_, i) => plane.x(left + ((right - left) * i) / (columns - 1))),
    py: Array.from({ length: rows }, (_, j) => plane.y(low + ((high - low) * j) / (rows - 1))),
  };
  return grid.places;
}

// Fills where `sign` times the value is at least `level`. Most cells lie wholly on one side: those are filled row by row.
export function fillAbove(paper, plane, grid, level, sign = 1) {
  const { columns, rows, values } = grid, { px, py } = places(grid, plane);
  paper.beginPath();
  for (let j = 0; j + 1 < rows; j++) {
    const low = py[j], high = py[j + 1];
    let from = -1; // where a row of whole cells begins
    for (let i = 0; i < columns; i++) {
      const k = j * columns + i, there = i + 1 < columns;
      const a = sign * values[k], b = sign * values[k + 1], c = sign * values[k + columns + 1], d = sign * values[k + columns];
      const whole = there && a >= level && b >= level && c >= level && d >= level;
      if (whole && from < 0) from = i;
      if (!whole && from >= 0) {
        paper.moveTo(px[from], low);
        paper.lineTo(px[i], low);
        paper.lineTo(px[i], high);
        paper.lineTo(px[from], high);
        paper.closePath();
        from = -1;
      }
      if (whole || !there || (a < level && b < level && c < level && d < level)) continue;
      clip(paper, px[i], low, a, px[i + 1], low, b, px[i + 1], high, c, level);
      clip(paper, px[i], low, a, px[i + 1], high, c, px[i], high, d, level);
    }
  }
  paper.fill();
}

// Calls `each(triangle)` with the triangles that a level passes; corners are [pixel x, pixel y, value, index].
function crossed(grid, plane, level, each) {
  const { columns, rows, values } = grid, { px, py } = places(grid, plane);
  for (let j = 0; j + 1 < rows; j++) {
    for (let i = 0; i + 1 < columns; i++) {
      const k = j * columns + i, above = values[k] >= level;
      if (above === (values[k + 1] >= level) && above === (values[k + columns + 1] >= level)
        && above === (values[k + columns] >= level)) continue;
      const corner = (ii, jj, at) => [px[ii], py[jj], values[at], at];
      const a = corner(i, j, k), b = corner(i + 1, j, k + 1), c = corner(i + 1, j + 1, k + columns + 1), d = corner(i, j + 1, k + columns);
      each([a, b, c]);
      each([a, c, d]);
    }
  }
}

// The lines where the value is `level`, each joined from the pieces in the cells, so that they can be dashed.
export function strokeLevel(paper, plane, grid, level) {
  const pieces = [], at = new Map(), size = grid.columns * grid.rows; // at: the pieces that end on a side of a triangle
  crossed(grid, plane, level, (triangle) => {
    const ends = [], keys = [];
    for (let k = 0; k < 3; k++) {
      const p = triangle[k], q = triangle[(k + 1) % 3];
      if ((p[2] >= level) === (q[2] >= level)) continue;
      const t = (level - p[2]) / (q[2] - p[2]);
      ends.push([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
      keys.push(Math.min(p[3], q[3]) * size + Math.max(p[3], q[3]));
    }
    if (ends.length !== 2) return;
    const piece = { ends, keys, used: false };
    for (const key of keys) {
      if (at.has(key)) at.get(key).push(piece);
      else at.set(key, [piece]);
    }
    pieces.push(piece);
  });
  paper.beginPath();
  // Lines that end at the border first, from their end; what is left are closed curves.
  const open = pieces.filter(({ keys }) => keys.some((key) => at.get(key).length === 1));
  for (const first of [...open, ...pieces]) if (!first.used) follow(paper, first, at);
  paper.stroke();
}

function follow(paper, first, at) {
  let piece = first, from = at.get(first.keys[1]).length === 1 ? 1 : 0;
  paper.moveTo(...piece.ends[from]);
  while (piece) {
    piece.used = true;
    const key = piece.keys[1 - from];
    paper.lineTo(...piece.ends[1 - from]);
    piece = at.get(key).find((other) => !other.used);
    if (piece) from = piece.keys[0] === key ? 0 : 1;
  }
}

// A decision function: both sides in their colours, darker away from the boundary, the boundary on top.
export function fillContours(paper, plane, grid, tint, margins) {
  let most = 0;
  for (const value of grid.values) most = Math.max(most, Math.abs(value));
  if (!(most > 0)) return;
  paper.globalAlpha = 0.09;
  for (const [sign, colour] of [[1, tint.plus], [-1, tint.minus]]) {
    paper.fillStyle = colour;
    for (const share of [1e-9, 0.25, 0.5, 0.75]) fillAbove(paper, plane, grid, share * most, sign);
  }
  paper.globalAlpha = 1;
  paper.strokeStyle = tint.ink;
  paper.lineWidth = 2.5;
  strokeLevel(paper, plane, grid, 0);
  if (margins) {
    paper.setLineDash([7, 6]);
    paper.lineWidth = 1.5;
    strokeLevel(paper, plane, grid, 1);
    strokeLevel(paper, plane, grid, -1);
    paper.setLineDash([]);
  }
}
