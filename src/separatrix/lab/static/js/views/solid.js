// (w₁, w₂, b) in three dimensions: the polyhedron of all rows' constraints, w and its path; a section of it beside it.

import { colours, h, makeReadout, write } from "../draw/dom.js";
import { Camera } from "../draw/camera.js";
import { numbers } from "../talk/link.js";
import { Section } from "./section.js";
import { makeChoice, makeWide } from "./slabplot.js";

const NAMES = ["w₁", "w₂", "b"], NUMBERED = 12; // faces that all show the number of their point
const HANDLE = 14, TOUCH = 26; // pixels within which w is meant

export class Solid {
  constructor(client) {
    this.client = client;
    this.camera = new Camera(`The polyhedron of the rows' constraints in (w1, w2, b); drag or use the arrow keys to turn it${client.fixed ? "" : ", drag w to move it, drag with Shift or use the page keys to move the cross-section"}`,
      () => this.draw());
    this.camera.near = 1.08;
    this.usual = this.camera.saved();
    this.camera.onview = () => client.onview();
    this.camera.handle = { near: (px, py, touch) => this.onW(px, py, touch), drag: (px, py, event) => this.drag(px, py, event), up: () => this.drop() };
    this.empty = h("p", { class: "empty", hidden: true });
    this.camera.element.append(this.empty);
    this.section = new Section(client, () => this.draw());
    this.axis = 2; // across which the section is
    this.at = [null, null]; // where it is, of w₁ and w₂; null: at the w of the run
    this.axes = makeChoice("Cut across", NAMES.map((name, axis) => [axis, name, `cut across ${name}`]), (axis) => this.turnTo(axis));
    this.readout = makeReadout();
    this.axesName = h("span", { class: "note", text: "cut across" });
    this.axesName.hidden = this.axes.element.hidden = true; // until the first drawing knows whether there is a bias
    this.controls = h("div", { class: "row-of" }, this.axesName, this.axes.element);
    this.element = h("div", { class: "tab-body solid-tab" }, h("div", { class: "pair" }, this.camera.element, this.section.element), this.controls, this.readout.element);
    this.wide = makeWide(client, this.element);
    this.controls.append(this.wide.button);
    this.name = "solid";
    this.cuts = true;
    client.onhover(() => this.draw());
    this.camera.onslide = (share) => {
      const { solid, scene } = client.state;
      if (solid && scene.bias !== "none" && !client.fixed) this.oncut(solid.cut.at + share * solid.box[solid.cut.axis]);
    };
    this.oncut = () => {};
  }

  get dot() { return Math.max(8, this.camera.width / 80); }

  get dragging() { return Boolean(this.camera.holding); }

  turnTo(axis) {
    this.axis = axis;
    this.client.look();
    this.client.onview();
  }

  // A cut across w₁ or w₂ is kept here; across b it is that of all pictures of w-space.
  cutAt(value) {
    if (this.axis === 2) return false;
    this.at[this.axis] = value;
    return true;
  }

  get following() { return this.axis < 2 && this.at[this.axis] === null; }

  options() { return { axis: this.axis, at: this.axis < 2 ? this.at[this.axis] : null }; }

  saved() {
    const turned = this.camera.saved().some((value, k) => value !== this.usual[k]);
    const kept = { ...(turned && { camera: this.camera.saved() }), ...(this.axis < 2 && { axis: this.axis, at: this.at[this.axis] }), ...(this.wide.on && { wide: true }) };
    return Object.keys(kept).length ? kept : null;
  }

  restore(kept) {
    const { camera, axis, at, wide } = kept && typeof kept === "object" ? (Array.isArray(kept) ? { camera: kept } : kept) : {};
    this.camera.restore(numbers(camera, 3) ? camera : this.usual);
    this.axis = axis === 0 || axis === 1 ? axis : 2;
    this.at = [0, 1].map((k) => (k === this.axis && numbers([at], 1) ? at : null));
    this.wide.turn(wide === true);
  }

  onW(px, py, touch) {
    const { solid, run } = this.client.state;
    if (!run.ready || !solid || !this.camera.visible || this.client.fixed) return false;
    const [x, y] = this.camera.see(solid.now.map((value, k) => value / solid.box[k]));
    const near = Math.hypot(x - px, y - py) < (touch ? TOUCH : HANDLE);
    if (near && !this.camera.holding) this.held = { now: solid.now, box: solid.box, from: [px, py], grab: null };
    return near;
  }

  // w goes with the pointer at the height of its b; with Shift, or seen from the side, b goes up and down.
  drag(px, py, event) {
    const { held, client, camera } = this, { now, box } = held;
    held.grab = held.grab || client.grab();
    const place = event.shiftKey ? null : camera.unsee(px, py, now[2] / box[2]);
    const limit = (value, k) => Number((Math.min(1, Math.max(-1, value)) * box[k]).toPrecision(6));
    if (place) {
      client.hold([limit(place[0], 0), limit(place[1], 1)], now[2], held.grab, event.timeStamp);
    } else if (client.state.scene.bias !== "none") {
      const up = (held.from[1] - py) / (camera.unit * Math.max(0.2, Math.cos(camera.tilt)));
      client.hold(now.slice(0, 2), limit(now[2] / box[2] + up, 2), held.grab, event.timeStamp);
    }
  }

  drop() { this.client.look(); }

  draw() {
    const { camera } = this;
    if (!camera.visible) return;
    const { solid, run, scene } = this.client.state;
    if (run.ready && solid === undefined) return; // the answer with this view is on its way
    this.axesName.hidden = this.axes.element.hidden = scene.bias === "none";
    this.axes.turn(this.axis);
    this.section.draw(run.ready && solid ? solid : null, scene.points);
    const paper = camera.paper(), tint = colours(camera.element);
    this.empty.hidden = Boolean(run.ready && solid);
    if (!run.ready || !solid) {
      write(this.empty, "Put down points of both classes: each becomes a plane here.");
      write(this.readout.words, "");
      return;
    }
    const scaled = (u) => u.map((value, k) => value / solid.box[k]);
    camera.axes(paper, tint);
    this.drawFaces(paper, solid, scene, tint, scaled);
    this.drawSection(paper, solid, tint, scaled);
    this.drawPath(paper, solid, tint, scaled);
    camera.scale(paper, solid.box, tint);
    camera.names(paper, NAMES, tint);
    this.drawNumbers(paper, solid, tint, scaled);
    write(this.readout.words, `${solid.says} ${solid.section_says}`);
  }

  drawFaces(paper, solid, scene, tint, scaled) {
    const { camera } = this;
    const faces = solid.faces.map((face) => {
      const corners = face.corners.map(scaled);
      const depth = corners.reduce((sum, corner) => sum + camera.see(corner)[2], 0) / corners.length;
      return { row: face.row, corners, depth };
    }).sort((a, b) => a.depth - b.depth);
    for (const { row, corners } of faces) {
      const wall = row < 0, lit = row >= 0 && row === this.client.hovered;
      if (wall) {
        camera.polygon(paper, corners, [tint.faint, 0.1], [tint.line, 0.35, 1]);
      } else {
        const colour = scene.points[row][2] > 0 ? tint.plus : tint.minus;
        camera.polygon(paper, corners, [colour, lit ? 0.75 : 0.34], [colour, 0.95, lit ? 3.5 : 1.6]);
      }
    }
  }

  drawSection(paper, solid, tint, scaled) {
    const { camera } = this, { axis, at, polygon } = solid.section, inside = solid.section.kind === "room";
    const others = [0, 1, 2].filter((k) => k !== axis), [e1, e2] = others.map((k) => solid.box[k]);
    const place = (u, v) => { const full = [at, at, at]; [full[others[0]], full[others[1]]] = [u, v]; return scaled(full); };
    camera.polygon(paper, [place(-e1, -e2), place(e1, -e2), place(e1, e2), place(-e1, e2)], [tint.ink, 0.05], [tint.soft, 0.5, 1]);
    const corners = inside ? within(polygon, e1, e2) : [];
    if (corners.length > 2) {
      camera.polygon(paper, corners.map(([u, v]) => place(u, v)), [tint.feasible, 0.5], [tint.feasible, 1, 2]);
    }
  }

  // The number of its point on every face, where that is readable.
  drawNumbers(paper, solid, tint, scaled) {
    const faces = solid.faces.filter(({ row }) => row >= 0), size = Math.max(12, this.camera.width / 40);
    if (faces.length > NUMBERED) return;
    paper.font = `700 ${size}px ${tint.font}`;
    paper.textAlign = "center";
    paper.lineWidth = 4;
    paper.strokeStyle = tint.plot;
    paper.fillStyle = tint.ink;
    for (const { row, corners } of faces) {
      const places = corners.map((corner) => this.camera.see(scaled(corner))), mean = (k) => places.reduce((sum, place) => sum + place[k], 0) / places.length;
      paper.strokeText(String(row + 1), mean(0), mean(1) + size / 3);
      paper.fillText(String(row + 1), mean(0), mean(1) + size / 3);
    }
  }

  drawPath(paper, solid, tint, scaled) {
    const { camera } = this, last = solid.now;
    if (solid.level) {
      // All w as long as this one, at its b: the level of the objective.
      const r = Math.hypot(last[0], last[1]);
      const ring = Array.from({ length: 49 }, (_, k) => scaled([r * Math.cos(k * Math.PI / 24), r * Math.sin(k * Math.PI / 24), last[2]]));
      paper.strokeStyle = tint.accent;
      paper.setLineDash([4, 4]);
      camera.line(paper, ring);
      paper.setLineDash([]);
    }
    paper.strokeStyle = tint.ink;
    paper.lineWidth = 2;
    camera.line(paper, solid.path.map(scaled));
    paper.fillStyle = tint.ink;
    if (solid.path.length <= 60) for (const place of solid.path) camera.dot(paper, scaled(place), 2.5);
    paper.fillStyle = tint.accent;
    camera.dot(paper, scaled(last), this.dot);
    if (solid.optimum) {
      paper.strokeStyle = tint.ink;
      const [x, y] = camera.see(scaled(solid.optimum));
      paper.beginPath();
      paper.arc(x, y, 1.5 * this.dot, 0, 7);
      paper.stroke();
    }
    if (!solid.by_hand) return;
    paper.fillStyle = tint.plot;
    camera.dot(paper, scaled(last), this.dot / 2);
  }
}

// The part of a convex polygon within |u| <= a, |v| <= b.
function within(corners, a, b) {
  let kept = corners;
  for (const [k, side, sign] of [[0, a, 1], [0, a, -1], [1, b, 1], [1, b, -1]]) {
    kept = kept.flatMap((p, n) => {
      const q = kept[(n + 1) % kept.length], [dp, dq] = [side - sign * p[k], side - sign * q[k]], t = dp / (dp - dq);
      const crossing = dp * dq < 0 ? [[p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]] : [];
      return dp >= 0 ? [p, ...crossing] : crossing;
    });
  }
  return kept;
}
