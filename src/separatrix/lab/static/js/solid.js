// (w₁, w₂, b) in three dimensions: the polyhedron of all rows' constraints, its cross-section, w and its path.

import { colours, h, makeReadout, show, write } from "./dom.js";
import { Camera } from "./camera.js";

export class Solid {
  constructor(client) {
    this.client = client;
    this.camera = new Camera("The polyhedron of the rows' constraints in (w1, w2, b); drag or use the arrow keys to turn it, drag with Shift or use the page keys to move the cross-section",
      () => this.draw());
    this.empty = h("p", { class: "empty", hidden: true });
    this.camera.element.append(this.empty);
    this.readout = makeReadout();
    this.element = h("div", { class: "tab-body" }, this.camera.element, this.readout.element);
    this.name = "solid";
    client.onhover(() => this.draw());
    this.camera.onslide = (share) => {
      const { solid } = client.state;
      if (solid) this.oncut(solid.b + share * solid.box[2]);
    };
    this.oncut = () => {};
  }

  draw() {
    const { camera } = this;
    if (!camera.visible) return;
    const { solid, run, scene } = this.client.state;
    const paper = camera.paper(), tint = colours(camera.element);
    this.empty.hidden = Boolean(run.ready && solid);
    if (!run.ready || !solid) {
      write(this.empty, run.ready ? "With a kernel there is no such space to draw."
        : "Put points of both classes down: each becomes a plane here.");
      write(this.readout.words, "");
      return;
    }
    const scaled = (u) => u.map((value, k) => value / solid.box[k]);
    camera.axes(paper, tint);
    this.drawFaces(paper, solid, scene, tint, scaled);
    this.drawSection(paper, solid, tint, scaled);
    this.drawPath(paper, solid, tint, scaled);
    camera.names(paper, ["w₁", "w₂", "b"], tint);
    const rows = new Set(solid.faces.map((face) => face.row).filter((row) => row >= 0));
    write(this.readout.words, solid.faces.length === 0
      ? "No (w, b) satisfies every row: the polyhedron is empty."
      : `${rows.size} of ${scene.points.length} rows bound the polyhedron · cross-section at b = ${show(solid.b, 3)}`
        + (solid.level ? " · the optimum is its point nearest to the b-axis" : " · a cone: every multiple of w separates too"));
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
    const { camera } = this, last = solid.path[solid.path.length - 1];
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
    camera.dot(paper, scaled(last), 7);
  }
}
