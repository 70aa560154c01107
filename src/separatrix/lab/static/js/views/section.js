// A section of the polyhedron: the plane across one axis, with every point's half-plane, lengths of w, and the optimum.

import { children, h, s, set, show, write } from "../draw/dom.js";
import { ticks } from "../draw/scale.js";

const LABELLED = 12; // lines that all show the number of their point

export class Section {
  constructor(client, redraw) {
    this.client = client;
    this.grid = s("g", { class: "grid" });
    this.feasible = s("polygon");
    this.levels = s("g", { class: "levels" });
    this.lines = s("g", { class: "section-lines" });
    this.marks = s("g", { class: "section-marks" });
    this.texts = s("g", { class: "ticks" });
    this.names = [0, 1, 2].map(() => s("text", { class: "axis-name" }));
    this.svg = s("svg", { role: "img", "aria-label": "The section of the polyhedron as a plane" },
      this.grid, s("g", { class: "wedge" }, this.feasible), this.levels, this.lines, this.marks, this.texts, this.names);
    this.element = h("div", { class: "plot section" }, this.svg);
    this.drawn = [];
    for (const name of ["pointermove", "pointerdown"]) this.svg.addEventListener(name, (event) => client.hover(this.near(event)));
    this.svg.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") client.hover(null); });
    new ResizeObserver(redraw).observe(this.element);
  }

  draw(solid, points) {
    const { width, height } = this.element.getBoundingClientRect();
    this.svg.classList.toggle("blank", solid === null);
    if (solid === null || width < 10 || height < 10) return;
    const em = parseFloat(getComputedStyle(this.element).fontSize), { section } = solid;
    set(this.svg, { viewBox: `0 0 ${width} ${height}` });
    this.measure(section, width, height, em);
    this.drawAxes(section, em);
    set(this.feasible, { points: section.polygon.map(([u, v]) => `${this.x(u).toFixed(1)},${this.y(v).toFixed(1)}`).join(" ") });
    this.drawLevels(section, em);
    this.drawLines(section, points, em);
    this.drawMarks(solid, em);
  }

  // Both axes to the border of the box; the same unit on both where both are of w, so that a circle is round.
  measure(section, width, height, em) {
    const [across, up] = section.reach, units = [width / (2 * across), height / (2 * up)].map((unit) => unit * 0.96);
    const [a, b] = section.axis === 2 ? [Math.min(...units), Math.min(...units)] : units;
    this.size = [width, height];
    this.edge = em;
    this.x = (u) => width / 2 + a * u;
    this.y = (v) => height / 2 - b * v;
    this.window = [width / (2 * a), height / (2 * b)];
  }

  drawAxes(section, em) {
    const [width, height] = this.size, [across, up] = this.window;
    const values = [ticks(-0.86 * across, 0.86 * across, Math.max(3, Math.round(width / (6 * em)))), ticks(-0.8 * up, 0.8 * up, Math.max(3, Math.round(height / (5 * em))))];
    const lines = [...values[0].map((u) => [this.x(u), 0, this.x(u), height, u]), ...values[1].map((v) => [0, this.y(v), width, this.y(v), v])];
    children(this.grid, lines, () => s("line"), (line, [x1, y1, x2, y2, value]) => set(line, { x1, y1, x2, y2, class: value === 0 ? "zero" : "" }));
    const texts = [...values[0].map((u) => [this.x(u), height - 0.45 * em, "middle", u]), ...values[1].map((v) => [0.4 * em, this.y(v) + 0.3 * em, "start", v])];
    children(this.texts, texts.filter(([x, y]) => x < width - 2.6 * em && y > 2 * em), () => s("text"), (text, [x, y, anchor, value]) => {
      set(text, { x, y, "text-anchor": anchor });
      write(text, show(value, 3));
    });
    set(this.names[0], { x: width - 0.5 * em, y: height - 0.45 * em, "text-anchor": "end" });
    set(this.names[1], { x: 0.4 * em, y: 1.15 * em, "text-anchor": "start" });
    set(this.names[2], { x: width - 0.5 * em, y: 1.15 * em, "text-anchor": "end" });
    [...section.names, `${section.name} = ${show(section.at, 3)}`].forEach((name, k) => write(this.names[k], name));
  }

  // All w of one length: a circle across b, two lines across w₁ or w₂.
  drawLevels(section, em) {
    const [, height] = this.size, flat = section.axis === 2;
    this.used = [];
    children(this.levels, section.levels, () => s("g", {}, s("path"), s("text")), (group, { length, half, best }) => {
      const [left, right, r] = [this.x(-half), this.x(half), this.x(half) - this.x(0)];
      set(group, { class: best ? "best" : "" });
      set(group.firstChild, { d: flat ? `M${left} ${this.y(0)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0` : `M${left} 0V${height}M${right} 0V${height}` });
      const room = right < this.size[0] - 5 * em && (best || right - this.x(0) > 2 * em);
      const [x, y] = [right + 0.25 * em, (flat ? this.y(0) - 0.3 * em : height - 2.1 * em) - (best ? 1.1 * em : 0)];
      set(group.lastChild, { x, y });
      if (room) this.used.push([x + em, y], [x + 3 * em, y]);
      write(group.lastChild, room ? `‖w‖ = ${show(length, 3)}` : "");
    });
  }

  // The line of each point, with its number at an end; a short tick shows the side it wants.
  drawLines(section, points, em) {
    const { hovered } = this.client, few = section.lines.length <= LABELLED, { used } = this;
    const drawn = section.lines.map(([p, q, c], row) => ({ row, ends: this.ends(p, q, c), p, q })).filter(({ ends, row }) => ends && row < points.length);
    this.drawn = drawn;
    children(this.lines, drawn, () => s("g", {}, s("path"), s("path", { class: "tick" }), s("text")), (group, { row, ends, p, q }) => {
      const [[ax, ay], [bx, by]] = ends, lit = row === hovered;
      set(group, { class: `${points[row][2] > 0 ? "plus" : "minus"} ${lit ? "lit" : ""} ${section.bounding.includes(row) ? "bounding" : ""}`, "data-row": row });
      set(group.children[0], { d: `M${ax.toFixed(1)} ${ay.toFixed(1)}L${bx.toFixed(1)} ${by.toFixed(1)}` });
      const unit = [this.x(1) - this.x(0), this.y(0) - this.y(1)], n = [p / unit[0], -q / unit[1]], size = Math.hypot(...n) || 1;
      const spots = [0.14, 0.86, 0.24, 0.76, 0.34, 0.66].map((t) => [ax + t * (bx - ax), ay + t * (by - ay)]);
      const spot = spots.find(([x, y]) => used.every(([u, v]) => Math.hypot(u - x, v - y) > 1.6 * em)) || spots[0];
      used.push(spot);
      set(group.children[1], { d: `M${spot[0].toFixed(1)} ${spot[1].toFixed(1)}l${(0.7 * em * n[0] / size).toFixed(1)} ${(0.7 * em * n[1] / size).toFixed(1)}` });
      set(group.children[2], { x: spot[0] - 0.75 * em * n[0] / size, y: spot[1] - 0.75 * em * n[1] / size + 0.33 * em, "text-anchor": "middle" });
      write(group.children[2], few || lit || section.bounding.includes(row) ? String(row + 1) : "");
    });
  }

  // The point whose line is under the pointer.
  near(event) {
    const box = this.svg.getBoundingClientRect(), [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let found = null, least = event.pointerType === "touch" ? 24 : 9; // pixels
    for (const { row, ends: [[ax, ay], [bx, by]] } of this.drawn) {
      const away = Math.abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / (Math.hypot(bx - ax, by - ay) || 1);
      if (away < least) [found, least] = [row, away];
    }
    return found;
  }

  // Two ends of p u + q v = c within the picture, in pixels; null where the line is not in it.
  ends(p, q, c) {
    const [a, b] = this.window, found = [];
    const add = (u, v) => { if (Math.abs(u) <= a * 1.0001 && Math.abs(v) <= b * 1.0001 && !found.some(([x, y]) => Math.hypot(x - this.x(u), y - this.y(v)) < 1)) found.push([this.x(u), this.y(v)]); };
    if (q !== 0) for (const u of [-a, a]) add(u, (c - p * u) / q);
    if (p !== 0) for (const v of [-b, b]) add((c - q * v) / p, v);
    return found.length >= 2 ? found.slice(0, 2) : null;
  }

  // w as it is in this plane, the shortest w of the section, and the optimum, each if the plane goes through it.
  drawMarks(solid, em) {
    const { axis, at, best } = solid.section, others = [0, 1, 2].filter((k) => k !== axis);
    const place = (u) => [this.x(u[others[0]]), this.y(u[others[1]])], here = (u) => u && Math.abs(u[axis] - at) <= 1e-9 * Math.max(1, Math.abs(at));
    const marks = [...(best ? [["best", place(best)]] : []), ...(here(solid.now) ? [[solid.by_hand ? "by-hand" : "now", place(solid.now)]] : []), ...(here(solid.optimum) ? [["optimum", place(solid.optimum)]] : [])];
    children(this.marks, marks, () => s("circle"), (circle, [name, [cx, cy]]) => set(circle, { class: name, cx, cy, r: { best: 0.42, optimum: 0.85 }[name] ? { best: 0.42, optimum: 0.85 }[name] * em : 0.5 * em }));
  }
}
