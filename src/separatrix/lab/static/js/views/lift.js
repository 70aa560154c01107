// The lift of (x·z)²: the points where the kernel puts them, the sheet they all lie on, and the plane that separates them.

import { colours, h, set, turn, write } from "../draw/dom.js";
import { Camera } from "../draw/camera.js";
import { Corner } from "../draw/corner.js";
import { numbers } from "../talk/link.js";

const NEAR = 14, TOUCH = 26; // pixels within which a point is meant

export class Lift {
  constructor(client) {
    this.client = client;
    this.name = "lift";
    this.pair = null; // two rows; null: the first of each class
    this.camera = new Camera("The lifted points and the plane that separates them; drag or use the arrow keys to turn it", () => this.draw());
    [this.camera.turn, this.camera.tilt] = [1.0, 0.3];
    this.usual = this.camera.saved();
    this.camera.onview = () => client.onview();
    this.empty = h("div", { class: "empty lift-empty", hidden: true }, this.why = h("p", {}),
      h("button", { class: "live", text: "set d = 2, c = 0", onclick: () => client.act("set", { settings: { degree: 2, coef0: 0, gamma: 1 } }) }));
    this.camera.element.append(this.empty);
    this.inputs = ["x", "z"].map((name, k) => h("input", { type: "number", min: 1, step: 1, "aria-label": `Number of the point ${name}`, onchange: () => this.typed(k) }));
    this.lines = [h("p", {}), h("p", {}), h("p", { class: "note" })];
    this.says = h("p", {});
    const keys = [["plane", "the plane"], ["cut", "its cut: the curve of x-space"], ["sheet", "x-space, lifted"]];
    const [x, z] = this.inputs;
    this.element = h("div", { class: "tab-body lift-body" }, this.camera.element,
      this.legend = h("div", { class: "legend lift-legend" }, keys.map(([name, text]) => h("span", { class: `key lift-${name}` }, h("i"), text))),
      this.chooser = h("div", { class: "row-of lift-pair live" }, h("label", {}, "x = point ", x), h("label", {}, "z = point ", z), h("span", { class: "note", text: "or click a point" })),
      h("div", { class: "readout words scroll lift-words", tabindex: "0", role: "group", "aria-label": "About the plane" }, h("div", { class: "lift-equation" }, this.lines), this.says));
    this.camera.canvas.addEventListener("pointermove", (event) => { if (!this.camera.from) client.hover(this.under(event)); });
    this.camera.canvas.addEventListener("pointerleave", () => client.hover(null));
    this.camera.canvas.addEventListener("pointerdown", (event) => { this.pressed = [event.clientX, event.clientY]; });
    this.camera.canvas.addEventListener("click", (event) => this.click(event));
    client.onhover(() => { if (this.camera.visible) this.draw(); });
  }

  options() {
    const count = this.client.state.scene.points.length;
    return { pair: this.pair && this.pair.every((row) => row < count) ? this.pair : null };
  }

  saved() {
    const camera = this.camera.saved(), moved = camera.some((value, k) => value !== this.usual[k]);
    return moved || this.pair ? { camera, pair: this.pair } : null;
  }

  restore(kept) {
    this.camera.restore(kept && numbers(kept.camera, 3) ? kept.camera : this.usual);
    const pair = kept && kept.pair;
    this.pair = numbers(pair, 2) && pair.every((row) => Number.isInteger(row) && row >= 0) ? pair : null;
  }

  choose(pair) {
    if (this.client.fixed) return;
    this.pair = pair;
    this.client.look();
    this.client.onview();
  }

  typed(k) {
    const row = Number(this.inputs[k].value) - 1, { lift, scene } = this.client.state;
    if (!lift || !lift.pair || !Number.isInteger(row) || row < 0 || row >= scene.points.length) return this.draw();
    return this.choose(lift.pair.rows.map((old, each) => (each === k ? row : old)));
  }

  // A click makes the point x; what was x is z.
  click(event) {
    const { lift } = this.client.state, row = this.under(event);
    const turned = Math.hypot(event.clientX - this.pressed[0], event.clientY - this.pressed[1]) > 4;
    if (this.client.fixed || turned || row === null || !lift || !lift.pair || row === lift.pair.rows[0]) return;
    this.choose([row, lift.pair.rows[0]]);
  }

  under(event) {
    const { lift } = this.client.state;
    if (!lift || !lift.lifted) return null;
    const [px, py] = this.camera.at(event), reach = event.pointerType === "touch" ? TOUCH : NEAR;
    const { at } = corner(lift);
    const away = lift.places.map((place) => { const [x, y] = this.camera.see(at(place)); return Math.hypot(x - px, y - py); });
    const nearest = Math.min(...away);
    return nearest < reach ? away.indexOf(nearest) : null;
  }

  draw() {
    const { camera } = this, { lift, run, scene } = this.client.state;
    if (run.ready && lift === undefined) return; // the answer with this view is on its way
    const there = Boolean(run.ready && lift && lift.lifted);
    this.empty.hidden = there;
    for (const part of [this.legend, this.chooser]) part.hidden = !there;
    this.empty.lastChild.hidden = !(run.ready && lift);
    if (!there) write(this.why, lift ? lift.says : "Put down points of both classes to see them lifted.");
    write(this.says, there ? lift.says : "");
    this.lines.forEach((line, k) => write(line, there ? lift.pair.lines[k] : ""));
    this.inputs.forEach((input, k) => {
      set(input, { max: scene.points.length });
      if (there && document.activeElement !== input) turn(input, String(lift.pair.rows[k] + 1));
    });
    if (!camera.visible) return;
    const paper = camera.paper(), tint = colours(camera.element);
    if (!there || lift.places.length !== scene.points.length) return;
    this.paint(paper, lift, scene, tint);
  }

  // From the back to the front: the sheet, points behind the plane, the plane with its cut, points before it.
  paint(paper, lift, scene, tint) {
    const { camera } = this, box = corner(lift), { at } = box;
    box.lines(camera, paper, tint);
    Object.assign(paper, { strokeStyle: tint.faint, lineWidth: Math.max(1, camera.width / 700), globalAlpha: 0.6 });
    for (const line of lift.sheet) camera.line(paper, line.map(at));
    paper.globalAlpha = 1;
    const ahead = lift.w.reduce((sum, value, k) => sum + value * camera.toward[k], 0);
    const front = (row) => lift.sides[row] * ahead > 0, rows = [...scene.points.keys()];
    for (const row of rows.filter((each) => !front(each))) this.point(paper, lift, scene, tint, row, at);
    if (lift.plane.length > 2) camera.polygon(paper, lift.plane.map(at), [tint.accent, 0.2], [tint.accent, 0.8, 1.5]);
    Object.assign(paper, { strokeStyle: tint.ink, lineWidth: Math.max(2.5, camera.width / 240) });
    for (const line of lift.cut) camera.line(paper, line.map(at));
    for (const row of rows.filter(front)) this.point(paper, lift, scene, tint, row, at);
    box.texts(camera, paper, lift.axes, tint);
    this.namePair(paper, lift, tint, at);
  }

  point(paper, lift, scene, tint, row, at) {
    const { camera } = this, place = at(lift.places[row]), size = Math.max(5, camera.width / 110), plus = scene.points[row][2] > 0;
    const [x, y] = camera.see(place), lit = row === this.client.hovered || row === this.client.other;
    Object.assign(paper, { fillStyle: plus ? tint.plus : tint.minus, strokeStyle: tint.plot, lineWidth: 1.5 });
    paper.beginPath();
    if (plus) paper.arc(x, y, size, 0, 7);
    else paper.rect(x - 0.9 * size, y - 0.9 * size, 1.8 * size, 1.8 * size);
    paper.fill();
    paper.stroke();
    if (!lit && !lift.pair.rows.includes(row)) return;
    Object.assign(paper, { strokeStyle: lit ? tint.accent : tint.ink, lineWidth: lit ? 3 : 2 });
    paper.beginPath();
    paper.arc(x, y, 1.7 * size, 0, 7);
    paper.stroke();
  }

  // φ(x) and φ(z) by name, and the ways to them from the origin: the kernel is their inner product.
  namePair(paper, lift, tint, at) {
    const { camera } = this, size = Math.max(13, camera.width / 48), [i, j] = lift.pair.rows;
    Object.assign(paper, { strokeStyle: tint.ink, lineWidth: 1.5 });
    paper.setLineDash([5, 4]);
    for (const row of new Set([i, j])) camera.line(paper, [at([0, 0, 0]), at(lift.places[row])]);
    paper.setLineDash([]);
    Object.assign(paper, { font: `italic 600 ${size}px ${tint.font}`, textAlign: "left", strokeStyle: tint.plot, fillStyle: tint.ink, lineWidth: 4 });
    const named = i === j ? [["φ(x) = φ(z)", i]] : [["φ(x)", i], ["φ(z)", j]];
    for (const [text, row] of named) {
      const [x, y] = camera.see(at(lift.places[row])), left = x > camera.width - 5 * size;
      paper.textAlign = left ? "right" : "left";
      paper.strokeText(text, x + (left ? -1 : 1) * size, y - 0.7 * size);
      paper.fillText(text, x + (left ? -1 : 1) * size, y - 0.7 * size);
    }
  }
}

function corner(lift) {
  const side = lift.size * Math.SQRT1_2;
  return new Corner([[0, lift.size], [-side, side], [0, lift.size]]);
}
