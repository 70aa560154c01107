// Three sizes of step from one start: three maps of the risk with their ways, and R against steps for all of them.

import { children, h, s, set, show, unpack, write } from "../draw/dom.js";
import { Chart } from "../draw/chart.js";
import { fillAbove } from "../draw/contours.js";
import { shade } from "../draw/surface.js";
import { Plot } from "../draw/plot.js";
import { Words } from "./words.js";

const LOOKS = ["feasible", "accent", "minus"];

export class StepSize {
  constructor(client) {
    this.client = client;
    this.name = "stepsize";
    this.maps = LOOKS.map((look, k) => this.makeMap(look, k));
    this.chart = new Chart("The risk against steps for three step sizes", { x: "step", y: "R" });
    this.sizes = new Chart("Steps until no point is misclassified against step size", { x: "step size ε", y: "steps", logX: true, logY: true });
    this.sizes.element.hidden = true;
    this.note = h("p", { class: "note" });
    this.many = h("details", { class: "step-chart", ontoggle: () => { this.sizes.element.hidden = !this.many.open; this.ask(); } }, h("summary", { text: "Steps against step size, from 0.01 to 100" }), this.sizes.element, this.note);
    this.words = new Words("What the three sizes show");
    this.empty = h("p", { class: "empty", hidden: true });
    this.trio = h("div", { class: "trio" }, this.maps.map(({ element }) => element), this.empty);
    this.body = h("div", { class: "stepsize-charts" }, this.chart.element, this.many);
    this.element = h("div", { class: "tab-body stepsize" }, this.trio, this.body, this.words.element);
    this.askedFor = "";
  }

  makeMap(look, k) {
    const plot = new Plot(["w₁", "w₂"], `The risk over w-space, and the way of step size ${["small", "middle", "large"][k]}`, { role: "img" });
    const map = { look, plot, paths: plot.layer("paths"), title: h("b"), caption: h("span") };
    map.element = h("figure", { class: `map ${look}` }, plot.element, h("figcaption", {}, map.title, " ", map.caption));
    plot.onresize = () => { this.draw(); if (k === 0) this.client.look(); }; // at once as it is, then a grid that covers the new shape
    return map;
  }

  options() {
    const { plane } = this.maps[0].plot;
    return { aspect: plane.width / plane.height };
  }

  draw() {
    const { stepsize, run } = this.client.state;
    if (run.ready && stepsize === undefined) return; // the answer with this view is on its way
    const there = Boolean(run.ready && stepsize);
    this.empty.hidden = there;
    this.body.hidden = !there;
    if (!there) {
      write(this.empty, "Put down points of both classes to see what the step size does.");
      for (const { element } of this.maps) element.hidden = true;
      this.words.draw([]);
      return;
    }
    this.maps.forEach((map, k) => {
      map.element.hidden = k >= stepsize.runs.length;
      if (!map.element.hidden) drawMap(map, stepsize.runs[k]);
    });
    this.chart.draw(stepsize.runs.map(({ curve }, k) => ({ look: LOOKS[k], points: curve, dots: curve.length <= 40 })), { cursor: stepsize.whole ? null : stepsize.step, from: [0, 0] });
    this.words.draw(stepsize.says);
    this.ask();
  }

  // Many runs: only where somebody looks, and once for each scene.
  async ask() {
    const { scene, run } = this.client.state, now = JSON.stringify([scene.points, scene.bias]);
    if (!this.many.open || !run.ready || now === this.askedFor) return;
    this.askedFor = now;
    const { step_sizes: found } = await this.client.act("step-sizes");
    if (!found) return;
    this.sizes.draw([{ look: "plus", points: found.sizes.map((size, k) => [size, found.steps[k]]), dots: true }]);
    write(this.note, found.says);
  }
}

function drawMap({ plot, paths, title, caption }, run) {
  const { plane } = plot, { window, points: n } = run;
  write(title, run.name);
  write(caption, run.says);
  plane.look(run.centre, run.half);
  plot.axes();
  const paper = plot.paper(), values = unpack(run.values);
  const grid = { columns: n, rows: n, values, window };
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  paper.fillStyle = shade(0);
  paper.fillRect(plane.x(window[0]), plane.y(window[3]), (window[1] - window[0]) * plane.unit, (window[3] - window[2]) * plane.unit);
  for (let k = 1; k < 12; k++) {
    paper.fillStyle = shade(k / 11);
    fillAbove(paper, plane, grid, least + (most - least) * (k / 12) ** 2 + 1e-12);
  }
  const at = run.path.map(([a, b]) => [plane.x(a), plane.y(b)]), last = at.at(-1);
  children(paths, [at], () => s("g", {}, s("polyline"), s("g"), s("circle", { class: "now", r: "0.42em" })), (group) => {
    const [line, dots, now] = group.children;
    set(line, { points: at.map((place) => place.map((value) => value.toFixed(1)).join(",")).join(" ") });
    children(dots, at.length <= 40 ? at : [], () => s("circle", { r: "0.14em" }), (dot, [cx, cy]) => set(dot, { cx: cx.toFixed(1), cy: cy.toFixed(1) }));
    set(now, { cx: last[0], cy: last[1] });
  });
  set(plot.svg, { "aria-label": `The risk over w-space with the way of ${run.name}: ${run.says}; it stands at (${show(run.path.at(-1)[0], 3)}, ${show(run.path.at(-1)[1], 3)})` });
}
