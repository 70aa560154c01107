// (w₁, w₂, b) in three dimensions: the polyhedron of all rows' constraints, its cross-section, w and its path.

import { colours, h, makeReadout, show, write } from "../draw/dom.js";
import { Camera } from "../draw/camera.js";
import { numbers } from "../talk/link.js";

const HANDLE = 14, TOUCH = 26; // pixels within which w is meant

export class Solid {
  constructor(client) {
    this.client = client;
    this.camera = new Camera(`The polyhedron of the rows' constraints in (w1, w2, b); drag or use the arrow keys to turn it${client.fixed ? "" : ", drag w to move it, drag with Shift or use the page keys to move the cross-section"}`,
      () => this.draw());
    this.usual = this.camera.saved();
    this.camera.onview = () => client.onview();
    this.camera.handle = { near: (px, py, touch) => this.onW(px, py, touch), drag: (px, py, event) => this.drag(px, py, event), up: () => this.drop() };
    this.empty = h("p", { class: "empty", hidden: true });
    this.camera.element.append(this.empty);
    this.readout = makeReadout();
    this.element = h("div", { class: "tab-body" }, this.camera.element, this.readout.element);
    this.name = "solid";
    this.cuts = true;
    client.onhover(() => this.draw());
    this.camera.onslide = (share) => {
      const { solid, scene } = client.state;
      if (solid && scene.bias !== "none" && !client.fixed) this.oncut(solid.b + share * solid.box[2]);
    };
    this.oncut = () => {};
  }

  get dragging() { return Boolean(this.camera.holding); }

  saved() { return this.camera.saved().every((value, k) => value === this.usual[k]) ? null : this.camera.saved(); }

  restore(kept) { this.camera.restore(numbers(kept, 3) ? kept : this.usual); }

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
    const paper = camera.paper(), tint = colours(camera.element);
    this.empty.hidden = Boolean(run.ready && solid);
    if (!run.ready || !solid) {
      write(this.empty, run.ready ? "With a kernel there is no such space to draw."
        : "Put down points of both classes: each becomes a plane here.");
      write(this.readout.words, "");
      return;
    }
    const scaled = (u) => u.map((value, k) => value / solid.box[k]);
    camera.axes(paper, tint);
    this.drawFaces(paper, solid, scene, tint, scaled);
    this.drawSection(paper, solid, tint, scaled);
    this.drawPath(paper, solid, tint, scaled);
    camera.scale(paper, solid.box, tint);
    camera.names(paper, ["w₁", "w₂", "b"], tint);
    write(this.readout.words, `${solid.says} · cross-section at b = ${show(solid.b, 3)}`);
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
      camera.polygon(paper, corners);
      paper.fillStyle = wall ? tint.faint : scene.points[row][2] > 0 ? tint.plus : tint.minus;
      paper.globalAlpha = wall ? 0.1 : lit ? 0.75 : 0.34;
      paper.fill();
      paper.globalAlpha = wall ? 0.35 : 0.95;
      paper.strokeStyle = wall ? tint.line : paper.fillStyle;
      paper.lineWidth = lit ? 3.5 : wall ? 1 : 1.6;
      paper.stroke();
    }
    paper.globalAlpha = 1;
  }

  drawSection(paper, solid, tint, scaled) {
    const { camera } = this, [e1, e2] = solid.box, b = solid.b;
    const square = [[-e1, -e2, b], [e1, -e2, b], [e1, e2, b], [-e1, e2, b]].map(scaled);
    camera.polygon(paper, square);
    paper.fillStyle = tint.ink;
    paper.globalAlpha = 0.05;
    paper.fill();
    paper.globalAlpha = 0.5;
    paper.strokeStyle = tint.soft;
    paper.lineWidth = 1;
    paper.stroke();
    if (solid.wedge.length > 2) {
      camera.polygon(paper, solid.wedge.map(([u, v]) => scaled([u, v, b])));
      paper.globalAlpha = 0.5;
      paper.fillStyle = tint.feasible;
      paper.fill();
      paper.globalAlpha = 1;
      paper.strokeStyle = tint.feasible;
      paper.lineWidth = 2;
      paper.stroke();
    }
    paper.globalAlpha = 1;
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
    camera.dot(paper, scaled(last), 8);
    if (!solid.by_hand) return;
    paper.fillStyle = tint.plot;
    camera.dot(paper, scaled(last), 4);
  }
}
