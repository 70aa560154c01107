// Filled contours of a grid: bands between levels, each drawn as the part of every cell that lies above its level.

// The part of a triangle where the value is at least `level`: its corners, or none.
function above(triangle, level, out) {
  out.length = 0;
  for (let k = 0; k < 3; k++) {
    const p = triangle[k], q = triangle[(k + 1) % 3];
    if (p[2] >= level) out.push(p[0], p[1]);
    if ((p[2] - level) * (q[2] - level) < 0) {
      const t = (level - p[2]) / (q[2] - p[2]);
      out.push(p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]));
    }
  }
  return out.length >= 6;
}

// Calls `each(triangle)` with the triangles of all cells; corners are [pixel x, pixel y, value].
function triangles(grid, plane, each) {
  const { columns, rows, values, window } = grid;
  const [left, right, low, high] = window;
  const px = Array.from({ length: columns }, (_, i) => plane.x(left + ((right - left) * i) / (columns - 1)));
  const py = Array.from({ length: rows }, (_, j) => plane.y(low + ((high - low) * j) / (rows - 1)));
  for (let j = 0; j + 1 < rows; j++) {
    for (let i = 0; i + 1 < columns; i++) {
      const k = j * columns + i;
      const a = [px[i], py[j], values[k]], b = [px[i + 1], py[j], values[k + 1]];
      const c = [px[i + 1], py[j + 1], values[k + columns + 1]], d = [px[i], py[j + 1], values[k + columns]];
      each([a, b, c]);
      each([a, c, d]);
    }
  }
}

export function fillAbove(paper, plane, grid, level) {
  const part = [];
  paper.beginPath();
  triangles(grid, plane, (triangle) => {
    if (!above(triangle, level, part)) return;
    paper.moveTo(part[0], part[1]);
    for (let k = 2; k < part.length; k += 2) paper.lineTo(part[k], part[k + 1]);
    paper.closePath();
  });
  paper.fill();
}

// The lines where the value is `level`, each joined from the pieces in the cells, so that they can be dashed.
export function strokeLevel(paper, plane, grid, level) {
  const pieces = [], at = new Map();
  const remember = (end, piece) => {
    const key = `${end[0].toFixed(2)} ${end[1].toFixed(2)}`;
    if (!at.has(key)) at.set(key, []);
    at.get(key).push(piece);
    return key;
  };
  triangles(grid, plane, (triangle) => {
    const ends = [];
    for (let k = 0; k < 3; k++) {
      const p = triangle[k], q = triangle[(k + 1) % 3];
      if ((p[2] >= level) === (q[2] >= level)) continue;
      const t = (level - p[2]) / (q[2] - p[2]);
      ends.push([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
    }
    if (ends.length !== 2) return;
    const piece = { ends, keys: [], used: false };
    piece.keys = ends.map((end) => remember(end, piece));
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
  const negated = { ...grid, values: grid.values.map((value) => -value) };
  const levels = [0, 0.25, 0.5, 0.75].map((share) => share * most);
  for (const [each, colour] of [[grid, tint.plus], [negated, tint.minus]]) {
    paper.fillStyle = colour;
    for (const level of levels) {
      paper.globalAlpha = 0.09;
      fillAbove(paper, plane, each, level === 0 ? most * 1e-9 : level);
    }
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
