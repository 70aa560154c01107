// What the marks of a picture mean: only those that are in it.

import { h, s } from "./dom.js";

const dot = (className, extra = []) => s("g", { class: `sample ${className}` }, extra, className.includes("minus")
  ? s("rect", { class: "dot", x: 4.5, y: 4.5, width: 11, height: 11 }) : s("circle", { class: "dot", cx: 10, cy: 10, r: 6 }));
const ring = (className) => dot(className, [s("circle", { class: "ring", cx: 10, cy: 10, r: 9 })]);
const halo = (className) => dot(className, [s("circle", { class: "halo", cx: 10, cy: 10, r: 10 })]);
const line = (group, className) => s("g", { class: group }, s("line", { class: className, x1: 0, x2: 20, y1: 10, y2: 10 }));
const here = () => s("g", { class: "path" }, s("circle", { class: "now", cx: 10, cy: 10, r: 6 }));

const KEYS = {
  plus: [() => dot("plus"), "+1"],
  minus: [() => dot("minus"), "−1"],
  held: [() => dot("plus held"), "held out"],
  margin: [() => ring("plus margin"), "on the margin"],
  slack: [() => ring("plus slack"), "uses slack"],
  used: [() => ring("plus used"), "this step"],
  contradicts: [() => halo("plus contradicts"), "proof"],
  boundary: [() => line("boundary", "line"), "boundary"],
  edge: [() => line("boundary", "edge"), "slab edge"],
  truth: [() => line("boundary", "truth"), "gives the labels"],
  origin: [() => line("boundary", "from-origin"), "from the origin"],
  row: [() => s("g", { class: "rows" }, s("path", { class: "thin plus", d: "M0 15L20 7" }), s("path", { class: "normal plus", d: "M10 11L8 3" })), "a point, ticked on its side"],
  w: [here, "w: drag it"],
  "still-w": [here, "w"],
  wedge: [() => s("g", { class: "wedge" }, s("polygon", { points: "2,4 18,4 10,18" })), "all points agree"],
  length: [() => s("g", { class: "objective" }, s("circle", { cx: 10, cy: 10, r: 7 })), "as long as w"],
};

export class Legend {
  constructor() {
    this.element = h("div", { class: "legend marks-legend", "aria-label": "Legend", role: "group" });
    this.shown = "";
  }

  draw(names) {
    const now = names.join(" ");
    if (now === this.shown) return;
    this.shown = now;
    this.element.replaceChildren(...names.map((name) => h("span", { class: `key key-${name}` },
      s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, KEYS[name][0]()), KEYS[name][1])));
  }
}
