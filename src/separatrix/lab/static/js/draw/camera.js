// A canvas to look at something solid: turned by dragging or with the arrow keys, seen without perspective.

import { h, pixelRatio, show } from "./dom.js";
import { ticks } from "./scale.js";

export class Camera {
  constructor(label, draw) {
    this.turn = -0.65;
    this.tilt = 0.5;
    this.near = 1;
    this.draw = draw;
    this.onslide = null; // told by how much of the cube a drag with Shift, or a page key, goes up
    this.handle = null; // { near(px, py, touch), drag(px, py, event), up() }: something in it that can be moved by itself
    this.onview = () => {};
    this.canvas = h("canvas", { class: "solid", tabindex: "0", role: "img", "aria-label": label });
    this.element = h("div", { class: "plot" }, this.canvas);
    this.canvas.addEventListener("pointerdown", (event) => this.down(event));
    this.canvas.addEventListener("pointermove", (event) => {
      if (this.holding) {
        this.handle.drag(...this.at(event), event);
        return;
      }
      if (this.handle) this.canvas.classList.toggle("on-knob", this.handle.near(...this.at(event), false));
      if (!this.from) return;
      if (event.shiftKey && this.onslide) {
        this.onslide(-event.movementY / (0.31 * Math.min(this.width, this.height)));
        return;
      }
      this.turn = this.from[2] + (event.clientX - this.from[0]) * 0.01;
      if (event.pointerType !== "touch") this.tilt = clamp(this.from[3] + (event.clientY - this.from[1]) * 0.01, -1.5, 1.5);
      this.draw();
      this.onview();
    });
    for (const name of ["pointerup", "pointercancel"]) this.canvas.addEventListener(name, () => this.up());
    for (const name of ["touchstart", "touchmove"]) {
      this.canvas.addEventListener(name, (event) => { if (this.holding) event.preventDefault(); }, { passive: false });
    }
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.near = clamp(this.near * Math.exp(-event.deltaY * 0.001), 0.4, 4);
      this.draw();
      this.onview();
    }, { passive: false });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.element.measure = () => this.measure(); // for a picture that is saved
    new ResizeObserver(() => this.measure()).observe(this.element);
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  down(event) {
    this.from = [event.clientX, event.clientY, this.turn, this.tilt];
    this.holding = this.handle !== null && this.handle.near(...this.at(event), event.pointerType === "touch");
    this.canvas.setPointerCapture(event.pointerId);
  }

  up() {
    if (this.holding) this.handle.up();
    this.from = null;
    this.holding = false;
  }

  // What of the view is kept in a link.
  saved() { return [this.turn, this.tilt, this.near].map((value) => Number(value.toFixed(3))); }

  restore([turn, tilt, near]) { [this.turn, this.tilt, this.near] = [turn, clamp(tilt, -1.5, 1.5), clamp(near, 0.4, 4)]; }

  // The place of the level t under a pixel; null where that level is seen from its side.
  unsee(px, py, t) {
    const [ct, st, cl, sl] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.tilt), Math.sin(this.tilt)];
    if (Math.abs(sl) < 0.12) return null;
    const unit = this.unit, right = (px - this.width / 2) / unit, away = ((this.height / 2 - py) / unit - t * cl) / sl;
    return [right * ct + away * st, away * ct - right * st];
  }

  get unit() { return 0.31 * Math.min(this.width, this.height * 1.15) * this.near; }

  key(event) {
    const slides = { PageUp: 0.05, PageDown: -0.05 };
    if (slides[event.key] && this.onslide) {
      event.preventDefault();
      this.onslide(slides[event.key]);
      return;
    }
    const turns = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, 0.12], ArrowDown: [0, -0.12] };
    if (!turns[event.key] || event.ctrlKey || event.metaKey) return;
    this.turn += turns[event.key][0];
    this.tilt = clamp(this.tilt + turns[event.key][1], -1.5, 1.5);
    event.preventDefault();
    event.stopPropagation();
    this.draw();
    this.onview();
  }

  measure() {
    const { width, height } = this.element.getBoundingClientRect();
    if (width < 10 || height < 10) return;
    const ratio = pixelRatio();
    [this.width, this.height] = [width, height];
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.draw();
  }

  paper() {
    const paper = this.canvas.getContext("2d"), ratio = pixelRatio();
    paper.setTransform(ratio, 0, 0, ratio, 0, 0);
    paper.clearRect(0, 0, this.width, this.height);
    paper.lineJoin = "round";
    return paper;
  }

  get visible() { return this.width > 10 && this.canvas.isConnected && this.canvas.offsetParent !== null; }

  // A place of the cube [-1, 1]^3 in pixels, and how near it is.
  see([u, v, t]) {
    const [ct, st, cl, sl] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.tilt), Math.sin(this.tilt)];
    const right = u * ct - v * st, away = u * st + v * ct;
    const up = t * cl - away * -sl, depth = away * cl - t * sl;
    const { unit } = this;
    return [this.width / 2 + right * unit, this.height / 2 - up * unit, -depth];
  }

  // The direction of the cube that comes straight towards who looks.
  get toward() {
    const [ct, st, cl, sl] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.tilt), Math.sin(this.tilt)];
    return [-st * cl, -ct * cl, sl];
  }

  trace(paper, corners) {
    paper.beginPath();
    corners.forEach((corner, k) => {
      const [x, y] = this.see(corner);
      if (k === 0) paper.moveTo(x, y);
      else paper.lineTo(x, y);
    });
  }

  // A filled polygon with its outline: colour and opacity of each, and the width of the line.
  polygon(paper, corners, [fill, fillAlpha], [stroke, strokeAlpha, width]) {
    this.trace(paper, corners);
    paper.closePath();
    Object.assign(paper, { fillStyle: fill, globalAlpha: fillAlpha });
    paper.fill();
    Object.assign(paper, { strokeStyle: stroke, globalAlpha: strokeAlpha, lineWidth: width });
    paper.stroke();
    paper.globalAlpha = 1;
  }

  line(paper, corners) {
    this.trace(paper, corners);
    paper.stroke();
  }

  dot(paper, corner, radius) {
    const [x, y] = this.see(corner);
    paper.beginPath();
    paper.arc(x, y, radius, 0, 7);
    paper.fill();
  }

  // The frame: three axes through the middle, named at their ends.
  // Lines first, then what stands in the space, then the names: a name is read even where something is in front of it.
  axes(paper, tint) {
    paper.strokeStyle = tint.line;
    paper.lineWidth = 1.5;
    for (let k = 0; k < 3; k++) this.line(paper, [along(k, -1.05), along(k, 1.18)]);
  }

  // Numbers along the axes: `box` is the value at the end of each, whose other end is its negative.
  scale(paper, box, tint) {
    const size = Math.max(11, this.width / 62);
    paper.font = `${size}px ${tint.font}`;
    paper.textAlign = "center";
    paper.lineJoin = "round";
    box.forEach((most, k) => {
      for (const value of ticks(-most, most, 4)) {
        if (value === 0 || Math.abs(value) > 1.02 * most) continue;
        const [x, y] = this.see(along(k, value / most));
        paper.fillStyle = tint.soft;
        paper.fillRect(x - 1.5, y - 1.5, 3, 3);
        paper.lineWidth = 3;
        paper.strokeStyle = tint.plot;
        const text = show(value, 3), below = k === 2 ? [size * (0.9 + 0.25 * text.length), size * 0.35] : [0, size * 1.25];
        paper.strokeText(text, x + below[0], y + below[1]);
        paper.fillText(text, x + below[0], y + below[1]);
      }
    });
  }

  names(paper, names, tint) {
    paper.font = `600 ${Math.max(13, this.width / 48)}px ${tint.font}`;
    paper.textAlign = "center";
    paper.lineJoin = "round";
    paper.lineWidth = 4;
    paper.strokeStyle = tint.plot;
    paper.fillStyle = tint.soft;
    names.forEach((name, k) => {
      const [x, y] = this.see(along(k, 1.3));
      paper.strokeText(name, x, y + 4);
      paper.fillText(name, x, y + 4);
    });
  }
}

const along = (axis, place) => [0, 1, 2].map((k) => (k === axis ? place : 0));
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
