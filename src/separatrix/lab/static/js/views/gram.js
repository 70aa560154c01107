// The Gram matrix as a heat map: a cell for every two points, those of a class side by side.

import { colours, h, show, write } from "../draw/dom.js";
import { ticks } from "../draw/scale.js";

export class Gram {
  constructor(client) {
    this.client = client;
    this.name = "gram";
    this.cell = null; // [row, column] of the matrix, which the pointer or the keys have chosen
    this.canvas = h("canvas", { class: "solid heat", tabindex: "0", role: "application", "aria-label": "The Gram matrix, a cell for every two points: arrow keys move from cell to cell" });
    this.empty = h("p", { class: "empty", hidden: true });
    this.plot = h("div", { class: "plot" }, this.canvas, this.empty);
    this.said = h("p", { "aria-live": "polite" });
    this.says = h("p", {});
    this.element = h("div", { class: "tab-body" }, this.plot, h("div", { class: "readout words scroll gram-words", tabindex: "0", role: "group", "aria-label": "About the matrix" }, this.said, this.says));
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerdown", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => this.leave());
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("blur", () => this.leave());
    client.onhover(() => { if (this.canvas.offsetParent !== null) this.draw(); });
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  point(event) {
    const { gram } = this.client.state;
    if (!gram || !this.box) return;
    const box = this.canvas.getBoundingClientRect(), { left, top, side } = this.box, n = gram.order.length;
    const [column, row] = [(event.clientX - box.left - left) / side, (event.clientY - box.top - top) / side].map((share) => Math.floor(share * n));
    if (row < 0 || column < 0 || row >= n || column >= n) this.leave();
    else this.choose(row, column);
  }

  key(event) {
    const { gram } = this.client.state, move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!gram || !move || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const limit = (value) => Math.min(gram.order.length - 1, Math.max(0, value));
    if (this.cell) this.choose(limit(this.cell[0] + move[0]), limit(this.cell[1] + move[1]));
    else this.choose(0, 0);
  }

  choose(row, column) {
    if (this.cell && this.cell[0] === row && this.cell[1] === column) return;
    this.cell = [row, column];
    this.ask();
    const { order } = this.client.state.gram;
    this.client.hover(order[row], order[column]);
  }

  // K of the chosen cell, in words: the library says.
  ask() {
    const { gram } = this.client.state, rows = this.cell.map((each) => gram.order[each]);
    this.asked = this.keyOf(gram);
    if (this.client.fixed) return; // nobody to ask
    this.client.keep("pair", "pair", { rows }, null, ({ pair }) => {
      if (!pair || !this.cell) return;
      this.told = pair.says;
      write(this.said, pair.says);
    });
  }

  leave() {
    if (this.cell === null) return;
    this.cell = null;
    this.told = null;
    this.client.hover(null);
  }

  // What the words about a cell depend on: other points, or another kernel, and they are asked for again.
  keyOf(gram) { return gram.cells; }

  draw() {
    const { gram, run } = this.client.state;
    if (run.ready && gram === undefined) return; // the answer with this view is on its way
    const there = Boolean(run.ready && gram);
    this.empty.hidden = there;
    if (!there) write(this.empty, "Put down points of both classes to see the kernel of every two.");
    const { width, height } = this.plot.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    if (this.cell && there && Math.max(...this.cell) >= gram.order.length) this.cell = null;
    if (this.cell && there && this.asked !== this.keyOf(gram)) this.ask();
    write(this.says, there ? gram.says : "");
    write(this.said, there ? (this.cell ? this.told || "" : gram.cell.says) : "");
    if (width < 10 || height < 10) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      [this.canvas.width, this.canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    }
    const paper = this.canvas.getContext("2d"), tint = colours(this.canvas);
    paper.setTransform(ratio, 0, 0, ratio, 0, 0);
    paper.clearRect(0, 0, width, height);
    if (there) this.paint(paper, gram, tint, width, height);
  }

  paint(paper, gram, tint, width, height) {
    const em = parseFloat(getComputedStyle(this.plot).fontSize), n = gram.order.length, band = 0.7 * em;
    const side = Math.max(40, Math.min(width - 7.5 * em, height - 3.6 * em)), left = Math.max(2.4 * em, (width - side - 5.5 * em) / 2 + em), top = 2.4 * em;
    this.box = { left, top, side };
    paper.imageSmoothingEnabled = false;
    paper.drawImage(this.image(gram, tint), left, top, side, side);
    const cut = (gram.plus / n) * side;
    for (const [from, size, colour, name] of [[0, cut, tint.plus, "+1"], [cut, side - cut, tint.minus, "−1"]]) {
      paper.fillStyle = colour;
      paper.fillRect(left + from, top - band - 2, size, band);
      paper.fillRect(left - band - 2, top + from, band, size);
      Object.assign(paper, { fillStyle: tint.soft, font: `600 ${0.82 * em}px ${tint.font}`, textAlign: "center" });
      paper.fillText(name, left + from + size / 2, top - band - 0.5 * em);
      paper.fillText(name, left - band - 1.05 * em, top + from + size / 2 + 0.3 * em);
    }
    Object.assign(paper, { strokeStyle: tint.ink, lineWidth: 1.5 });
    paper.beginPath();
    for (const [a, b, c, d] of [[left + cut, top, left + cut, top + side], [left, top + cut, left + side, top + cut]]) {
      paper.moveTo(a, b);
      paper.lineTo(c, d);
    }
    paper.stroke();
    this.mark(paper, gram, tint);
    this.scale(paper, gram, tint, left + side + 1.2 * em, top, side, em);
  }

  // The row and the column of a point that is pointed at, and the cell where two meet.
  mark(paper, gram, tint) {
    const { left, top, side } = this.box, { hovered, other } = this.client, step = side / gram.order.length;
    Object.assign(paper, { strokeStyle: tint.ink, lineWidth: 1.5 });
    const [row, column] = this.cell || [gram.order.indexOf(hovered), gram.order.indexOf(other ?? hovered)];
    if (row < 0) return;
    paper.globalAlpha = 0.7;
    paper.strokeRect(left, top + row * step, side, step);
    paper.strokeRect(left + column * step, top, step, side);
    paper.globalAlpha = 1;
    if (!this.cell) return;
    paper.lineWidth = 3;
    paper.strokeRect(left + column * step - 1, top + row * step - 1, step + 2, step + 2);
  }

  // One pixel a cell, made anew only where the matrix or the theme is another.
  image(gram, tint) {
    const n = gram.order.length;
    if (this.made && this.made[0] === gram.cells && this.made[1] === tint.dark) return this.picture;
    const text = atob(gram.cells), ramp = ramps(tint), pixels = new ImageData(n, n), words = new Uint32Array(pixels.data.buffer);
    for (let k = 0; k < words.length; k++) words[k] = ramp[((text.charCodeAt(k) << 24) >> 24) + 127]; // a signed byte a cell
    this.picture = h("canvas", { width: n, height: n });
    this.picture.getContext("2d").putImageData(pixels, 0, 0);
    this.made = [gram.cells, tint.dark];
    return this.picture;
  }

  // What the colours mean, in numbers: from the least K, or zero, to the largest.
  scale(paper, gram, tint, left, top, side, em) {
    const low = Math.min(0, gram.least), high = Math.max(0, gram.most), ramp = ramps(tint), span = high - low || 1;
    const steps = 64, y = (value) => top + side - ((value - low) / span) * side;
    for (let k = 0; k < steps; k++) {
      const value = low + ((k + 0.5) / steps) * span;
      paper.fillStyle = `#${hex(ramp[Math.round((127 * value) / (gram.largest || 1)) + 127])}`;
      paper.fillRect(left, y(low + ((k + 1) / steps) * span), em, side / steps + 1);
    }
    Object.assign(paper, { strokeStyle: tint.line, lineWidth: 1, fillStyle: tint.soft, font: `${0.8 * em}px ${tint.font}`, textAlign: "left" });
    paper.strokeRect(left, top, em, side);
    for (const value of ticks(low, high, 5)) {
      paper.fillRect(left + em, y(value) - 0.5, 0.3 * em, 1);
      paper.fillText(show(value, 3), left + 1.5 * em, y(value) + 0.28 * em);
    }
    paper.fillStyle = tint.ink;
    paper.fillText("K(x, z)", left, top - 0.8 * em);
  }
}

// 255 colours as the words of a picture: from one tone for the negative through the paper at zero to another.
function ramps(tint) {
  const [below, zero, above] = [tint.feasible, tint.plot, tint.accent].map((text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16)));
  return Array.from({ length: 255 }, (_, k) => {
    const level = (k - 127) / 127, [red, green, blue] = zero.map((value, c) => Math.round(value + Math.abs(level) * ((level < 0 ? below : above)[c] - value)));
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  });
}

// The same word as a style writes it.
function hex(word) {
  return [word & 255, (word >> 8) & 255, (word >> 16) & 255].map((part) => part.toString(16).padStart(2, "0")).join("");
}
