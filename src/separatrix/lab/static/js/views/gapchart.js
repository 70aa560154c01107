// Primal and dual, step by step, until they meet.

import { children, h, s, set, show, write } from "../draw/dom.js";

const WIDTH = 400, HEIGHT = 110, LEFT = 6, RIGHT = 6, TOP = 8, BOTTOM = 8;

export class GapChart {
  constructor() {
    this.numbers = h("dl", { class: "numbers" });
    this.dual = s("polyline", { class: "dual" });
    this.primal = s("polyline", { class: "primal" });
    this.marks = s("g");
    this.svg = s("svg", { class: "gap", role: "img", viewBox: `0 0 ${WIDTH} ${HEIGHT}` }, this.primal, this.dual, this.marks);
    this.yours = h("p", { class: "note yours", hidden: true });
    this.element = h("section", { class: "objective" }, h("h3", { text: "primal and dual" }), this.svg, this.numbers, this.yours);
  }

  draw(objective, impossible) {
    this.element.hidden = !objective;
    if (!objective) return;
    const { primal, dual, gap, by_hand: hand } = objective;
    const steps = Math.max(1, primal.length - 1);
    // The first frames are far off; from the second half on, where they meet fills the picture.
    const seen = [...primal, ...dual].filter((value) => value !== null);
    const last = dual[dual.length - 1] || 1;
    const low = Math.min(0, ...seen.filter((value) => value >= -0.2 * Math.abs(last)));
    const high = Math.min(Math.max(...seen), 2.2 * Math.abs(last) || 1);
    const x = (k) => LEFT + (k / steps) * (WIDTH - LEFT - RIGHT);
    const y = (value) => HEIGHT - BOTTOM - ((Math.min(Math.max(value, low), high) - low) / (high - low || 1)) * (HEIGHT - TOP - BOTTOM);
    const line = (values) => values.map((value, k) => (value === null ? "" : `${x(k)},${y(value)}`)).filter(Boolean).join(" ");
    set(this.primal, { points: line(primal) });
    set(this.dual, { points: line(dual) });
    const p = primal[primal.length - 1], d = dual[dual.length - 1], end = x(primal.length - 1);
    children(this.marks, [[p, "primal"], [d, "dual"]].filter(([value]) => value !== null), () => s("circle", { r: 4.5 }),
      (circle, [value, name]) => set(circle, { class: name, cx: end, cy: y(value) }));
    set(this.svg, { "aria-label": `primal ${show(p)}, dual ${show(d)}, relative gap ${show(gap, 2)} at step ${primal.length - 1}` });
    if (this.numbers.children.length === 0) {
      for (const name of ["primal", "dual", "relative gap"]) {
        this.numbers.append(h("div", { class: name.replace(" ", "-") }, h("dt", { text: name }), h("dd", {})));
      }
    }
    const shown = [p === null ? (impossible ? "none" : "none yet") : show(p, 7), show(d, 7), gap === null ? "–" : show(gap, 2)];
    shown.forEach((text, k) => write(this.numbers.children[k].lastChild, text));
    this.yours.hidden = !hand;
    if (hand) write(this.yours, hand.primal === null ? "Your w breaks a constraint, so it has no primal value." : `Your w: primal ${show(hand.primal, 7)}.`);
  }
}
