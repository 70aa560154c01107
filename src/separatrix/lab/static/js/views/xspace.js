// x-space: the points, the boundary, the slab, and who holds it. Draws what the solver says; computes none of it.

import { children, colours, h, makeReadout, s, set, show, unpack, write } from "../draw/dom.js";
import { fillContours } from "../draw/contours.js";
import { Plot } from "../draw/plot.js";
import { around } from "../draw/scale.js";
import { Editing } from "./editing.js";
import { Knobs } from "./knobs.js";
import { Legend } from "../draw/legend.js";
import { numbers } from "../talk/link.js";
import { Marks } from "./marks.js";

export class XSpace {
  constructor(client) {
    this.client = client;
    this.plot = new Plot(["x₁", "x₂"], "x-space: the points and the decision boundary", {
      tabindex: "0", role: "application", "aria-describedby": "x-help",
    });
    this.slab = this.plot.layer("slab");
    this.lines = this.plot.layer("boundary");
    this.slacks = s("path");
    this.plot.layer("slacks").append(this.slacks);
    this.ghost = this.plot.layer("ghost");
    this.knobs = new Knobs(this);
    this.marks = new Marks(this.plot);
    this.cross = this.plot.layer("cross", "over");
    this.all = false; // whether every point shows its number
    this.fitted = true; // whether the window is the one that shows all points
    this.legend = new Legend();
    this.empty = h("p", { class: "empty" });
    this.plot.element.append(this.empty);
    this.readout = makeReadout({ "aria-live": "off" });
    this.editing = new Editing(this);
    this.plot.onresize = () => { this.marks.measure(); this.draw(); client.look(); };
    client.onhover(() => this.light());
    client.onpoint(() => this.drawGhost());
    this.element = h("section", { class: "card view x-view", "aria-labelledby": "x-title" },
      h("header", {}, h("h2", { id: "x-title", text: "x-space" }), this.editing.tools),
      this.plot.element, this.legend.element, this.readout.element,
      h("p", { id: "x-help", class: "visually-hidden", text: client.fixed ? "Square brackets choose a point, N numbers all points, plus and minus zoom, Escape lets go." : "Arrow keys move the cross, Enter adds a point, square "
        + "brackets choose a point, arrow keys then move it, Delete removes it, F flips its class, N numbers all points, plus and "
        + "minus zoom, Escape lets go. To turn the line, use the arrow keys on w in w-space." }));
  }

  fit(points) {
    const { centre, half } = around(points);
    this.plot.plane.look(centre, half);
    this.fitted = true;
  }

  // Another part of the plane is looked at.
  looked() {
    this.fitted = false;
    this.draw();
    this.client.look();
    this.client.onview();
  }

  saved() {
    const { centre, half } = this.plot.plane;
    return this.fitted && !this.all ? null : { at: [...centre, half].map((value) => Number(value.toPrecision(6))), all: this.all };
  }

  restore(kept) {
    this.all = Boolean(kept && kept.all === true);
    if (!kept || !numbers(kept.at, 3) || !(kept.at[2] > 0)) return;
    this.plot.plane.look(kept.at.slice(0, 2), kept.at[2]);
    this.fitted = false;
  }

  numberAll() {
    this.all = !this.all;
    this.light();
    this.client.onview();
  }

  // A coarse grid where it must be `quick`; without `rows`, margins of the one alone that is pointed at.
  options(quick, rows) {
    const row = rows ? null : this.editing.chosen ?? this.client.hovered;
    return { window: this.plot.plane.window, grid: quick ? 20 : 64, row };
  }

  draw() {
    const { state } = this.client;
    this.plot.axes();
    this.drawAreas(state);
    this.drawBoundary(state);
    this.drawSlacks(state);
    this.marks.draw(state.scene.points, state.run.ready && state.x ? state.x.kinds : null, this.fade);
    this.knobs.draw();
    this.editing.draw();
    this.light();
    this.drawGhost();
    this.drawLegend(state);
    this.plot.element.classList.toggle("void", state.run.void === true);
    const few = state.scene.points.length === 0;
    this.empty.hidden = state.run.ready;
    write(this.empty, few ? "Click to put down a point. Keys 1 and 2 choose its class." : state.run.note);
  }

  // Of a stream, how much of each point is seen: those to come are not, old ones hardly.
  get fade() {
    const { run, x, scene } = this.client.state;
    return run.ready && x && x.fade && x.fade.length === scene.points.length ? x.fade : null;
  }

  drawAreas({ x, run }) {
    const paper = this.plot.paper(), { plane } = this.plot, tint = colours(this.plot.element);
    if (!run.ready || !x) return;
    if (x.contours) {
      const grid = { ...x.contours, values: unpack(x.contours.values) };
      fillContours(paper, plane, grid, tint, x.slab !== null);
    } else if (x.w && x.norm > 0) {
      this.fillSides(paper, x, tint);
    }
  }

  fillSides(paper, x, tint) {
    const { plane } = this.plot;
    const ends = plane.line(x.w, -x.b);
    const size = Math.hypot(...x.w), far = plane.width + plane.height;
    const toward = [x.w[0] / size, -x.w[1] / size];
    const [left, right, low, high] = plane.window;
    const whole = ends === null;
    const middle = x.w[0] * (left + right) / 2 + x.w[1] * (low + high) / 2 + x.b;
    for (const [sign, colour] of [[1, tint.plus], [-1, tint.minus]]) {
      paper.globalAlpha = 0.1;
      paper.fillStyle = colour;
      paper.beginPath();
      if (whole) {
        if (middle * sign > 0) paper.rect(0, 0, plane.width, plane.height);
      } else {
        const [p, q] = ends, push = sign * far;
        paper.moveTo(...p);
        paper.lineTo(...q);
        paper.lineTo(q[0] + toward[0] * push, q[1] + toward[1] * push);
        paper.lineTo(p[0] + toward[0] * push, p[1] + toward[1] * push);
      }
      paper.fill();
      paper.globalAlpha = 1;
    }
  }

  drawBoundary({ x, run }) {
    const { plane } = this.plot;
    const shown = run.ready && x && x.w && x.norm > 0;
    const lines = [];
    if (run.ready && x && x.truth) lines.push(["truth", plane.line(x.truth, 0)]);
    if (shown) {
      lines.push(["line", plane.line(x.w, -x.b)]);
      if (x.slab) lines.push(["edge", plane.line(x.w, x.slab - x.b)], ["edge", plane.line(x.w, -x.slab - x.b)]);
      if (Math.abs(x.b) > 1e-12) {
        const scale = -x.b / (x.norm * x.norm);
        lines.push(["from-origin", [[plane.x(0), plane.y(0)], [plane.x(x.w[0] * scale), plane.y(x.w[1] * scale)]]]);
      }
    }
    const drawn = lines.filter(([, ends]) => ends);
    children(this.lines, drawn, () => s("line"), (line, [name, [p, q]]) => {
      set(line, { class: name, x1: p[0], y1: p[1], x2: q[0], y2: q[1] });
    });
    const band = shown && x.slab ? [plane.line(x.w, x.slab - x.b), plane.line(x.w, -x.slab - x.b)] : [null, null];
    children(this.slab, band[0] && band[1] ? [band] : [], () => s("polygon"), (polygon, [[a, b], [c, d]]) => {
      set(polygon, { points: [a, b, d, c].map((each) => each.join(",")).join(" ") });
    });
  }

  // The boundary of a w that is pointed at in w-space.
  drawGhost() {
    const { ghost } = this.client, { plane } = this.plot, ends = ghost && plane.line(ghost.w, -ghost.b);
    children(this.ghost, ends ? [ends] : [], () => s("line"), (line, [p, q]) => set(line, { x1: p[0], y1: p[1], x2: q[0], y2: q[1] }));
  }

  drawLegend({ x, run, panel }) {
    const verdict = run.ready && panel ? panel.verdict : null;
    const names = run.ready && x ? [...x.legend] : ["plus", "minus"];
    if (run.ready && x && x.truth) names.push("truth");
    if (run.ready && run.row !== null && !run.by_hand) names.push("used");
    if (verdict && verdict.kind !== "separable") names.push("contradicts");
    this.legend.draw(names);
  }

  // How far a row is short of its margin, along w.
  drawSlacks({ x, panel, scene, run }) {
    const slack = run.ready && panel && panel.rows.slack, w = x && x.w;
    const { plane } = this.plot, at = (x1, x2) => `${plane.x(x1).toFixed(1)} ${plane.y(x2).toFixed(1)}`;
    let short = "";
    if (slack && w && x.norm > 0 && !x.held && slack.length === scene.points.length) {
      scene.points.forEach(([x1, x2, y], row) => {
        if (!(slack[row] > 1e-9)) return;
        const move = (y * slack[row]) / (x.norm * x.norm);
        short += `M${at(x1, x2)}L${at(x1 + w[0] * move, x2 + w[1] * move)}`;
      });
    }
    set(this.slacks, { d: short });
  }

  // Rows that are pointed at, used by this step, chosen with the keyboard, or part of a contradiction.
  light() {
    const { state, hovered, other } = this.client;
    const verdict = state.run.ready && state.panel ? state.panel.verdict : null;
    const contradicting = new Set(verdict && verdict.kind !== "separable" ? verdict.rows : []);
    const { chosen } = this.editing, held = new Set(state.run.ready && state.x && state.x.held ? state.x.held : []);
    const used = state.run.by_hand ? null : state.run.row;
    this.marks.light((row) => [held.has(row) && "held", (row === hovered || row === other) && "lit", row === used && "used", contradicting.has(row) && "contradicts", row === chosen && "chosen"], hovered);
    // Numbers beside the points that a sentence names, or is about; on request beside all.
    const moving = state.panel && state.panel.pending ? [] : [hovered, other, chosen]; // letters take the browser longer than a mark
    const named = this.all ? state.scene.points.keys() : new Set([...(state.run.named || []), ...contradicting, ...moving]);
    this.marks.number([...named], state.scene.points);
    children(this.readout.words, this.words(), makeTerm, fillTerm);
  }

  // What f is at the pointer, where no row is: the solver knows.
  ask(place) {
    if (!this.client.state.run.ready) return;
    this.client.keep("probe", "probe", { at: place, third: this.client.state.x?.third ?? null }, null, ({ probe }) => {
      this.probed = probe ? { place, ...probe } : null;
      this.light();
    });
  }

  leave() {
    this.probed = null;
    this.client.hover(null);
    this.light();
  }

  // Names, each with its number or alone.
  words() {
    const { state, hovered } = this.client;
    const { x, scene, run } = state;
    const row = this.editing.chosen ?? hovered;
    if (run.ready && x && row !== null && row < scene.points.length) {
      const [x1, x2, label] = scene.points[row];
      return [[`point ${row + 1} at (${show(x1, 3)}, ${show(x2, 3)}), y = ${label > 0 ? "+1" : "−1"}`],
        ["functional margin", x.functional && x.functional[row]],
        ["geometric margin", x.geometric && x.geometric[row]]];
    }
    if (!run.ready || !x) return [["Two classes are needed."], ["+1 is blue and round,"], ["−1 is orange and square."]];
    if (this.probed && hovered === null) {
      const { place, f, distance } = this.probed;
      return [[`at (${show(place[0], 3)}, ${show(place[1], 3)})`], ["f(x)", f], ["distance from the boundary", distance]];
    }
    if (!x.w) return [["‖w‖ in the kernel's space", x.norm], ["point at a point to see its margins"]];
    if (!(x.norm > 0)) return [["w = 0: there is no boundary yet."]];
    return [["‖w‖", x.norm], ["boundary from the origin, along w", x.origin_distance],
      x.slab ? ["slab width 2/‖w‖", x.slab_width] : ["margin of the set", x.margin]];
  }
}

function makeTerm() { return h("span", { class: "term" }, h("span"), " ", h("output")); }

function fillTerm(term, [name, value]) {
  write(term.firstChild, name);
  write(term.lastChild, value === undefined ? "" : show(value));
}
