// A bar for each row: its weight in w, or its dual variable.

import { children, h, s, set, show, write } from "../draw/dom.js";

const WIDTH = 400, HEIGHT = 90, BASE = HEIGHT - 4, TALLEST = HEIGHT - 14;

export class Bars {
  constructor(client) {
    this.client = client;
    this.bars = []; // [left, top, width, height] of each row
    this.title = h("h3", {});
    this.kinds = ["plus", "minus"].map((name) => s("path", { class: name }));
    this.limit = s("rect", { class: "limit", x: 0, width: WIDTH, height: 1.5 });
    this.marks = s("g");
    this.svg = s("svg", { class: "bars", role: "img", viewBox: `0 0 ${WIDTH} ${HEIGHT}` }, this.kinds, this.limit, this.marks);
    this.svg.addEventListener("pointermove", (event) => client.hover(this.near(event)));
    this.svg.addEventListener("pointerleave", () => client.hover(null));
    this.element = h("section", { class: "alphas" }, this.title, this.svg);
  }

  // All rows of a class are one path, as in w-space: a hundred bars cost the browser little more than one.
  draw({ alpha, limit }, { algorithm, points }) {
    this.element.hidden = alpha === null; // a w that was placed by hand is no sum of points
    if (alpha === null) return;
    const counted = ["gradient", "perceptron", "online", "kernel-perceptron"].includes(algorithm);
    const largest = Math.max(0, ...alpha), bounded = Boolean(limit) && largest >= 0.2 * limit;
    const most = Math.max(bounded ? limit : 0, largest, 1e-12), step = WIDTH / Math.max(alpha.length, 12);
    const width = Math.max(step * 0.8, 0.8);
    write(this.title, counted ? "weight of each point in w" : limit ? `dual variables α, 0 ≤ α ≤ C = ${show(limit, 3)}` : "dual variables α ≥ 0");
    const paths = ["", ""];
    let used = 0;
    this.bars = alpha.map((value, row) => {
      const tall = Math.max(value > 0 ? 2 : 0.8, (value / most) * TALLEST), bar = [row * step + step * 0.1, BASE - tall, width, tall];
      const [left, top] = bar.map((each) => each.toFixed(2));
      paths[points[row] && points[row][2] < 0 ? 1 : 0] += `M${left} ${BASE}V${top}h${width.toFixed(2)}V${BASE}z`;
      if (value > 0) used += 1;
      return bar;
    });
    this.kinds.forEach((path, kind) => set(path, { d: paths[kind] }));
    set(this.limit, { y: BASE - TALLEST - 1, visibility: most === limit ? "visible" : "hidden" });
    set(this.svg, { "aria-label": `${used} of ${alpha.length} points carry weight; the largest is ${show(largest)}` });
    this.light();
  }

  // The row whose bar is above or below the pointer.
  near(event) {
    const box = this.svg.getBoundingClientRect(), count = this.bars.length;
    const row = Math.floor(((event.clientX - box.left) / box.width) * Math.max(count, 12));
    return row >= 0 && row < count ? row : null;
  }

  light() {
    const { hovered } = this.client, bar = hovered === null ? undefined : this.bars[hovered];
    children(this.marks, bar ? [bar] : [], () => s("rect", { class: "lit" }),
      (rect, [x, y, width, height]) => set(rect, { x, y, width, height, "data-row": hovered }));
  }
}
