// A chart: curves over numbered axes, linear or logarithmic, in the size that there is; it knows nothing of its subject.
//
//   const chart = new Chart("R against steps", { x: "step", y: "R(w)", logY: true });
//   chart.draw([{ name: "ε = 1", look: "plus", points: [[0, 3], [1, 2]], dots: true }], { cursor: 1 });
//
// A curve is broken where y is null, and at values that a logarithmic axis does not have. Looks are classes of lab.css:
// plus, minus, accent, feasible, ink, soft; `dashed` and `dots` say how the line is drawn.

import { children, h, s, set, show, write } from "./dom.js";
import { ticks } from "./scale.js";

export class Chart {
  constructor(label, { x, y, logX = false, logY = false }) {
    [this.logX, this.logY] = [logX, logY];
    this.grid = s("g", { class: "grid" });
    this.curves = s("g", { class: "curves" });
    this.marks = s("g", { class: "chart-marks" });
    this.texts = s("g", { class: "ticks" });
    this.names = [s("text", { class: "axis-name", text: logX ? `${x} (log scale)` : x }), s("text", { class: "axis-name", text: logY ? `${y} (log scale)` : y })];
    this.svg = s("svg", { role: "img", "aria-label": label }, this.grid, this.curves, this.marks, this.texts, this.names);
    this.legend = h("div", { class: "legend chart-legend" });
    this.holder = h("div", { class: "chart-holder" }, this.svg);
    this.element = h("div", { class: "chart-box" }, this.holder, this.legend);
    this.drawn = null;
    new ResizeObserver(() => { if (this.drawn) this.draw(...this.drawn); }).observe(this.holder);
  }

  // `cursor` is an x that is marked, `marks` are { x, y, look, text }; `from` and `to` are [x, y] that must be in the picture.
  draw(curves, { cursor = null, marks = [], from = [], to = [] } = {}) {
    this.drawn = [curves, { cursor, marks, from, to }];
    const { width, height } = this.holder.getBoundingClientRect();
    if (width < 10 || height < 10) return;
    const em = parseFloat(getComputedStyle(this.holder).fontSize);
    const seen = [...curves.flatMap(({ points }) => points), ...marks.map(({ x, y }) => [x, y])].filter(([x, y]) => this.has(x, y));
    const axes = [0, 1].map((k) => axis(seen.map((place) => place[k]), from[k], to[k], k === 0 ? this.logX : this.logY));
    const box = { left: 4 * em, right: width - 1.2 * em, top: 1.9 * em, bottom: height - 2.6 * em };
    this.x = (value) => box.left + axes[0].share(value) * (box.right - box.left);
    this.valueAt = (px) => axes[0].value((px - box.left) / (box.right - box.left)); // under a pixel
    this.y = (value) => box.bottom - axes[1].share(value) * (box.bottom - box.top);
    set(this.svg, { viewBox: `0 0 ${width} ${height}` });
    this.drawAxes(axes, box, em);
    children(this.curves, curves, () => s("g", {}, s("path"), s("path")), (group, curve) => this.drawCurve(group, curve));
    children(this.marks, [...(cursor === null ? [] : [{ x: cursor, cursor: true }]), ...marks], () => s("g", {}, s("line"), s("circle"), s("text")), (group, mark) => this.drawMark(group, mark, box, em));
    children(this.legend, curves.filter(({ name }) => name), () => h("span", { class: "key" }, s("svg", { viewBox: "0 0 28 12", "aria-hidden": "true" }, s("g", {}, s("path", { d: "M0 6H28" }))), h("span")), (key, curve) => {
      set(key.firstChild.firstChild, { class: `curve ${curve.look} ${curve.dashed ? "dashed" : ""}` });
      write(key.lastChild, curve.name);
    });
  }

  has(x, y) {
    return Number.isFinite(x) && Number.isFinite(y) && y !== null && x !== null && (!this.logX || x > 0) && (!this.logY || y > 0);
  }

  drawAxes([across, up], box, em) {
    const lines = [...across.ticks.map((value) => [this.x(value), box.bottom, this.x(value), box.top, value]), ...up.ticks.map((value) => [box.left, this.y(value), box.right, this.y(value), value])];
    children(this.grid, lines, () => s("line"), (line, [x1, y1, x2, y2, value]) => set(line, { x1, y1, x2, y2, class: value === 0 ? "zero" : "" }));
    const texts = [...across.ticks.map((value) => [this.x(value), box.bottom + 1.15 * em, "middle", value]), ...up.ticks.map((value) => [box.left - 0.4 * em, this.y(value) + 0.3 * em, "end", value])];
    children(this.texts, texts, () => s("text"), (text, [x, y, anchor, value]) => {
      set(text, { x, y, "text-anchor": anchor });
      write(text, show(value, 3));
    });
    set(this.names[0], { x: box.right, y: box.bottom + 2.25 * em, "text-anchor": "end" });
    set(this.names[1], { x: 0.4 * em, y: 1.1 * em, "text-anchor": "start" });
  }

  drawCurve(group, { points, look, dashed = false, dots = false }) {
    let line = "", places = "", broken = true;
    for (const [x, y] of points) {
      if (!this.has(x, y)) { broken = true; continue; }
      const at = `${this.x(x).toFixed(1)} ${this.y(y).toFixed(1)}`;
      line += `${broken ? "M" : "L"}${at}`;
      if (dots) places += `M${at}h0`;
      broken = false;
    }
    set(group, { class: `curve ${look} ${dashed ? "dashed" : ""}` });
    set(group.firstChild, { d: line });
    set(group.lastChild, { d: places, class: "dots" });
  }

  drawMark(group, { x, y, look = "accent", text = "", cursor = false }, box, em) {
    const there = cursor ? this.has(x, 1) : this.has(x, y), [line, dot, words] = group.children;
    set(group, { class: cursor ? "cursor" : `curve ${look}`, display: there ? "inline" : "none" });
    if (!there) return;
    const [px, py] = [this.x(x), cursor ? box.top : this.y(y)], near = px > box.left + 0.7 * (box.right - box.left);
    set(line, { x1: px, x2: px, y1: cursor ? box.top : py, y2: cursor ? box.bottom : py });
    set(dot, { cx: px, cy: py, r: cursor ? 0 : 0.4 * em });
    set(words, { x: px + (near ? -0.6 : 0.6) * em, y: py - 0.5 * em, "text-anchor": near ? "end" : "start" });
    write(words, text);
  }
}

// Where the values of an axis are, from 0 to 1, and the numbers written beside it.
function axis(values, from, to, log) {
  const all = [...values, from, to].filter((value) => Number.isFinite(value) && (!log || value > 0));
  let [low, high] = all.length ? [Math.min(...all), Math.max(...all)] : [log ? 1 : 0, log ? 10 : 1];
  if (log) {
    if (high < 1.5 * low) [low, high] = [low / 1.5, high * 1.5];
    const span = Math.log(high / low), share = (value) => Math.log(value / low) / span;
    return { share, value: (part) => low * Math.exp(part * span), ticks: powers(low, high) };
  }
  if (!(high > low)) [low, high] = [low - 0.5, high + 0.5];
  const room = low === 0 || from === low ? 0 : 0.04 * (high - low), start = low - room, span = 1.04 * high - 0.04 * low - start;
  return { share: (value) => (value - start) / span, value: (part) => start + part * span, ticks: ticks(start, start + span, 5) };
}

function powers(low, high) {
  const found = [], steps = high / low > 300 ? [1] : [1, 2, 5];
  for (let k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); k++) {
    for (const step of steps) {
      const value = Number((step * 10 ** k).toPrecision(6));
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) found.push(value);
    }
  }
  const every = Math.ceil(found.length / 7);
  return found.filter((_, k) => k % every === 0);
}
