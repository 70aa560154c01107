// x-space: the points, the boundary, the slab, and who holds it. Draws what the solver says; computes none of it.

import { children, colours, h, makeReadout, s, set, show, unpack, write } from "./dom.js";
import { fillContours } from "./contours.js";
import { Plot } from "./plot.js";
import { around } from "./scale.js";
import { Editing } from "./editing.js";

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
    this.points = this.plot.layer("points", "marks");
    this.held = this.plot.layer("points", "over"); // the row that is pointed at
    this.cross = this.plot.layer("cross", "over");
    this.groups = []; // of the shapes of each row
    this.em = 9; // pixels, the unit of the marks' sizes
    this.empty = h("p", { class: "empty" });
    this.plot.element.append(this.empty);
    this.readout = makeReadout({ "aria-live": "off" });
    this.editing = new Editing(this);
    this.plot.onresize = () => { this.em = parseFloat(getComputedStyle(this.points).fontSize); this.draw(); client.look(); };
    client.onhover(() => this.light());
    this.element = h("section", { class: "card view x-view", "aria-labelledby": "x-title" },
      h("header", {}, h("h2", { id: "x-title", text: "x-space" }), this.editing.tools),
      this.plot.element, this.readout.element,
      h("p", { id: "x-help", class: "visually-hidden", text: "Arrow keys move the cross, Enter adds a point, square "
        + "brackets choose a point, arrow keys then move it, Delete removes it, F flips its class, Escape lets go." }));
  }

  fit(points) {
    const { centre, half } = around(points);
    this.plot.plane.look(centre, half);
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
    this.drawPoints(state);
    this.editing.draw();
    this.light();
    this.plot.element.classList.toggle("void", state.run.void === true);
    const few = state.scene.points.length === 0;
    this.empty.hidden = state.run.ready;
    write(this.empty, few ? "Click to put down a point. Keys 1 and 2 choose its class." : state.run.note);
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

  // How far a row is short of its margin, along w.
  drawSlacks({ x, panel, scene, run }) {
    const slack = run.ready && panel && panel.rows.slack, w = x && x.w;
    const { plane } = this.plot, at = (x1, x2) => `${plane.x(x1).toFixed(1)} ${plane.y(x2).toFixed(1)}`;
    let short = "";
    if (slack && w && x.norm > 0 && slack.length === scene.points.length) {
      scene.points.forEach(([x1, x2, y], row) => {
        if (!(slack[row] > 1e-9)) return;
        const move = (y * slack[row]) / (x.norm * x.norm);
        short += `M${at(x1, x2)}L${at(x1 + w[0] * move, x2 + w[1] * move)}`;
      });
    }
    set(this.slacks, { d: short });
  }

  drawPoints({ scene, x, run }) {
    const { plane } = this.plot, { groups } = this;
    while (groups.length > scene.points.length) groups.pop().remove();
    while (groups.length < scene.points.length) groups.push(this.points.appendChild(s("g", { "data-row": groups.length })));
    scene.points.forEach(([x1, x2, label], row) => {
      const group = groups[row];
      group.label = label;
      group.kind = (run.ready && x && x.kinds && x.kinds[row]) || "";
      put(group, plane.x(x1), plane.y(x2), this.em);
    });
  }

  // The mark of a row elsewhere, nothing else.
  shift(row, [x1, x2]) {
    const { plane } = this.plot;
    put(this.groups[row], plane.x(x1), plane.y(x2), this.em);
  }

  // The row that is pointed at is drawn above all others, the one before goes back among them.
  lift(row) {
    const group = row === null ? null : this.groups[row] || null, before = this.held.firstChild;
    if (group === before) return;
    if (before) this.points.insertBefore(before, this.groups[this.groups.indexOf(before) + 1] || null);
    if (group) this.held.append(group);
  }

  // Rows that are pointed at, used by this step, chosen with the keyboard, or part of a contradiction.
  light() {
    const { state, hovered } = this.client;
    const verdict = state.run.ready && state.panel ? state.panel.verdict : null;
    const contradicting = new Set(verdict && verdict.kind !== "separable" ? verdict.rows : []);
    const { chosen } = this.editing;
    this.groups.forEach((group, row) => {
      const marks = [group.kind, row === hovered && "lit", row === state.run.row && "used", contradicting.has(row) && "contradicts",
        row === chosen && "chosen"].filter(Boolean);
      dress(group, marks, this.em);
    });
    this.lift(hovered);
    children(this.readout.words, this.words(), makeTerm, fillTerm);
  }

  // What f is at the pointer, where no row is: the solver knows.
  ask(place) {
    if (!this.client.state.run.ready) return;
    this.client.keep("probe", "probe", { at: place }, null, ({ probe }) => {
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
      return [[`row ${row + 1} at (${show(x1, 3)}, ${show(x2, 3)}), y = ${label > 0 ? "+1" : "−1"}`],
        ["functional margin", x.functional && x.functional[row]],
        ["geometric margin", x.geometric && x.geometric[row]]];
    }
    if (!run.ready || !x) return [["Two classes are needed: + is blue and round, − is orange and square."]];
    if (this.probed && hovered === null) {
      const { place, f, distance } = this.probed;
      return [[`at (${show(place[0], 3)}, ${show(place[1], 3)})`], ["f(x)", f], ["distance from the boundary", distance]];
    }
    if (!x.w) return [["‖w‖ in the kernel's space", x.norm], ["point at a row to see its margins"]];
    if (!(x.norm > 0)) return [["w = 0: there is no boundary yet."]];
    return [["‖w‖", x.norm], ["boundary from the origin", x.origin_distance],
      x.slab ? ["slab width 2/‖w‖", x.slab_width] : ["margin of the set", x.margin]];
  }
}

function makeTerm() { return h("span", { class: "term" }, h("span"), " ", h("output")); }

function fillTerm(term, [name, value]) {
  write(term.firstChild, name);
  write(term.lastChild, value === undefined ? "" : show(value));
}

// The shapes of a point that are seen: a dot always, a ring and a halo where something is said of it.
function dress(group, marks, em) {
  const side = group.label > 0 ? "plus" : "minus";
  set(group, { class: `point ${[side, ...marks].join(" ")}` });
  const halo = marks.some((mark) => mark === "lit" || mark === "contradicts" || mark === "chosen");
  const ring = marks.some((mark) => mark === "margin" || mark === "slack" || mark === "used");
  const shapes = `${side} ${halo} ${ring}`;
  if (group.shapes === shapes) return;
  group.shapes = shapes;
  group.replaceChildren(...(halo ? [s("circle", { class: "halo", r: "1.9em" })] : []),
    ...(ring ? [s("circle", { class: "ring", r: "1.25em" })] : []),
    side === "plus" ? s("circle", { class: "dot", r: "0.72em" })
      : s("rect", { class: "dot", width: "1.32em", height: "1.32em", rx: "0.12em" }));
  put(group, ...group.place, em, true);
}

// The shapes of a point at a place. Not by a transform: the browser keeps books on each, in every frame.
function put(group, x, y, em, anew = false) {
  if (!anew && group.place && group.place[0] === x && group.place[1] === y && group.em === em) return;
  [group.place, group.em] = [[x, y], em];
  for (const shape of group.children) {
    set(shape, shape.tagName === "rect" ? { x: (x - 0.66 * em).toFixed(2), y: (y - 0.66 * em).toFixed(2) }
      : { cx: x.toFixed(2), cy: y.toFixed(2) });
  }
}
