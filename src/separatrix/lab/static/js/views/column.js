// The fictitious dimension: points lifted to the height of the column, and the plane through the origin that cuts it there.

import { colours, h, show, write } from "../draw/dom.js";
import { Camera } from "../draw/camera.js";
import { numbers } from "../talk/link.js";
import { Words } from "./words.js";

export class Column {
  constructor(client) {
    this.client = client;
    this.name = "column";
    this.camera = new Camera("The points lifted to the height of the column, and a plane through the origin; drag or use the arrow keys to turn it", () => this.draw());
    this.camera.turn = -0.5;
    this.camera.tilt = 0.32;
    this.camera.near = 1.18;
    this.usual = this.camera.saved();
    this.camera.onview = () => client.onview();
    this.empty = h("p", { class: "empty", hidden: true });
    this.camera.element.append(this.empty);
    this.words = new Words("What the picture shows");
    this.element = h("div", { class: "tab-body column" }, this.camera.element, this.words.element);
    client.onhover(() => this.draw());
  }

  saved() { return this.camera.saved().every((value, k) => value === this.usual[k]) ? null : this.camera.saved(); }

  restore(kept) { this.camera.restore(numbers(kept, 3) ? kept : this.usual); }

  draw() {
    const { camera } = this, { column, run, scene } = this.client.state;
    if (!camera.visible || (run.ready && column === undefined)) return; // the answer with this view is on its way
    const paper = camera.paper(), tint = colours(camera.element);
    this.empty.hidden = Boolean(run.ready && column);
    if (!this.empty.hidden) {
      write(this.empty, "Put down points of both classes: each is lifted to the height of the column.");
      this.words.draw([]);
      return;
    }
    // The middle between the origin and the points is the middle of the picture.
    const at = ([x, y, z]) => [x / column.extent, y / column.extent, (z - 0.5 * column.height) / column.extent];
    this.drawFrame(paper, column, tint, at);
    this.drawPlane(paper, column, tint, at);
    this.drawPoints(paper, column, scene.points, tint, at);
    this.drawVectors(paper, column, scene.points, tint, at);
    this.words.draw(column.says);
  }

  // Lines grow with the picture.
  get pen() { return Math.max(1, this.camera.width / 560); }

  // The ground, the height of the points as a glass table over it, and the axis between them.
  drawFrame(paper, { extent, height, name }, tint, at) {
    const { camera } = this, square = (z) => [[-extent, -extent, z], [extent, -extent, z], [extent, extent, z], [-extent, extent, z]].map(at);
    paper.lineWidth = 1.2 * this.pen;
    paper.strokeStyle = tint.line;
    for (const ends of [[[-extent, 0, 0], [extent, 0, 0]], [[0, -extent, 0], [0, extent, 0]]]) camera.line(paper, ends.map(at));
    camera.line(paper, [[0, 0, 0], [0, 0, 1.5 * height]].map(at));
    camera.polygon(paper, square(height), [tint.ink, 0.06], [tint.soft, 1, 1.2 * this.pen]);
    this.label(paper, [extent * 1.1, 0, 0], "x₁", tint, at);
    this.label(paper, [0, extent * 1.1, 0], "x₂", tint, at);
    this.label(paper, [-extent, -extent, height], name === "1" ? "height 1" : `height R = ${show(height, 3)}`, tint, at);
    this.label(paper, [0, 0, 0], "0", tint, at, 14);
  }

  label(paper, place, text, tint, at, down = 0, aside = 0) {
    const [x, y] = this.camera.see(at(place)), size = Math.max(12, this.camera.width / 50);
    paper.font = `600 ${size}px ${tint.font}`;
    const half = paper.measureText(text).width / 2 + 4, px = Math.min(Math.max(x + aside * size, half), this.camera.width - half);
    paper.textAlign = "center";
    paper.lineWidth = 4;
    paper.strokeStyle = tint.plot;
    paper.fillStyle = tint.ink;
    paper.strokeText(text, px, y + down + 4);
    paper.fillText(text, px, y + down + 4);
  }

  drawPlane(paper, { plane, cut }, tint, at) {
    const { camera } = this;
    if (plane.length > 2) camera.polygon(paper, plane.map(at), [tint.accent, 0.2], [tint.accent, 0.8, 1.2]);
    if (cut.length < 2) return;
    paper.strokeStyle = tint.ink;
    paper.lineWidth = 3.5 * this.pen;
    camera.line(paper, cut.map(at));
  }

  drawPoints(paper, { height, wrong, step }, points, tint, at) {
    const { camera } = this, missed = new Set(wrong), used = new Set(step ? step.rows : []), r = Math.max(4, camera.width / 130);
    points.forEach(([x1, x2, y], row) => {
      const [px, py] = camera.see(at([x1, x2, height])), lit = row === this.client.hovered;
      paper.fillStyle = y > 0 ? tint.plus : tint.minus;
      paper.beginPath();
      if (y > 0) paper.arc(px, py, r, 0, 7);
      else paper.rect(px - 0.9 * r, py - 0.9 * r, 1.8 * r, 1.8 * r);
      paper.fill();
      if (!missed.has(row) && !lit && !used.has(row)) return;
      paper.strokeStyle = lit ? tint.ink : used.has(row) ? tint.accent : tint.warn;
      paper.lineWidth = (used.has(row) ? 3 : 1.6) * this.pen;
      paper.beginPath();
      paper.arc(px, py, 1.8 * r, 0, 7);
      paper.stroke();
    });
  }

  // w̃, drawn to a length that fits; before it and y x̃ that was added, where this step did.
  drawVectors(paper, { w, step, scale, height }, points, tint, at) {
    const { camera } = this, longer = (u) => u.map((value) => value * scale), origin = [0, 0, 0];
    if (step) {
      paper.globalAlpha = 0.55;
      this.arrow(paper, origin, longer(step.from), tint.ink, at, true);
      paper.globalAlpha = 1;
      this.arrow(paper, longer(step.from), longer(w), tint.feasible, at);
      this.nameStep(paper, longer(step.from), longer(w), step.added, tint, at);
    }
    if (w.some((value) => value !== 0)) {
      this.arrow(paper, origin, longer(w), tint.accent, at);
      this.label(paper, longer(w).map((value) => 1.12 * value), "w̃", tint, at);
    }
    if (!step || step.rows.length !== 1) return;
    const [x1, x2] = points[step.rows[0]];
    paper.strokeStyle = tint.feasible;
    paper.lineWidth = 1.4 * this.pen;
    paper.setLineDash([4, 4].map((each) => each * this.pen));
    camera.line(paper, [origin, [x1, x2, height]].map(at));
    paper.setLineDash([]);
  }

  // Beside the middle of the arrow, away from the origin; not where it would cover another name.
  nameStep(paper, from, to, text, tint, at) {
    const middle = from.map((value, k) => (value + to[k]) / 2), size = Math.max(12, this.camera.width / 50);
    const [[x, y], [ox, oy], [tx, ty]] = [middle, [0, 0, 0], to.map((value) => 1.12 * value)].map((place) => this.camera.see(at(place)));
    const away = Math.hypot(x - ox, y - oy) || 1, [u, v] = [(1.8 * (x - ox)) / away, (1.8 * size * (y - oy)) / away];
    if (Math.hypot(x + u * size - tx, y + v - ty) > 3 * size) this.label(paper, middle, text, tint, at, v, u);
  }

  arrow(paper, from, to, colour, at, dashed = false) {
    const { camera } = this, [ax, ay] = camera.see(at(from)), [bx, by] = camera.see(at(to)), long = Math.hypot(bx - ax, by - ay);
    paper.strokeStyle = paper.fillStyle = colour;
    paper.lineWidth = 2.6 * this.pen;
    if (dashed) paper.setLineDash([5, 4].map((each) => each * this.pen));
    camera.line(paper, [from, to].map(at));
    paper.setLineDash([]);
    if (long < 6) return;
    const [u, v] = [(bx - ax) / long, (by - ay) / long], size = Math.min(12 * this.pen, 0.6 * long);
    paper.beginPath();
    paper.moveTo(bx, by);
    paper.lineTo(bx - size * u + 0.45 * size * v, by - size * v - 0.45 * size * u);
    paper.lineTo(bx - size * u - 0.45 * size * v, by - size * v + 0.45 * size * u);
    paper.fill();
  }
}
