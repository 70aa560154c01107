// From numbers to pixels: a window of the plane, the same unit on both axes, and round places for ticks.

export class Plane {
  constructor() {
    this.centre = [0, 0];
    this.half = 3;
    this.resize(300, 300);
  }

  resize(width, height) {
    this.width = Math.max(width, 40);
    this.height = Math.max(height, 40);
  }

  look(centre, half) {
    this.centre = centre;
    this.half = half;
  }

  // The same place under a pixel, everything around it nearer or farther.
  zoom(px, py, factor, least, most) {
    const half = Math.min(most, Math.max(least, this.half * factor)), share = half / this.half, [x, y] = this.at(px, py);
    this.look([x + (this.centre[0] - x) * share, y + (this.centre[1] - y) * share], half);
  }

  // The part of a line, given by two pixels far outside, that is within the picture; null where none is.
  clip([[ax, ay], [bx, by]], inset = 0) {
    let [from, to] = [0, 1];
    for (const [start, way, high] of [[ax, bx - ax, this.width - inset], [ay, by - ay, this.height - inset]]) {
      if (way === 0 && (start < inset || start > high)) return null;
      if (way === 0) continue;
      const ends = [(inset - start) / way, (high - start) / way].sort((p, q) => p - q);
      [from, to] = [Math.max(from, ends[0]), Math.min(to, ends[1])];
    }
    return from >= to ? null : [from, to].map((t) => [ax + t * (bx - ax), ay + t * (by - ay)]);
  }

  get unit() { return Math.min(this.width, this.height) / (2 * this.half); }

  x(value) { return this.width / 2 + (value - this.centre[0]) * this.unit; }

  y(value) { return this.height / 2 - (value - this.centre[1]) * this.unit; }

  at(px, py) {
    return [this.centre[0] + (px - this.width / 2) / this.unit, this.centre[1] - (py - this.height / 2) / this.unit];
  }

  get window() {
    const [left, high] = this.at(0, 0);
    const [right, low] = this.at(this.width, this.height);
    return [left, right, low, high];
  }

  // The part of the line a.z = c that is in sight, as two points in pixels; null if none is.
  line(a, c) {
    const [left, right, low, high] = this.window;
    const size = Math.hypot(a[0], a[1]);
    if (!(size > 0)) return null;
    const reach = Math.hypot(right - left, high - low);
    const middle = this.centre;
    const off = (c - a[0] * middle[0] - a[1] * middle[1]) / size;
    if (Math.abs(off) > reach) return null;
    const foot = [middle[0] + (a[0] / size) * off, middle[1] + (a[1] / size) * off];
    const along = [-a[1] / size, a[0] / size];
    return [-reach, reach].map((t) => [this.x(foot[0] + along[0] * t), this.y(foot[1] + along[1] * t)]);
  }
}

export function ticks(from, to, about = 6) {
  const rough = (to - from) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = [10, 5, 2, 1, 0.5, 0.2].map((each) => each * power);
  const places = (step) => {
    const found = [];
    for (let k = Math.ceil(from / step); k * step <= to; k++) found.push(Number((k * step).toPrecision(12)));
    return found;
  };
  // The coarsest step that is fine enough and leaves at least two of them: one number alone is no scale.
  const fit = steps.filter((step) => step >= rough).at(-1);
  return [fit, ...steps.filter((step) => step < fit)].map(places).find((found) => found.length >= 2) || places(fit);
}

// The window that shows all points with some room around them.
export function around(points) {
  if (points.length === 0) return { centre: [0, 0], half: 3 };
  const range = (k) => [Math.min(...points.map((p) => p[k])), Math.max(...points.map((p) => p[k]))];
  const [[left, right], [low, high]] = [range(0), range(1)];
  const half = Math.max(right - left, high - low) / 2;
  return { centre: [(left + right) / 2, (low + high) / 2], half: Math.max(half * 1.22, 0.5, half + 0.4) };
}
