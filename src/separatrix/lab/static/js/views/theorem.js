// The convergence theorem: u·w above a line, ‖w‖ below a bend, both of the run; the run must stop before they meet.

import { h, write } from "../draw/dom.js";
import { Chart } from "../draw/chart.js";
import { Words } from "./words.js";

export class Theorem {
  constructor(client) {
    this.client = client;
    this.name = "theorem";
    this.whole = true; // up to where the curves meet, or only as far as the run went
    this.chart = new Chart("The bounds of the convergence theorem and the run between them, against updates", { x: "updates k", y: "length" });
    this.words = new Words("The proof");
    this.empty = h("p", { class: "empty", hidden: true });
    this.button = h("button", { class: "small", text: "zoom to the run", "aria-pressed": "false", onclick: () => this.zoom(this.whole) });
    this.element = h("div", { class: "tab-body theorem" }, h("div", { class: "chart-place" }, this.chart.element, this.empty),
      h("div", { class: "row-of" }, this.button), this.words.element);
  }

  zoom(near) {
    this.whole = !near;
    this.client.look();
    this.client.onview();
  }

  options() { return { whole: this.whole }; }

  saved() { return this.whole ? null : { near: true }; }

  restore(kept) { this.whole = !(kept && kept.near === true); }

  draw() {
    const { theorem, run } = this.client.state;
    if (run.ready && theorem === undefined) return; // the answer with this view is on its way
    this.empty.hidden = Boolean(run.ready && theorem);
    this.chart.element.hidden = !this.empty.hidden;
    this.button.hidden = !this.empty.hidden || theorem.lower === null;
    this.button.setAttribute("aria-pressed", String(!this.whole));
    if (!this.empty.hidden) {
      write(this.empty, "Put down points of both classes to see the theorem at work.");
      this.words.draw([]);
      return;
    }
    const { named, upper, norm, along, lower, meet, now } = theorem;
    const curves = [{ name: named.upper, look: "minus", dashed: true, points: upper }, { name: named.norm, look: "minus", points: norm, dots: norm.length <= 60 }];
    if (along) curves.push({ name: named.along, look: "plus", points: along, dots: along.length <= 60 }, { name: named.lower, look: "plus", dashed: true, points: lower });
    this.chart.draw(curves, { cursor: now, marks: meet ? [{ x: meet.at[0], y: meet.at[1], text: meet.text }] : [], from: [0, 0] });
    this.words.draw(theorem.says);
  }
}
