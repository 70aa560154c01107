// Handles on the boundary: its middle moves it, its ends turn it. So w and b can be set where the line is.

import { children, s, set } from "../draw/dom.js";

const NEAR = 12, TOUCH = 24; // pixels within which a handle is meant
const ON_LINE = 6; // pixels within which the line itself is

export class Knobs {
  constructor(view) {
    this.view = view;
    this.layer = view.plot.layer("knobs");
    this.places = []; // [kind, pixel, ...] of what can be taken hold of
    this.held = null;
  }

  draw() {
    const { x, run } = this.view.client.state, { plane } = this.view.plot;
    const ends = !this.view.client.fixed && run.ready && x && x.w && x.norm > 0 ? plane.clip(plane.line(x.w, -x.b) || [[0, 0], [0, 0]], 14) : null;
    this.ends = ends;
    this.places = ends ? this.along(ends, this.view.client.state.scene.bias === "none") : [];
    children(this.layer, this.places, () => s("circle"), (circle, [kind, [cx, cy]]) => {
      set(circle, { class: `knob ${kind}`, cx: cx.toFixed(1), cy: cy.toFixed(1), r: kind === "move" ? "0.42em" : "0.34em" });
    });
  }

  // One to move it in the middle, one to turn it at either end; a line through the origin can only be turned.
  along([p, q], through) {
    const at = (t) => [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])];
    const turns = [["turn", at(0.1)], ["turn", at(0.9)]];
    return through ? turns : [["move", at(0.5)], ...turns];
  }

  // What a pointer that goes down here takes hold of; null where it is nothing.
  near(px, py, touch) {
    const reach = touch ? TOUCH : NEAR;
    const found = this.places.map(([kind, [x, y]]) => [Math.hypot(x - px, y - py), kind]).sort((a, b) => a[0] - b[0])[0];
    if (found && found[0] < reach) return found[1];
    if (!this.ends || touch || this.places.length < 3) return null;
    const [[ax, ay], [bx, by]] = this.ends;
    const off = Math.abs((bx - ax) * (py - ay) - (by - ay) * (px - ax)) / Math.hypot(bx - ax, by - ay);
    return off < ON_LINE ? "move" : null;
  }

  // The drag of a handle begins.
  take(kind) {
    const { x, scene } = this.view.client.state, { plane } = this.view.plot, [p, q] = this.ends;
    const pivot = scene.bias === "none" ? [0, 0] : plane.at((p[0] + q[0]) / 2, (p[1] + q[1]) / 2);
    this.held = { kind, w: x.w, size: x.norm, pivot };
  }

  // (w, b) of the line through a place: moved there, or turned towards it about the middle. The length of w stays.
  place([x1, x2]) {
    const { held } = this;
    if (held.kind === "move") return [held.w, -(held.w[0] * x1 + held.w[1] * x2)];
    const [d1, d2] = [x1 - held.pivot[0], x2 - held.pivot[1]], length = Math.hypot(d1, d2);
    if (!(length > 0)) return null;
    const across = [(-d2 / length) * held.size, (d1 / length) * held.size];
    const sign = across[0] * held.w[0] + across[1] * held.w[1] < 0 ? -1 : 1; // w does not jump to the other side
    held.w = across.map((value) => sign * value);
    return [held.w, -(held.w[0] * held.pivot[0] + held.w[1] * held.pivot[1])];
  }
}
