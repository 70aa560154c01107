// Dimension lines as an engineer draws them, arrows, and labels that keep out of each other's way. Knows nothing of its subject.
//
//   dimensions.draw([{ from: [0, 0], to: [1, 1], text: "2/‖w‖ = 1.41", look: "width" }], points);
//
// `ends` says where heads are: "both" (usual), "to", "dots" or "none". `short` labels are left out where there is no room.

import { children, s, set, write } from "./dom.js";

const HEAD = 0.62, WIDE = 0.24; // of a head, in em

export class Dimensions {
  constructor(plot) {
    this.plot = plot;
    this.lines = plot.layer("dimensions");
    this.texts = plot.layer("dimension-texts", "over");
  }

  // `avoid` are places of the plane that labels should not cover.
  draw(items, avoid = []) {
    const { plane, em } = this.plot, pixel = ([x, y]) => [plane.x(x), plane.y(y)];
    const placed = items.map((item) => ({ ...item, p: pixel(item.from), q: pixel(item.to) })).filter(({ p, q }) => [...p, ...q].every(Number.isFinite));
    children(this.lines, placed, () => s("g", {}, s("path", { class: "shaft" }), s("path", { class: "head" })), (group, item) => {
      set(group, { class: `dimension ${item.look}` });
      set(group.firstChild, { d: `M${at(item.p)}L${at(item.q)}` });
      set(group.lastChild, { d: heads(item, em) });
    });
    const taken = [...avoid.map(pixel).map(([x, y]) => box(x, y, 1.5 * em, 1.5 * em)), ...placed.flatMap((item) => along(item, plane, em)),
      { left: 0, top: 0, right: 2.4 * em, bottom: 1.6 * em }, { left: 0, top: plane.height - 1.5 * em, right: plane.width, bottom: plane.height }];
    const labels = placed.filter(({ text }) => text).map((item) => ({ ...item, ...this.room(item, taken) })).filter(({ short, cost }) => !(short && cost > 0.35));
    children(this.texts, labels, () => s("text"), (text, label) => {
      set(text, { x: label.x.toFixed(1), y: label.y.toFixed(1), class: label.look, "text-anchor": "middle" });
      write(text, label.text);
    });
  }

  // The place beside a line where its label covers least of what is there.
  room({ p, q, text }, taken) {
    const { plane, em } = this.plot, size = 0.88 * em, width = 0.56 * size * text.length, height = 1.25 * size;
    const [a, b] = plane.clip([p, q]) || [p, q], way = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(...way) || 1;
    const across = [-way[1] / length, way[0] / length];
    let best = null;
    for (const share of [0.5, 0.3, 0.7, 0.1, 0.9, -0.15, 1.15]) {
      for (const side of [1, -1]) {
        const off = 0.35 * em + Math.abs(across[0]) * width / 2 + Math.abs(across[1]) * height / 2;
        const x = clamp(a[0] + share * way[0] + side * off * across[0], width / 2 + 2, plane.width - width / 2 - 2);
        const y = clamp(a[1] + share * way[1] + side * off * across[1], height / 2 + 2, plane.height - height / 2 - 2);
        const mine = box(x, y, width, height), cost = taken.reduce((sum, other) => sum + overlap(mine, other), 0) / (width * height) + 0.02 * Math.abs(share - 0.5);
        if (best === null || cost < best.cost - 1e-9) best = { cost, x, y: y + 0.35 * size, mine };
      }
    }
    taken.push(best.mine, best.mine); // words over words are worst
    return best;
  }
}

function heads({ p, q, ends = "both" }, em) {
  const way = [q[0] - p[0], q[1] - p[1]], length = Math.hypot(...way);
  if (ends === "dots") return [p, q].map(([x, y]) => `M${at([x - 0.3 * em, y])}a${0.3 * em} ${0.3 * em} 0 1 0 ${0.6 * em} 0a${0.3 * em} ${0.3 * em} 0 1 0 ${-0.6 * em} 0Z`).join("");
  if (ends === "none" || length < 2) return "";
  const head = Math.min(HEAD * em, 0.4 * length), [ux, uy] = [way[0] / length, way[1] / length], wide = WIDE * em;
  const one = ([x, y], sign) => `M${at([x, y])}L${at([x - sign * head * ux - wide * uy, y - sign * head * uy + wide * ux])}L${at([x - sign * head * ux + wide * uy, y - sign * head * uy - wide * ux])}Z`;
  return one(q, 1) + (ends === "both" ? one(p, -1) : "");
}

// A line as a row of small boxes, as far as it is in the picture.
function along({ p, q }, plane, em) {
  const ends = plane.clip([p, q]);
  if (!ends) return [];
  const [a, b] = ends, count = Math.min(12, Math.max(2, Math.round(Math.hypot(b[0] - a[0], b[1] - a[1]) / em)));
  return Array.from({ length: count + 1 }, (_, k) => box(a[0] + (k / count) * (b[0] - a[0]), a[1] + (k / count) * (b[1] - a[1]), 0.5 * em, 0.5 * em));
}

const box = (x, y, width, height) => ({ left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 });
const overlap = (a, b) => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
const clamp = (value, low, high) => Math.min(Math.max(value, low), Math.max(low, high));
const at = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
