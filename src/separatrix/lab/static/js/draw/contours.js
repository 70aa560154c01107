// Contours of a grid, each followed from cell to cell as one line: a path of few pieces is quickly filled and can be dashed.
//
// Every cell is cut from its first corner to the opposite one. A line enters such a triangle by one side and leaves it by
// another; crossing side 0 (below the first triangle, above the second), 1 (right, left) or 2 (the cut) leads to a triangle
// of the other kind, by its side of the same number. A rim of cells without width, low outside, closes lines at the border.

const SIDES = [[[0, 0, 1, 0], [1, 0, 1, 1], [1, 1, 0, 0]], [[1, 1, 0, 1], [0, 1, 0, 0], [0, 0, 1, 1]]]; // corners, by kind

// A grid with its rim, and the places of its columns and rows in pixels; made once, since a grid is drawn with one plane.
function rimmed(grid, plane) {
  if (grid.rimmed) return grid.rimmed;
  const { columns, rows, window: [left, right, low, high] } = grid;
  const within = (k, count) => Math.min(Math.max(k - 1, 0), count - 1) / (count - 1);
  const values = new Float64Array((columns + 2) * (rows + 2)).fill(NaN); // which is above no level
  for (let j = 0; j < rows; j++) values.set(grid.values.subarray(j * columns, (j + 1) * columns), (j + 1) * (columns + 2) + 1);
  grid.rimmed = {
    values,
    width: columns + 2,
    height: rows + 2,
    px: Array.from({ length: columns + 2 }, (_, i) => plane.x(left + (right - left) * within(i, columns))),
    py: Array.from({ length: rows + 2 }, (_, j) => plane.y(low + (high - low) * within(j, rows))),
  };
  return grid.rimmed;
}

// The lines where `sign` times the value is `level`.
class Tracer {
  constructor(paper, plane, grid, level, sign) {
    Object.assign(this, rimmed(grid, plane), { paper, level, sign });
    this.seen = new Uint8Array(2 * this.values.length); // triangles that a line has passed
  }

  above(at) { return this.sign * this.values[at] >= this.level; }

  crosses(at, [i, j, ii, jj]) { return this.above(at + i + j * this.width) !== this.above(at + ii + jj * this.width); }

  // Calls `line` with the first triangle of each line: those that meet the border first, from there.
  each(line) {
    const { width, height } = this, right = width - 2, top = height - 2;
    for (const inside of [false, true]) {
      for (let j = 0; j <= top; j++) {
        for (let i = 0; i <= right; i++) {
          if (inside === (i === 0 || j === 0 || i === right || j === top)) continue;
          const at = j * width + i, above = this.above(at);
          if (above === this.above(at + 1) && above === this.above(at + width) && above === this.above(at + width + 1)) continue;
          for (const kind of [0, 1]) {
            if (!this.seen[2 * at + kind] && SIDES[kind].some((side) => this.crosses(at, side))) line(i, j, kind);
          }
        }
      }
    }
  }

  // Adds the line through a triangle to the path; `whole` with what runs along the border.
  follow(i, j, kind, whole) {
    const { paper, width } = this;
    let side = SIDES[kind].findIndex((each) => this.crosses(j * width + i, each));
    paper.moveTo(...this.point(i, j, SIDES[kind][side]));
    for (;;) {
      const at = j * width + i, rim = i === 0 || j === 0 || i === width - 2 || j === this.height - 2;
      if (this.seen[2 * at + kind]) break;
      this.seen[2 * at + kind] = 1;
      side = SIDES[kind].findIndex((each, k) => k !== side && this.crosses(at, each));
      const [x, y] = this.point(i, j, SIDES[kind][side]);
      if (rim && !whole) paper.moveTo(x, y);
      else paper.lineTo(x, y);
      if (side === 0) j += kind === 0 ? -1 : 1;
      else if (side === 1) i += kind === 0 ? 1 : -1;
      kind = 1 - kind;
    }
    if (whole) paper.closePath();
  }

  // Where a side has the level; in the rim, at its corner within.
  point(i, j, [a, b, c, d]) {
    const { px, py, values, width } = this;
    const p = values[(j + b) * width + i + a], q = values[(j + d) * width + i + c];
    const t = Number.isNaN(q) ? 0 : Number.isNaN(p) ? 1 : (this.sign * this.level - p) / (q - p);
    return [px[i + a] + t * (px[i + c] - px[i + a]), py[j + b] + t * (py[j + d] - py[j + b])];
  }
}

// Fills where `sign` times the value is at least `level`.
export function fillAbove(paper, plane, grid, level, sign = 1) {
  const tracer = new Tracer(paper, plane, grid, level, sign);
  paper.beginPath();
  tracer.each((i, j, kind) => tracer.follow(i, j, kind, true));
  paper.fill("evenodd");
}

// Strokes where the value is `level`.
export function strokeLevel(paper, plane, grid, level) {
  const tracer = new Tracer(paper, plane, grid, level, 1);
  paper.beginPath();
  tracer.each((i, j, kind) => tracer.follow(i, j, kind, false));
  paper.stroke();
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
