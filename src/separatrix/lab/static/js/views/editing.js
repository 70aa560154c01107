// Putting points down, moving and removing them: by pointer, by touch and by keyboard.

import { children, h, s, set } from "../draw/dom.js";
import { editKey } from "./editkeys.js";

const NEAR = 16; // pixels within which a point is meant
const SLOW = 50; // milliseconds without an answer after which a dragged mark goes ahead
const HOLD = 350; // milliseconds that a finger rests on a point until it takes hold of it: a swipe scrolls the page

export class Editing {
  constructor(view) {
    this.view = view;
    this.client = view.client;
    this.label = 1;
    this.erasing = false;
    this.chosen = null;
    this.cross = null;
    this.drag = null;
    this.ahead = null; // the move that is not answered yet
    this.tools = this.makeTools();
    const { svg } = view.plot;
    svg.addEventListener("pointerdown", (event) => this.down(event));
    // A drag is followed as the pointer reports it, not once a frame: the solver's answer can then be in that frame.
    const raw = "onpointerrawupdate" in window;
    svg.addEventListener("pointermove", (event) => { if (!raw || !this.drag) this.move(event); });
    svg.addEventListener("pointerrawupdate", (event) => { if (this.drag) this.move(event); });
    svg.addEventListener("pointerup", (event) => this.up(event));
    svg.addEventListener("pointercancel", () => this.cancel());
    svg.addEventListener("pointerleave", () => { if (!this.drag) this.view.leave(); });
    svg.addEventListener("wheel", (event) => this.zoom(event), { passive: false });
    svg.addEventListener("keydown", (event) => editKey(this, event));
    svg.addEventListener("focus", () => this.enter());
    svg.addEventListener("blur", () => this.leave());
    svg.addEventListener("contextmenu", (event) => { if (this.drag && this.drag.touch) event.preventDefault(); }); // a finger that rests
    // What a finger has taken hold of follows it; everything else lets the page scroll.
    for (const name of ["touchstart", "touchmove"]) {
      svg.addEventListener(name, (event) => { if (this.drag && this.drag.firm) event.preventDefault(); }, { passive: false });
    }
  }

  makeTools() {
    const tool = (name, text, chosen, title) => h("label", { class: `tool ${name}`, title },
      h("input", { type: "radio", name: "tool", value: name, checked: chosen, onchange: () => this.use(name) }),
      h("span", { text }));
    const clicks = this.client.fixed ? [] : [tool("plus", "+1", true, "Add points of class +1 (key 1)"),
      tool("minus", "−1", false, "Add points of class −1 (key 2)"),
      tool("erase", "erase", false, "Remove points (key 3)")];
    return h("div", { class: "tools", ...(this.client.fixed ? {} : { role: "radiogroup", "aria-label": "What a click does" }) }, clicks,
      h("button", { class: "small", text: "fit", title: "Show all points (key 0)", onclick: () => this.fit() }),
      h("button", { class: "small", text: "1 2 3", title: "Number all points (N)", "aria-label": "Number all points", onclick: () => this.view.numberAll() }));
  }

  use(name) {
    this.erasing = name === "erase";
    if (name !== "erase") this.label = name === "plus" ? 1 : -1;
    for (const input of this.tools.querySelectorAll("input")) input.checked = input.value === name;
  }

  fit() {
    this.view.fit(this.client.state.scene.points);
    this.view.draw();
    this.client.look();
  }

  // The row under the pointer; the nearest where several are.
  near(event) {
    const { plane, svg } = this.view.plot;
    const box = svg.getBoundingClientRect();
    const px = event.clientX - box.left, py = event.clientY - box.top;
    let best = null, least = event.pointerType === "touch" ? 2 * NEAR : NEAR;
    const { fade } = this.view;
    this.client.state.scene.points.forEach(([x1, x2], row) => {
      if (fade && fade[row] === 0) return; // it has not come yet
      const distance = Math.hypot(plane.x(x1) - px, plane.y(x2) - py);
      if (distance < least) [best, least] = [row, distance];
    });
    return best;
  }

  // A mouse takes hold at once. A finger does on a handle, on the chosen point, and on any point where it rests.
  down(event) {
    if (event.button !== 0 || (this.drag && this.drag.firm)) return;
    const touch = event.pointerType === "touch", { plot, knobs } = this.view;
    const box = plot.svg.getBoundingClientRect(); // asked for once: it makes the browser lay out the page
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const row = this.client.fixed ? null : this.near(event), knob = row === null && !this.erasing ? knobs.near(px, py, touch) : null;
    const firm = !touch || knob !== null || (row !== null && row === this.chosen);
    this.drag = { row, knob, box, firm, touch, from: [event.clientX, event.clientY], centre: plot.plane.centre, moved: false, grab: this.client.grab() };
    if (knob !== null) knobs.take(knob);
    if (!touch) plot.svg.setPointerCapture(event.pointerId);
    if (!firm && row !== null) this.timer = setTimeout(() => this.pickUp(row), HOLD);
    if (!touch || row !== this.chosen) this.choose(null);
  }

  pickUp(row) {
    if (!this.drag || this.drag.moved) return;
    this.drag.firm = true;
    this.choose(row);
  }

  cancel() {
    clearTimeout(this.timer);
    const { drag } = this;
    this.drag = null;
    if (drag && drag.moved) this.client.look();
  }

  move(event) {
    const { drag } = this;
    if (!drag) {
      const row = this.near(event);
      this.client.hover(row);
      if (event.pointerType === "touch") return;
      this.point(event, row);
      if (row === null && !this.client.fixed) this.view.ask(this.view.plot.place(event));
      return;
    }
    if (!drag.moved && Math.hypot(event.clientX - drag.from[0], event.clientY - drag.from[1]) < 4) return;
    drag.moved = true;
    clearTimeout(this.timer);
    if (!drag.firm || this.erasing) return;
    const at = this.view.plot.place(event, drag.box);
    if (drag.row !== null) {
      this.client.hover(drag.row);
      this.place(drag.row, at, drag.grab, event.timeStamp);
    } else if (drag.knob !== null) {
      const placed = this.view.knobs.place(at);
      if (placed) this.client.hold(...placed, drag.grab, event.timeStamp);
    } else {
      this.pan(event);
    }
  }

  // What is under the pointer that can be taken hold of.
  point(event, row) {
    const { svg, element } = this.view.plot, box = svg.getBoundingClientRect();
    const knob = row === null && !this.erasing ? this.view.knobs.near(event.clientX - box.left, event.clientY - box.top, false) : null;
    element.classList.toggle("on-knob", !this.client.fixed && (knob !== null || row !== null));
  }

  pan(event) {
    const { drag } = this, { plane } = this.view.plot;
    plane.look([drag.centre[0] - (event.clientX - drag.from[0]) / plane.unit, drag.centre[1] + (event.clientY - drag.from[1]) / plane.unit], plane.half);
    this.view.looked();
  }

  up(event) {
    const { drag } = this;
    clearTimeout(this.timer);
    this.drag = null;
    if (!drag) return;
    if (drag.moved) {
      if (drag.firm) this.client.look(); // the certificate, now that the point rests
      return;
    }
    if (this.client.fixed) return;
    if (this.erasing) {
      if (drag.row !== null) this.remove(drag.row);
    } else if (drag.row === null) {
      if (!drag.touch || drag.knob === null) this.add(this.view.plot.place(event));
    } else {
      this.choose(drag.row);
    }
  }

  get dragging() { return this.drag !== null && this.drag.moved && this.drag.firm; }

  add(place) {
    this.client.act("add", { point: [...place.map(rounded), this.label], playing: this.client.playing === true });
  }

  remove(row) {
    this.choose(null);
    this.client.hover(null);
    this.client.act("remove", { row });
  }

  // The mark goes there with the solver's answer, in one picture; alone only where that is slow to come.
  place(row, [x1, x2], grab, since) {
    const point = [rounded(x1), rounded(x2), this.client.state.scene.points[row][2]];
    this.ahead = { row, point };
    if (this.client.waited > SLOW) this.view.marks.shift(row, point);
    this.client.keep("move", "move", { row, point, grab }, since, () => {
      if (this.ahead && this.ahead.point === point) this.ahead = null;
    });
  }

  // Where a row is, or is on its way to.
  at(row) {
    return this.ahead && this.ahead.row === row ? this.ahead.point : this.client.state.scene.points[row];
  }

  choose(row) {
    this.chosen = row;
    if (row !== null) this.client.hover(row);
    this.draw();
    this.view.light();
  }

  // About the pointer: what is under it stays there.
  zoom(event) {
    event.preventDefault();
    const { plane, svg } = this.view.plot, box = svg.getBoundingClientRect();
    plane.zoom(event.clientX - box.left, event.clientY - box.top, Math.exp(event.deltaY * 0.001), 1e-3, 1e6);
    this.view.looked();
  }

  enter() {
    this.cross = this.cross || this.view.plot.plane.centre.slice();
    this.draw();
  }

  leave() {
    this.cross = null;
    this.choose(null);
  }

  draw() {
    const focused = this.cross !== null && this.view.plot.svg.matches(":focus-visible");
    const { plane } = this.view.plot;
    const at = this.chosen === null ? this.cross : this.at(this.chosen);
    children(this.view.cross, focused && at ? [at] : [], () => s("path", { d: "M-14 0H-4M4 0H14M0-14V-4M0 4V14" }),
      (path, [x1, x2]) => set(path, { transform: `translate(${plane.x(x1)} ${plane.y(x2)})` }));
  }
}

// A thousandth of a unit is finer than a pixel, and keeps links short.
const rounded = (value) => Math.round(value * 1000) / 1000;
