// A stream: mistakes so far of the learner that goes on learning, against itself as it was after the first part.

import { h, write } from "../draw/dom.js";
import { Chart } from "../draw/chart.js";
import { Words } from "./words.js";

export class Mistakes {
  constructor(client) {
    this.client = client;
    this.name = "mistakes";
    this.chart = new Chart("Mistakes so far against points that have come, of the online learner and of a frozen one", { x: "points that have come", y: "mistakes so far" });
    this.words = new Words("What the stream shows");
    this.empty = h("p", { class: "empty", hidden: true });
    this.element = h("div", { class: "tab-body mistakes" }, h("div", { class: "chart-place" }, this.chart.element, this.empty), this.words.element);
  }

  draw() {
    const { mistakes, run } = this.client.state;
    if (run.ready && mistakes === undefined) return; // the answer with this view is on its way
    this.empty.hidden = Boolean(run.ready && mistakes);
    this.chart.element.hidden = !this.empty.hidden;
    if (!this.empty.hidden) {
      write(this.empty, "Put down points of both classes: they come one by one.");
      this.words.draw([]);
      return;
    }
    const { online, frozen, freeze, points } = mistakes, last = frozen ? frozen.length - 1 : 0;
    const curves = [{ name: "online: goes on learning", look: "plus", points: online }];
    if (frozen) curves.push({ name: `frozen after point ${freeze}`, look: "minus", dashed: true, points: frozen.slice(freeze) });
    const marks = frozen && last > freeze ? [{ x: freeze, y: frozen[freeze][1], look: "soft" }] : [];
    this.chart.draw(curves, { marks, from: [0, 0], to: [points, 5] });
    this.words.draw(mistakes.says);
  }
}
