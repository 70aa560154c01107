// w-space: every point a line, the wedge where all points agree, w and the way it came. w is a handle.

import { children, h, makeReadout, s, set, show, write } from "../draw/dom.js";
import { Legend } from "../draw/legend.js";
import { numbers } from "../talk/link.js";
import { Plot } from "../draw/plot.js";

const NEAR = 7; // pixels within which a line is meant
const HANDLE = 14, TOUCH = 26; // pixels within which w is
const RING = 0.8; // of the picture's half side: where the ticks stand, apart from each other

export class WSpace {
  constructor(client) {
    this.client = client;
    this.name = "w";
    this.cuts = true; // one b cuts it
    this.zoom = 1;
    this.centre = [0, 0];
    this.drag = null;
    this.ends = []; // of each point's line, in pixels; null out of sight
    this.plot = new Plot(["w₁", "w₂"], client.fixed ? "w-space: each point a line, w a point"
      : "w-space: each point a line, w a point; arrow keys move w, page keys move b, Escape goes back to the run", { role: "application", tabindex: "0" });
    this.wedge = this.plot.layer("wedge");
    this.side = this.plot.layer("side");
    this.circle = this.plot.layer("objective");
    this.rows = this.plot.layer("rows");
    this.kinds = ["plus", "minus"].map((name) => [s("path", { class: `thin ${name}` }), s("path", { class: `normal ${name}` })]);
    this.rows.append(...this.kinds.flat());
    this.marked = this.plot.layer("marked");
    this.path = this.plot.layer("path");
    this.labels = this.plot.layer("numbers", "over");
    this.empty = h("p", { class: "empty", hidden: true });
    this.plot.element.append(this.empty);
    this.plot.onresize = () => this.draw();
    this.listen();
    client.onhover(() => this.light());
    this.legend = new Legend();
    this.readout = makeReadout();
    this.element = h("div", { class: "tab-body" }, this.plot.element, this.legend.element, this.readout.element);
  }

  listen() {
    const { svg } = this.plot, raw = "onpointerrawupdate" in window;
    svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => { if (!raw || !this.drag) this.move(event); });
    svg.addEventListener("pointerrawupdate", (event) => { if (this.drag) this.move(event); });
    svg.addEventListener("pointerup", () => this.up());
    svg.addEventListener("pointercancel", () => this.up());
    svg.addEventListener("pointerleave", () => { if (!this.drag) this.client.hover(null); this.client.point(null); });
    svg.addEventListener("keydown", (event) => this.key(event));
    for (const name of ["touchstart", "touchmove"]) {
      svg.addEventListener(name, (event) => { if (this.drag && this.drag.hold) event.preventDefault(); }, { passive: false });
    }
  }

  get dragging() { return this.drag !== null && this.drag.hold; }

  at(event, box = this.plot.svg.getBoundingClientRect()) { return [event.clientX - box.left, event.clientY - box.top]; }

  // Whether a pixel is on w.
  onW([px, py], touch) {
    const { w, run } = this.client.state, { plane } = this.plot;
    return Boolean(run.ready && w) && !this.client.fixed && Math.hypot(plane.x(w.now[0]) - px, plane.y(w.now[1]) - py) < (touch ? TOUCH : HANDLE);
  }

  down(event) {
    const { w, run } = this.client.state;
    if (event.button !== 0 || !run.ready || !w) return;
    const box = this.plot.svg.getBoundingClientRect(), touch = event.pointerType === "touch";
    const hold = this.onW(this.at(event, box), touch);
    if (touch && !hold) return; // a swipe scrolls
    this.drag = { hold, box, from: [event.clientX, event.clientY], centre: this.plot.plane.centre, grab: this.client.grab(), b: w.b };
    this.plot.svg.setPointerCapture(event.pointerId);
    this.client.point(null);
  }

  move(event) {
    const { drag, client } = this, { plane } = this.plot;
    if (drag && drag.hold) {
      client.hold(plane.at(...this.at(event, drag.box)).map(rounded), drag.b, drag.grab, event.timeStamp);
    } else if (drag) {
      this.centre = [drag.centre[0] - (event.clientX - drag.from[0]) / plane.unit, drag.centre[1] + (event.clientY - drag.from[1]) / plane.unit];
      this.draw();
      client.onview();
    } else if (client.state.run.ready && client.state.w) {
      const place = this.at(event), handle = this.onW(place, false), row = handle ? null : this.near(event);
      this.plot.element.classList.toggle("on-knob", handle);
      client.hover(row);
      client.point(handle || row !== null || event.pointerType === "touch" ? null : { w: plane.at(...place), b: client.state.w.b });
    }
  }

  up() {
    const { drag } = this;
    this.drag = null;
    if (drag && drag.hold) this.client.look(); // what takes longer to know, now that w rests
  }

  wheel(event) {
    const { w } = this.client.state;
    event.preventDefault();
    if (!w) return;
    const { plane } = this.plot;
    plane.zoom(...this.at(event), Math.exp(event.deltaY * 0.001), 0.02 * w.extent, 6 * w.extent);
    [this.zoom, this.centre] = [plane.half / w.extent, plane.centre];
    this.draw();
    this.client.onview();
  }

  key(event) {
    const { w, run, scene } = this.client.state;
    if (!run.ready || !w || this.client.fixed || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = w.extent * (event.shiftKey ? 0.1 : 0.02), steps = { ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0] };
    if (scene.bias !== "none") Object.assign(steps, { PageUp: [0, 0, 1], PageDown: [0, 0, -1] });
    if (steps[event.key]) {
      const [u, v, b] = this.next || w.now;
      this.next = [u + steps[event.key][0] * step, v + steps[event.key][1] * step, b + steps[event.key][2] * step].map(rounded);
      if (!event.repeat || !this.keyGrab) this.keyGrab = this.client.grab();
      this.client.hold(this.next.slice(0, 2), this.next[2], this.keyGrab, event.timeStamp);
      clearTimeout(this.rest);
      this.rest = setTimeout(() => { this.next = null; this.client.look(); }, 400);
    } else if (event.key === "Escape" && run.by_hand) {
      this.client.act("release");
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  saved() {
    return this.zoom === 1 && this.centre.every((value) => value === 0) ? null : [this.zoom, ...this.centre].map((value) => Number(value.toPrecision(5)));
  }

  restore(kept) {
    const good = numbers(kept, 3) && kept[0] >= 0.02 && kept[0] <= 6;
    [this.zoom, this.centre] = good ? [kept[0], kept.slice(1)] : [1, [0, 0]];
  }

  draw() {
    const { w, run, scene } = this.client.state;
    if (run.ready && w === undefined) return; // the answer with this view is on its way
    this.empty.hidden = Boolean(run.ready && w);
    for (const svg of this.plot.drawings) svg.classList.toggle("blank", !this.empty.hidden);
    if (!run.ready || !w) {
      write(this.empty, "Put down points of both classes: each becomes a line here.");
      this.plot.axes();
      this.legend.draw([]);
      write(this.readout.words, "");
      return;
    }
    const { plane } = this.plot;
    plane.look(this.centre, w.extent * this.zoom);
    this.plot.axes();
    const at = ([a, b]) => `${plane.x(a).toFixed(2)},${plane.y(b).toFixed(2)}`;
    children(this.wedge, w.wedge.length > 2 ? [w.wedge] : [], () => s("polygon"),
      (polygon, corners) => set(polygon, { points: corners.map(at).join(" ") }));
    this.drawRows(scene.points, w);
    this.drawPath(w, at);
    this.light();
    this.legend.draw(["row", ...(w.kind === "room" ? ["wedge"] : []), this.client.fixed ? "still-w" : "w", ...(w.level ? ["length"] : [])]);
    write(this.readout.words, `w = (${show(w.now[0])}, ${show(w.now[1])}), b = ${show(w.now[2])} · ${w.says}`);
  }

  // All points of a class are one path: a hundred lines cost the browser little more than one.
  drawRows(points, w) {
    const { plane } = this.plot, reach = Math.max(10, plane.height / 50);
    const lines = ["", ""], normals = ["", ""];
    this.ends = points.map(([x1, x2, y]) => {
      const right = y * w.level - w.b, ends = plane.line([x1, x2], right), kind = y > 0 ? 0 : 1;
      if (!ends) return null;
      lines[kind] += segment(ends);
      const size = Math.hypot(x1, x2), foot = tickPlace(plane, ends);
      normals[kind] += segment([foot, [foot[0] + (reach * y * x1) / size, foot[1] - (reach * y * x2) / size]]);
      return ends;
    });
    this.kinds.forEach(([thin, normal], kind) => {
      set(thin, { d: lines[kind] });
      set(normal, { d: normals[kind] });
    });
  }

  // The row whose line is under the pointer; the nearest where several are.
  near(event) {
    const [px, py] = this.at(event);
    let best = null, least = NEAR;
    this.ends.forEach((ends, row) => {
      if (!ends) return;
      const [[ax, ay], [bx, by]] = ends;
      const distance = Math.abs((bx - ax) * (py - ay) - (by - ay) * (px - ax)) / Math.hypot(bx - ax, by - ay);
      if (distance < least) [best, least] = [row, distance];
    });
    return best;
  }

  drawPath(w, at) {
    const { plane } = this.plot, { path, now } = w;
    const radius = Math.hypot(now[0], now[1]) * plane.unit;
    children(this.circle, w.level && radius > 1 ? [radius] : [], () => s("circle"),
      (circle, r) => set(circle, { cx: plane.x(0), cy: plane.y(0), r }));
    const dots = path.length <= 60 ? path.slice(0, w.by_hand ? undefined : -1) : [];
    children(this.path, [path, ...dots, now],
      (index) => s(index === 0 ? "polyline" : "circle"),
      (element, item, index) => {
        const last = index === dots.length + 1;
        if (index === 0) set(element, { class: "way", points: item.map(at).join(" ") });
        else set(element, { class: last ? (w.by_hand ? "now by-hand" : "now") : "was", cx: plane.x(item[0]), cy: plane.y(item[1]), r: last ? "0.55em" : "0.18em" });
      });
  }

  // The row that is pointed at, here or elsewhere, with the side where it wants w, and the row that this step uses.
  light() {
    const { hovered, state } = this.client, { plane } = this.plot, { points } = state.scene;
    const lit = hovered !== null && this.ends[hovered] && state.w ? [this.ends[hovered]] : [];
    children(this.side, lit, () => s("polygon"), (polygon, ends) => {
      const [x1, x2, y] = points[hovered], far = 2 * (plane.width + plane.height), size = Math.hypot(x1, x2);
      const push = [(far * y * x1) / size, (-far * y * x2) / size], [p, q] = ends;
      const corners = [p, q, [q[0] + push[0], q[1] + push[1]], [p[0] + push[0], p[1] + push[1]]];
      set(polygon, { class: y > 0 ? "plus" : "minus", "data-row": hovered, points: corners.map((each) => each.map((value) => value.toFixed(1)).join(",")).join(" ") });
    });
    const rows = [[state.run.by_hand ? null : state.run.row, "used"], [hovered, "lit"]].filter(([row]) => row !== null && row !== undefined && this.ends[row]);
    children(this.marked, rows, () => s("line"), (line, [row, name]) => {
      const [[x1, y1], [x2, y2]] = this.ends[row];
      set(line, { class: `row ${name} ${points[row][2] > 0 ? "plus" : "minus"}`, "data-row": row, x1, y1, x2, y2 });
    });
    const moving = state.panel && state.panel.pending; // letters take the browser longer than all the lines
    const named = moving ? [] : [...new Set([...(state.run.named || []), hovered])].filter((row) => row !== null && this.ends[row] && plane.clip(this.ends[row], 26));
    children(this.labels, state.w ? named : [], () => s("text"), (text, row) => {
      const [, [x, y]] = plane.clip(this.ends[row], 26);
      set(text, { x: x.toFixed(1), y: (y + 4).toFixed(1), "text-anchor": x > plane.width / 2 ? "end" : "start" });
      write(text, String(row + 1));
    });
  }
}

// Where a line crosses a ring around the middle of the picture; where it does not, its foot: so ticks stand apart, even
// where all lines go through one place.
function tickPlace(plane, [[ax, ay], [bx, by]]) {
  const [cx, cy] = [plane.width / 2, plane.height / 2], radius = (RING * Math.min(plane.width, plane.height)) / 2;
  const [dx, dy] = [bx - ax, by - ay], length = Math.hypot(dx, dy), along = ((cx - ax) * dx + (cy - ay) * dy) / length;
  const off = ((cx - ax) * dy - (cy - ay) * dx) / length, inside = radius * radius - off * off;
  const t = (along + (inside > 0 ? Math.sqrt(inside) : 0)) / length;
  return [ax + t * dx, ay + t * dy];
}

const segment = ([[ax, ay], [bx, by]]) => `M${ax.toFixed(1)} ${ay.toFixed(1)}L${bx.toFixed(1)} ${by.toFixed(1)}`;
const rounded = (value) => Number(value.toPrecision(6));
