// Validation: both errors along C or γ, with the scene's own value to move; and what many looks do to a hold-out.

import { children, h, set, show, turn, write } from "../draw/dom.js";
import { Chart } from "../draw/chart.js";

const TITLES = { C: "error by C", gamma: "error by γ", looks: "ten looks" };

export class Validation {
  constructor(client) {
    this.client = client;
    this.name = "validation";
    this.over = null; // C, gamma or looks; null: as the solver chooses
    this.size = null; // held-out points of the ten looks; null: as the solver chooses
    this.buttons = Object.entries(TITLES).map(([name, text]) => h("button", { class: "small", text, "aria-pressed": "false", "data-over": name, onclick: () => this.turnTo(name) }));
    this.third = null; // which third of the points is held out; null: as the solver chooses
    this.another = h("button", { class: "small live", text: "another third", title: "Hold out other points", onclick: () => this.next() });
    this.sizes = h("select", { "aria-label": "held-out points", onchange: () => { this.size = Number(this.sizes.value); client.look(); client.onview(); } });
    this.sizeLabel = h("label", { class: "sizes live", hidden: true }, "points ", this.sizes);
    this.sweeps = { C: this.makeSweep("C", "C"), gamma: this.makeSweep("gamma", "γ") };
    this.looks = new Chart("Accuracy of the best of k models on the hold-out and on fresh data", { x: "models looked at, k", y: "right answers of the best, %" });
    this.holder = h("div", { class: "tab-body validation-body" });
    this.empty = h("p", { class: "empty", hidden: true });
    this.words = h("div", { class: "readout words scroll validation-words", tabindex: "0", role: "group", "aria-label": "About the errors" });
    this.element = h("div", { class: "tab-body" }, h("div", { class: "row-of" }, this.buttons, this.another, this.sizeLabel), this.holder, this.words);
  }

  // A chart whose cursor is the scene's own value: dragged, clicked, or moved with the arrow keys.
  makeSweep(field, symbol) {
    const chart = new Chart(`Training and held-out error against ${symbol}`, { x: symbol, y: "wrong, %", logX: true });
    const box = chart.holder;
    chart.element.classList.add("sweep");
    if (this.client.fixed) return chart;
    set(box, { tabindex: 0, role: "slider", "aria-label": `${symbol}, the value of the scene` });
    const put = (event) => {
      const { validation } = this.client.state;
      if (!chart.valueAt || !validation || !validation.range) return;
      const [low, high] = validation.range, value = chart.valueAt(event.clientX - box.getBoundingClientRect().left);
      this.set(field, Math.min(high, Math.max(low, value)));
    };
    box.addEventListener("pointerdown", (event) => { this.grab = this.client.grab(); box.setPointerCapture(event.pointerId); this.held = true; put(event); });
    box.addEventListener("pointermove", (event) => { if (this.held) put(event); });
    for (const name of ["pointerup", "pointercancel"]) box.addEventListener(name, () => { if (this.held) { this.held = false; this.client.look(); } });
    box.addEventListener("keydown", (event) => this.key(event, field));
    return chart;
  }

  get dragging() { return this.held === true; }

  set(field, value) { this.client.keep(`set-${field}`, "set", { settings: { [field]: Number(value.toPrecision(3)) }, grab: this.grab }); }

  key(event, field) {
    const { validation } = this.client.state, way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!way || !validation || !validation.curves || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const { values } = validation.curves, beyond = values.filter((each) => way * (each - validation.value) > 1e-3 * validation.value);
    if (!beyond.length) return;
    this.grab = this.client.grab();
    this.client.act("set", { settings: { [field]: Number((way > 0 ? beyond[0] : beyond.at(-1)).toPrecision(3)) } });
  }

  turnTo(over) {
    this.over = over;
    this.client.look();
    this.client.onview();
  }

  next() {
    this.third = ((this.third ?? this.client.state.validation.third) + 1) % 3;
    this.client.look();
    this.client.onview();
  }

  options() { return { over: this.over, third: this.third, size: this.over === "looks" ? this.size : null }; }

  saved() { return [this.over, this.third, this.size].every((each) => each === null) ? null : { over: this.over, third: this.third, size: this.size }; }

  restore(kept) {
    this.over = kept && Object.hasOwn(TITLES, kept.over) ? kept.over : null;
    this.third = kept && [0, 1, 2].includes(kept.third) ? kept.third : null;
    this.size = kept && [20, 60, 200, 1000].includes(kept.size) ? kept.size : null;
  }

  draw() {
    const { validation, run } = this.client.state;
    if (run.ready && validation === undefined) return; // the answer with this view is on its way
    const there = Boolean(run.ready && validation), over = there ? validation.over : this.over ?? "C";
    for (const button of this.buttons) {
      button.hidden = there && button.dataset.over !== "looks" && !validation.choices.includes(button.dataset.over);
      set(button, { "aria-pressed": String(button.dataset.over === over) });
    }
    this.another.hidden = over === "looks" || !there || validation.few;
    this.sizeLabel.hidden = over !== "looks" || !there;
    const chart = over === "looks" ? this.looks : this.sweeps[over], drawn = there && !validation.few;
    this.empty.hidden = drawn;
    write(this.empty, there ? validation.says[0] : "Put down points of both classes first.");
    const shown = drawn ? chart.element : this.empty;
    if (this.holder.firstChild !== shown) this.holder.replaceChildren(shown);
    children(this.words, drawn ? validation.says : [], () => h("p"), (line, text) => write(line, text));
    if (!drawn) return;
    if (over === "looks") this.drawLooks(validation);
    else this.drawSweep(chart, validation);
  }

  // While something is dragged the curves are those of before, and pale.
  drawSweep(chart, view) {
    chart.element.classList.toggle("pending", view.curves === null);
    const box = chart.holder, [low, high] = view.range;
    if (!this.client.fixed) set(box, { "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": view.value, "aria-valuetext": show(view.value, 3) });
    if (view.curves) {
      const { values, train, held } = view.curves, along = (errors) => values.map((value, k) => [value, errors[k]]);
      this.kept = [[{ name: "training points", look: "soft", points: along(train), dots: true, dashed: true }, { name: "held-out points", look: "accent", points: along(held), dots: true }],
        [{ x: view.best.value, y: view.best.error, look: "feasible", text: "best" }], Math.max(10, ...train, ...held)];
    }
    const [curves, marks, most] = this.kept || [[], [], 50];
    const knob = { x: view.value, y: most, look: "ink", text: `${view.over === "C" ? "C" : "γ"} = ${show(view.value, 3)}` };
    chart.draw(curves, { cursor: view.value, marks: [...marks, knob], from: [low, 0], to: [high, most] });
  }

  drawLooks(view) {
    if (this.sizes.options.length === 0) this.sizes.append(...view.sizes.map((size) => h("option", { value: size, text: String(size) })));
    turn(this.sizes, String(view.size));
    const along = (values) => view.looks.map((k, place) => [k, values[place]]);
    this.looks.draw([
      { name: "the hold-out says, on average", look: "accent", points: along(view.best), dots: true },
      { name: "nine times in ten between", look: "soft", points: [...along(view.low), [null, null], ...along(view.high)], dashed: true },
      { name: "fresh points say", look: "plus", points: along(view.fresh) }],
    { cursor: view.ten, marks: [{ x: view.ten, y: view.best[view.ten - 1], look: "accent", text: `${show(view.best[view.ten - 1], 3)} %` }], from: [0, 40], to: [20, 60] });
  }
}
