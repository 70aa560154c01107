// Mark I: a pad of 20 x 20 cells, examples of two shapes, the 400 weights as they learn, and the answer.

import { children, colours, h, set, write } from "../draw/dom.js";
import { Gallery, packed, SIDE, unpacked } from "./gallery.js";

const MOST = 400; // examples and passes that a link holds

export class MarkOne {
  constructor(app) {
    this.app = app;
    this.client = app.client;
    this.cells = new Uint8Array(SIDE * SIDE);
    this.cursor = null;
    this.log = []; // what was shown to it, in order, for the link
    this.pad = h("canvas", { class: "pad", width: 400, height: 400, tabindex: "0", role: "application",
      "aria-label": "Drawing pad, 20 by 20 cells: arrow keys move, space draws or clears a cell" });
    this.map = h("canvas", { class: "weights-map", width: 400, height: 400, role: "img", "aria-label": "The 400 weights" });
    this.verdict = h("p", { class: "mark-answer", role: "status" });
    this.says = h("div", { class: "mark-says", "aria-live": "polite" });
    this.examples = new Gallery("The examples it was shown");
    this.tests = new Gallery("Some of the test drawings");
    this.tested = h("p", { "aria-live": "polite" });
    this.shift = this.slider("shift", "shift", 6, (value) => `${value} ${value === 1 ? "cell" : "cells"}`);
    this.noise = this.slider("noise", "noise", 30, (value) => `${value} %`);
    const button = (text, action, kind = "") => h("button", { text, class: kind, onclick: action });
    this.pair = h("select", { "aria-label": "Two letters" }, h("option", { value: "TL", text: "A = T, B = L" }), h("option", { value: "EF", text: "A = E, B = F" }), h("option", { value: "XO", text: "A = X, B = O" }));
    this.pair.value = "EF";
    this.element = h("dialog", { class: "mark-one", "aria-labelledby": "mark-title" },
      h("h2", { id: "mark-title", text: "Mark I" }),
      h("p", { text: "Draw one shape and press “this is A”, another and press “this is B”, or let it see letters. Each example is looked at once; a pass "
        + "looks at all of them again. Then draw and see what 400 weights make of it." }),
      h("div", { class: "mark-columns" },
        h("div", {}, h("div", { class: "pads" },
          h("figure", {}, this.pad, h("figcaption", { text: "the retina: draw here" })),
          h("figure", {}, this.map, h("figcaption", { text: "the weights: blue for A, orange for B" }))),
        this.verdict,
        h("div", { class: "row-of" }, button("this is A", () => this.show(1), "class-a"), button("this is B", () => this.show(-1), "class-b"), button("wipe the pad", () => this.wipe())),
        h("div", { class: "row-of" }, h("span", { class: "pair-of" }, this.pair, button("show letters", () => this.letters(this.pair.value))),
          button("one more pass", () => this.ask("pass")), button("forget all", () => this.forget()))),
        h("div", {}, this.says, this.examples.element,
          this.tester = h("section", { class: "tester", "aria-label": "Shift and noise" }, h("h3", { text: "How much may a drawing change?" }),
            h("div", { class: "row-of" }, this.shift.element, this.noise.element), this.tested, this.tests.element))),
      h("form", { method: "dialog" }, button("close", null)));
    this.button = button("Mark I", () => this.open());
    this.pad.addEventListener("pointerdown", (event) => this.press(event));
    this.pad.addEventListener("pointermove", (event) => this.stroke(event));
    this.pad.addEventListener("pointerup", () => { this.last = null; });
    this.pad.addEventListener("keydown", (event) => this.key(event));
    this.pad.addEventListener("focus", () => { this.cursor = this.cursor || [SIDE / 2, SIDE / 2]; this.draw(); });
  }

  // `pair`, such as "EF": with the machine just shown these letters.
  async open(pair = null) {
    if (!this.element.open) this.element.showModal();
    this.draw();
    await (pair ? this.letters(pair) : this.ask("look"));
  }

  slider(name, label, most, words) {
    const output = h("output", { text: words(0) });
    const input = h("input", { type: "range", min: 0, max: most, step: 1, value: 0, "data-mark": name });
    const put = (value) => { input.value = value; write(output, words(value)); set(input, { "aria-valuetext": words(value) }); };
    input.addEventListener("input", () => { put(Number(input.value)); this.again(); });
    return { input, put, get value() { return Number(input.value); }, element: h("label", { class: "setting slider" }, h("span", {}, label, " ", output), input) };
  }

  get spoiling() { return { shift: this.shift.value, noise: this.noise.value / 100 }; }

  // Only the newest place of a slider matters.
  again() { this.client.keep("mark", "mark", { do: "look", ...this.spoiling }, null, ({ mark }) => { if (mark) { this.tell(mark); this.client.onview(); } }); }

  letters(pair) {
    this.pair.value = pair;
    return this.ask("letters", { pair });
  }

  text() { return Array.from(this.cells).join(""); }

  async ask(what, more = {}) {
    const reply = await this.client.act("mark", { do: what, ...this.spoiling, ...more });
    if (!reply.mark) return;
    if (what === "show") this.log.push(`${more.label > 0 ? "A" : "B"}${packed(more.cells)}`);
    if (what === "pass") this.log.push("P");
    if (what === "forget") this.log = [];
    if (what === "letters") this.log = [`L${more.pair}`];
    if (what !== "ask" && what !== "look") this.client.onview();
    this.tell(reply.mark);
  }

  saved() {
    const { shift, noise } = this, kept = shift.value || noise.value ? [...this.log, `T${shift.value},${noise.value}`] : this.log;
    return kept.length === 0 || kept.length > MOST ? null : kept;
  }

  // The machine learns again what it had learnt, in the same order.
  async restore(kept) {
    const log = Array.isArray(kept) ? kept.slice(0, MOST) : [];
    if (log.join() === (this.saved() || []).join()) return;
    await this.ask("forget");
    for (const slider of [this.shift, this.noise]) slider.put(0);
    for (const entry of log) {
      if (entry === "P") await this.ask("pass");
      else if (/^L(TL|EF|XO)$/.test(entry)) await this.letters(entry.slice(1));
      else if (/^T[0-6],([12]?\d|30)$/.test(entry)) entry.slice(1).split(",").forEach((value, k) => [this.shift, this.noise][k].put(Number(value)));
      else if (typeof entry === "string" && /^[AB][0-9a-f]{100}$/.test(entry)) await this.ask("show", { cells: unpacked(entry.slice(1)), label: entry[0] === "A" ? 1 : -1 });
    }
  }

  async show(label) {
    if (!this.cells.some(Boolean)) {
      write(this.verdict, "Draw something on the pad first.");
      return;
    }
    await this.ask("show", { cells: this.text(), label });
    this.wipe();
  }

  wipe() {
    this.cells.fill(0);
    write(this.verdict, "");
    this.draw();
  }

  async forget() {
    await this.ask("forget");
    this.wipe();
  }

  press(event) {
    this.pad.setPointerCapture(event.pointerId);
    this.last = this.cellAt(event);
    this.mark(...this.last);
  }

  cellAt(event) {
    const box = this.pad.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * SIDE, ((event.clientY - box.top) / box.height) * SIDE];
  }

  // A line between where the pen was and where it is, as wide as a cell and a half.
  stroke(event) {
    if (!this.last) return;
    const to = this.cellAt(event), [x, y] = this.last, steps = Math.ceil(2 * Math.hypot(to[0] - x, to[1] - y)) || 1;
    for (let k = 1; k <= steps; k++) this.mark(x + ((to[0] - x) * k) / steps, y + ((to[1] - y) * k) / steps);
    this.last = to;
  }

  mark(x, y) {
    for (const [dx, dy] of [[0, 0], [0.5, 0], [0, 0.5], [0.5, 0.5]]) {
      const [i, j] = [Math.floor(x + dx), Math.floor(y + dy)];
      if (i >= 0 && j >= 0 && i < SIDE && j < SIDE) this.cells[j * SIDE + i] = 1;
    }
    this.changed();
  }

  changed() {
    this.draw();
    this.client.keep("mark", "mark", { do: "ask", cells: this.text() }, null, ({ mark }) => { if (mark) this.tell(mark); });
  }

  key(event) {
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const [i, j] = this.cursor || [0, 0];
    if (move) this.cursor = [Math.min(SIDE - 1, Math.max(0, i + move[0])), Math.min(SIDE - 1, Math.max(0, j + move[1]))];
    else if (event.key === " ") this.cells[j * SIDE + i] = 1 - this.cells[j * SIDE + i];
    else return;
    event.preventDefault();
    this.changed();
  }

  tell(mark) {
    if (mark.verdict !== undefined) { // an answer about what is on the pad
      if (this.cells.some(Boolean)) write(this.verdict, mark.verdict);
      return;
    }
    this.weights = mark.weights;
    children(this.says, mark.says, () => h("p"), (line, text) => write(line, text));
    this.examples.draw(mark.gallery);
    this.tester.hidden = mark.test === null;
    write(this.tested, mark.test ? mark.test.says : "");
    this.tests.draw(mark.test ? mark.test.gallery : []);
    this.draw();
  }

  // Cells of whole pixels of the screen, so that all are equal and the lines between them are too.
  measure() {
    const ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.pad, this.map]) {
      const room = canvas.parentElement.clientWidth;
      if (!(room > 0)) continue;
      const pixels = SIDE * Math.max(4, Math.floor((room * ratio) / SIDE));
      canvas.style.width = `${pixels / ratio}px`;
      if (canvas.width !== pixels) canvas.width = canvas.height = pixels;
    }
  }

  draw() {
    this.measure();
    const tint = colours(this.element), size = this.pad.width / SIDE;
    const pad = this.pad.getContext("2d"), map = this.map.getContext("2d");
    for (const paper of [pad, map]) paper.clearRect(0, 0, this.pad.width, this.pad.height);
    const most = Math.max(1e-12, ...(this.weights || [0]).map(Math.abs));
    for (let k = 0; k < SIDE * SIDE; k++) {
      const x = (k % SIDE) * size, y = Math.floor(k / SIDE) * size, weight = this.weights ? this.weights[k] : 0;
      pad.fillStyle = this.cells[k] ? tint.ink : tint.plot;
      pad.fillRect(x, y, size - 1, size - 1);
      map.fillStyle = tint.plot;
      map.fillRect(x, y, size - 1, size - 1);
      map.globalAlpha = Math.abs(weight) / most;
      map.fillStyle = weight > 0 ? tint.plus : tint.minus;
      map.fillRect(x, y, size - 1, size - 1);
      map.globalAlpha = 1;
    }
    if (this.cursor && document.activeElement === this.pad) {
      pad.strokeStyle = tint.accent;
      pad.lineWidth = 3;
      pad.strokeRect(this.cursor[0] * size + 1, this.cursor[1] * size + 1, size - 3, size - 3);
    }
  }
}
