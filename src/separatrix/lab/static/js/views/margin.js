// Margins with their dimension lines: the width of the slab and why it is 2/‖w‖, distances of points, slack.

import { h, show, write } from "../draw/dom.js";
import { SlabPlot, makeChoice, makeWide, writeLines } from "./slabplot.js";

const LABELS = 14; // segments of slack that are all numbered; of more, only the one that is pointed at

export class Margin {
  constructor(client) {
    this.client = client;
    this.name = "margin";
    this.mode = null; // "width" or "slack"; null is the one that suits the algorithm
    this.times = 1;
    this.slab = new SlabPlot(client, "The slab with its width, the distances of points from the boundary, and slack", () => this.draw());
    this.modes = makeChoice("What is drawn", [["width", "width", "the width of the slab"], ["slack", "slack ξ", "the slack of every point"]], (mode) => this.choose({ mode }));
    this.factors = makeChoice("Multiply w and b", [[0.5, "½w", "half of w and b"], [1, "w", "w and b as they are"], [2, "2w", "twice w and b"]], (times) => this.choose({ times }));
    this.says = h("p", { class: "says" });
    this.derivation = h("ol", { class: "derivation" });
    this.scaling = h("p", { class: "scaling" });
    this.kinds = h("ul", { class: "kinds" });
    this.words = h("div", { class: "words", tabindex: "0", role: "region", "aria-label": "About the margin" }, this.says, this.derivation, this.scaling, this.kinds);
    this.controls = h("div", { class: "row-of" }, this.modes.element, this.factors.element);
    this.element = h("div", { class: "tab-body margin-tab" }, this.slab.element, this.controls, this.words);
    this.wide = makeWide(client, this.element);
    this.controls.append(this.wide.button);
    client.onhover(() => { if (this.element.isConnected) this.draw(); });
  }

  get shown() { return this.mode ?? (this.client.state.scene.algorithm === "soft-margin" ? "slack" : "width"); }

  choose(change) {
    Object.assign(this, change);
    this.client.look();
    this.client.onview();
  }

  options() { return { times: this.slacks ? 1 : this.times }; }

  get slacks() { return this.client.state.scene.algorithm === "soft-margin" && this.shown === "slack"; }

  saved() { return this.mode === null && this.times === 1 && !this.wide.on ? null : { mode: this.mode, times: this.times, wide: this.wide.on }; }

  restore(kept) {
    const wanted = kept && typeof kept === "object" ? kept : {};
    this.mode = wanted.mode === "width" || wanted.mode === "slack" ? wanted.mode : null;
    this.times = [0.5, 1, 2].includes(wanted.times) ? wanted.times : 1;
    this.wide.turn(wanted.wide === true);
  }

  draw() {
    const { margin, run, scene } = this.client.state;
    if (run.ready && margin === undefined) return; // the answer with this view is on its way
    const there = Boolean(run.ready && margin), soft = scene.algorithm === "soft-margin";
    this.modes.element.hidden = !soft;
    this.modes.turn(this.shown);
    this.factors.element.hidden = this.slacks;
    this.factors.turn(this.times);
    this.words.hidden = !there;
    if (!there) {
      this.slab.clear(run.ready ? "This picture is of a margin in the plane." : "Put down points of both classes to see their margin.");
      return;
    }
    this.slab.say(margin.w ? "" : margin.says);
    const { slacks } = this;
    write(this.says, margin.w && !slacks ? margin.says : "");
    writeLines(this.derivation, slacks ? [] : margin.derivation, "li");
    write(this.scaling, slacks ? margin.slack_says : margin.scaling);
    writeLines(this.kinds, slacks ? margin.kinds : [], "li");
    const named = slacks ? (margin.slack || []).flatMap((xi, row) => (xi > 1e-6 ? [row] : [])) : margin.shown || [];
    this.slab.draw(margin, margin.w ? (slacks ? this.slackItems(margin, named) : this.widthItems(margin)) : [], [...named, ...(run.named || [])]);
  }

  widthItems(margin) {
    const { scene } = this.client.state, { hovered } = this.client, w = this.times === 1 ? "w" : this.times === 2 ? "2w" : "½w";
    const rows = [...new Set([...margin.shown, ...(hovered === null ? [] : [hovered])])].filter((row) => row < scene.points.length);
    const [x, beyond] = margin.across, [foot, tip] = margin.arrow, { plane } = this.slab.plot, unit = 0.14 * Math.min(plane.width, plane.height) / plane.unit;
    const end = foot.map((value, k) => value + unit * (tip[k] - value));
    return [
      { from: x, to: beyond, text: `2/‖${w}‖ = ${show(margin.width)}`, look: "width" },
      ...rows.map((row) => ({ from: margin.feet[row], to: scene.points[row].slice(0, 2), text: `${row === hovered || (hovered === null && row === rows[0]) ? "y f(x)/‖w‖ = " : ""}${show(margin.distance[row])}`, look: row === hovered ? "distance lit" : "distance" })),
      ...(margin.origin_foot && Math.abs(margin.origin) > 1e-12 ? [{ from: [0, 0], to: margin.origin_foot, text: `−b/‖w‖ = ${show(margin.origin)}`, look: "origin" }] : []),
      { from: foot, to: end, text: w, look: "arrow", ends: "to" },
      { from: x, to: x, text: "x", look: "start", ends: "none" },
    ];
  }

  slackItems(margin, rows) {
    const { scene } = this.client.state, { hovered } = this.client, all = rows.length <= LABELS;
    return rows.filter((row) => row < scene.points.length).map((row) => ({
      from: scene.points[row].slice(0, 2), to: margin.edges[row], ends: "to", short: row !== hovered,
      text: all || row === hovered ? `ξ${subscript(row + 1)} = ${show(margin.slack[row], 3)}` : "", look: row === hovered ? "slack lit" : "slack",
    }));
  }
}

export const subscript = (whole) => String(whole).split("").map((digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]).join("");
