// A plot: a canvas for areas; under it all the SVG of what changes all the time, then that of what mostly stays and is
// pointed at, with the ticks of the axes, over it that of what is held: so a drag does not have all points drawn again.

import { h, s, set, write, children, pixelRatio } from "./dom.js";
import { Plane, ticks } from "./scale.js";

export class Plot {
  constructor(names, label, extra = {}) {
    this.plane = new Plane();
    this.canvas = h("canvas", { class: "areas", "aria-hidden": "true" });
    this.grid = s("g", { class: "grid" });
    this.texts = s("g", { class: "ticks" });
    this.layers = { under: s("g"), marks: s("g"), over: s("g") };
    this.names = names.map((name, k) => s("text", { class: `axis-name axis-${k}`, text: name }));
    const { under, marks, over } = this.layers;
    this.svg = s("svg", { class: "marks", "aria-label": label, ...extra }, marks, this.texts, this.names);
    this.drawings = [s("svg", { class: "under", "aria-hidden": "true" }, this.grid, under), this.svg,
      s("svg", { class: "over", "aria-hidden": "true" }, over)];
    this.element = h("div", { class: "plot" }, this.canvas, this.drawings);
    this.em = 14;
    this.onresize = () => {};
    this.element.measure = () => this.measure(); // for a picture that is saved
    new ResizeObserver(() => this.measure()).observe(this.element);
  }

  layer(name, where = "under") {
    const group = s("g", { class: name });
    this.layers[where].append(group);
    return group;
  }

  measure() {
    const { width, height } = this.element.getBoundingClientRect();
    if (width < 10 || height < 10) return;
    this.plane.resize(width, height);
    this.em = parseFloat(getComputedStyle(this.element).fontSize); // numbers grow with the screen, and so does their room
    const ratio = pixelRatio();
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    for (const svg of this.drawings) set(svg, { viewBox: `0 0 ${width} ${height}` });
    this.onresize();
  }

  // The canvas, cleared, in the units of the page.
  paper() {
    const paper = this.canvas.getContext("2d");
    const ratio = pixelRatio();
    paper.setTransform(ratio, 0, 0, ratio, 0, 0);
    paper.clearRect(0, 0, this.plane.width, this.plane.height);
    return paper;
  }

  axes() {
    const { plane } = this;
    // Numbers stand where they have room: neither in a corner nor under the name of an axis. The grid goes on to the border.
    const { em } = this, [left, high] = plane.at(1.8 * em, 1.9 * em), [right, low] = plane.at(plane.width - 2.9 * em, plane.height - 1.9 * em), whole = plane.window;
    const scales = [[true, left, right, plane.width, whole[0], whole[1]], [false, low, high, plane.height, whole[2], whole[3]]]
      .map(([vertical, from, to, size, first, last]) => {
        const values = ticks(from, to, Math.max(3, Math.round(size / (7.8 * em)))), step = values[1] - values[0] || Infinity;
        const placed = (value) => ({ value, vertical, at: vertical ? plane.x(value) : plane.y(value) });
        const outer = [values[0] - step, values.at(-1) + step].filter((value) => value > first && value < last);
        return { texts: values.map(placed), lines: [...values, ...outer].map(placed) };
      });
    children(this.grid, scales.flatMap(({ lines }) => lines), () => s("line"), (line, { value, vertical, at }) => {
      set(line, vertical ? { x1: at, x2: at, y1: 0, y2: plane.height } : { x1: 0, x2: plane.width, y1: at, y2: at });
      set(line, { class: Math.abs(value) < 1e-12 ? "zero" : "" });
    });
    children(this.texts, scales.flatMap(({ texts }) => texts), () => s("text"), (text, { value, vertical, at }) => {
      set(text, vertical ? { x: at, y: plane.height - 0.45 * em, "text-anchor": "middle" } : { x: 0.45 * em, y: at + 0.3 * em, "text-anchor": "start" });
      write(text, String(value).replace("-", "−"));
    });
    set(this.names[0], { x: plane.width - 0.6 * em, y: plane.height - 0.45 * em, "text-anchor": "end" });
    set(this.names[1], { x: 0.6 * em, y: 1.2 * em, "text-anchor": "start" });
  }

  // Where a pointer is, in the plane.
  place(event, box = this.svg.getBoundingClientRect()) {
    return this.plane.at(event.clientX - box.left, event.clientY - box.top);
  }
}
