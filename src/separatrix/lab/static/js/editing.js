// Putting points down, moving and removing them: by pointer, by touch and by keyboard.

import { h, s, set, children } from "./dom.js";

const NEAR = 16; // pixels within which a point is meant
const SLOW = 50; // milliseconds without an answer after which a dragged mark goes ahead
const REST = 400; // milliseconds after a key until its point counts as at rest

export class Editing {
  constructor(view) {
    this.view = view;
    this.client = view.client;
    this.label = 1;
    this.erasing = false;
    this.chosen = null;
    this.cross = null;
    this.drag = null;
    this.grabs = 0;
    this.ahead = null; // the move that is not answered yet
    this.tools = this.makeTools();
    const { svg } = view.plot;
    svg.addEventListener("pointerdown", (event) => this.down(event));
    // A drag is followed as the pointer reports it, not once a frame: the solver's answer can then be in that frame.
    const raw = "onpointerrawupdate" in window;
    svg.addEventListener("pointermove", (event) => { if (!raw || !this.drag) this.move(event); });
    svg.addEventListener("pointerrawupdate", (event) => { if (this.drag) this.move(event); });
    svg.addEventListener("pointerup", (event) => this.up(event));
    svg.addEventListener("pointercancel", () => { this.drag = null; });
    svg.addEventListener("pointerleave", () => { if (!this.drag) this.view.leave(); });
    svg.addEventListener("wheel", (event) => this.zoom(event), { passive: false });
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("focus", () => this.enter());
    svg.addEventListener("blur", () => this.leave());
  }

  makeTools() {
    const tool = (name, text, chosen, title) => h("label", { class: `tool ${name}`, title },
      h("input", { type: "radio", name: "tool", value: name, checked: chosen, onchange: () => this.use(name) }),
      h("span", { text }));
    return h("div", { class: "tools", role: "radiogroup", "aria-label": "What a click does" },
      tool("plus", "+1", true, "Add points of class +1 (key 1)"),
      tool("minus", "−1", false, "Add points of class −1 (key 2)"),
      tool("erase", "erase", false, "Remove points (key 3)"),
      h("button", { class: "small", text: "fit", title: "Show all points (key 0)", onclick: () => this.fit() }));
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
    this.client.state.scene.points.forEach(([x1, x2], row) => {
      const distance = Math.hypot(plane.x(x1) - px, plane.y(x2) - py);
      if (distance < least) [best, least] = [row, distance];
    });
    return best;
  }

  down(event) {
    if (event.button !== 0) return;
    const row = this.near(event);
    const box = this.view.plot.svg.getBoundingClientRect(); // asked for once: it makes the browser lay out the page
    this.drag = { row, box, from: [event.clientX, event.clientY], moved: false, grab: ++this.grabs };
    this.view.plot.svg.setPointerCapture(event.pointerId);
    this.choose(null);
  }

  move(event) {
    const { drag } = this;
    if (!drag) {
      const row = this.near(event);
      this.client.hover(row);
      if (row === null && event.pointerType !== "touch") this.view.ask(this.view.plot.place(event));
      return;
    }
    if (!drag.moved && Math.hypot(event.clientX - drag.from[0], event.clientY - drag.from[1]) < 4) return;
    drag.moved = true;
    if (drag.row === null || this.erasing) return;
    this.client.hover(drag.row);
    this.place(drag.row, this.view.plot.place(event, drag.box), drag.grab, event.timeStamp);
  }

  up(event) {
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    if (drag.moved) {
      if (drag.row !== null) this.client.look(); // the certificate, now that the point rests
      return;
    }
    if (this.erasing) {
      if (drag.row !== null) this.remove(drag.row);
    } else if (drag.row === null) {
      this.add(this.view.plot.place(event));
    } else {
      this.choose(drag.row);
    }
  }

  get dragging() { return this.drag !== null && this.drag.moved && this.drag.row !== null; }

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
    if (this.client.waited > SLOW) this.view.shift(row, point);
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

  zoom(event) {
    event.preventDefault();
    const { plane } = this.view.plot;
    plane.look(plane.centre, Math.min(1e6, Math.max(1e-3, plane.half * Math.exp(event.deltaY * 0.001))));
    this.view.draw();
    this.client.look();
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

  key(event) {
    const { points } = this.client.state.scene, { plane } = this.view.plot;
    const step = plane.half * (event.shiftKey ? 0.1 : 0.02);
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const { chosen } = this;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (arrows[event.key]) {
      const [dx, dy] = arrows[event.key];
      if (chosen !== null) {
        const [x1, x2] = this.at(chosen);
        this.place(chosen, [x1 + dx * step, x2 + dy * step], this.keyGrab, event.timeStamp);
        clearTimeout(this.rest);
        this.rest = setTimeout(() => this.client.look(), REST);
      } else {
        const [left, right, low, high] = plane.window;
        this.cross = [clamp(this.cross[0] + dx * step, left, right), clamp(this.cross[1] + dy * step, low, high)];
      }
      this.draw();
    } else if (event.key === "Enter") {
      if (chosen === null) this.add(this.cross);
      else this.choose(null);
    } else if ((event.key === "]" || event.key === "[") && points.length > 0) {
      const way = event.key === "]" ? 1 : -1;
      this.keyGrab = ++this.grabs;
      this.choose(chosen === null ? (way > 0 ? 0 : points.length - 1) : (chosen + way + points.length) % points.length);
    } else if ((event.key === "Delete" || event.key === "Backspace") && chosen !== null) {
      this.remove(chosen);
    } else if (event.key.toLowerCase() === "f" && chosen !== null) {
      const [x1, x2, label] = points[chosen];
      this.client.act("move", { row: chosen, point: [x1, x2, -label] });
    } else if (event.key === "Escape") {
      this.choose(null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
// A thousandth of a unit is finer than a pixel, and keeps links short.
const rounded = (value) => Math.round(value * 1000) / 1000;
