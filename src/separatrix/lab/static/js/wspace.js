// w-space: every row a line, the wedge where all rows agree, w and the way it came.

import { children, h, makeReadout, s, set, show, write } from "./dom.js";
import { Plot } from "./plot.js";

const NEAR = 7; // pixels within which a line is meant

export class WSpace {
  constructor(client) {
    this.client = client;
    this.zoom = 1;
    this.ends = []; // of each row's line, in pixels; null out of sight
    this.plot = new Plot(["w₁", "w₂"], "w-space: each row a line, w a point", { role: "img" });
    this.wedge = this.plot.layer("wedge");
    this.circle = this.plot.layer("objective");
    this.rows = this.plot.layer("rows");
    this.kinds = ["plus", "minus"].map((name) => [s("path", { class: `thin ${name}` }), s("path", { class: `normal ${name}` })]);
    this.rows.append(...this.kinds.flat());
    this.marked = this.plot.layer("marked");
    this.path = this.plot.layer("path");
    this.empty = h("p", { class: "empty", hidden: true });
    this.plot.element.append(this.empty);
    this.plot.onresize = () => this.draw();
    this.plot.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.rescale(Math.exp(event.deltaY * 0.001));
    }, { passive: false });
    this.plot.svg.addEventListener("pointermove", (event) => client.hover(this.near(event)));
    this.plot.svg.addEventListener("pointerleave", () => client.hover(null));
    client.onhover(() => this.light());
    this.readout = makeReadout();
    this.element = h("div", { class: "tab-body" }, this.plot.element, this.readout.element);
    this.name = "w";
  }

  rescale(factor) {
    this.zoom = Math.min(6, Math.max(0.02, this.zoom * factor));
    this.draw();
  }

  draw() {
    const { w, run, scene } = this.client.state;
    this.empty.hidden = Boolean(run.ready && w);
    for (const svg of this.plot.drawings) svg.classList.toggle("blank", !this.empty.hidden);
    if (!run.ready || !w) {
      write(this.empty, run.ready
        ? "With a kernel, w lives in the kernel's own space, which has too many dimensions to draw. "
          + "Its coordinates there are the weights α of the rows: see the bars beside."
        : "Here every point of x-space becomes a line. Put points of both classes down first.");
      for (const layer of [this.wedge, this.circle, this.marked, this.path]) layer.replaceChildren();
      for (const path of this.kinds.flat()) set(path, { d: "" });
      this.ends = [];
      this.plot.axes();
      write(this.readout.words, "");
      return;
    }
    const { plane } = this.plot;
    plane.look([0, 0], w.extent * this.zoom);
    this.plot.axes();
    const at = ([a, b]) => `${plane.x(a).toFixed(2)},${plane.y(b).toFixed(2)}`;
    children(this.wedge, w.wedge.length > 2 ? [w.wedge] : [], () => s("polygon"),
      (polygon, corners) => set(polygon, { points: corners.map(at).join(" ") }));
    this.drawRows(scene.points, w);
    this.drawPath(w, at);
    this.light();
    this.words(w);
  }

  // All rows of a class are one path: a hundred lines cost the browser little more than one.
  drawRows(points, w) {
    const { plane } = this.plot, reach = Math.max(10, plane.height / 50);
    const lines = ["", ""], normals = ["", ""];
    this.ends = points.map(([x1, x2, y]) => {
      const right = y * w.level - w.b, ends = plane.line([x1, x2], right), kind = y > 0 ? 0 : 1;
      if (!ends) return null;
      lines[kind] += segment(ends);
      // A short normal at the foot of the perpendicular: the side on which this row wants w.
      const square = x1 * x1 + x2 * x2, size = Math.sqrt(square);
      const foot = [plane.x((x1 * right) / square), plane.y((x2 * right) / square)];
      normals[kind] += segment([foot, [foot[0] + (reach * y * x1) / size, foot[1] - (reach * y * x2) / size]]);
      return ends;
    });
    this.kinds.forEach(([thin, normal], kind) => {
      set(thin, { d: lines[kind] });
      set(normal, { d: normals[kind] });
    });
  }

  // The row whose line is under the pointer; the nearest where several are.
  near(event) {
    const box = this.plot.svg.getBoundingClientRect();
    const px = event.clientX - box.left, py = event.clientY - box.top;
    let best = null, least = NEAR;
    this.ends.forEach((ends, row) => {
      if (!ends) return;
      const [[ax, ay], [bx, by]] = ends;
      const distance = Math.abs((bx - ax) * (py - ay) - (by - ay) * (px - ax)) / Math.hypot(bx - ax, by - ay);
      if (distance < least) [best, least] = [row, distance];
    });
    return best;
  }

  drawPath(w, at) {
    const { plane } = this.plot, path = w.path;
    const last = path[path.length - 1];
    const radius = Math.hypot(last[0], last[1]) * plane.unit;
    children(this.circle, w.level && radius > 1 ? [radius] : [], () => s("circle"),
      (circle, r) => set(circle, { cx: plane.x(0), cy: plane.y(0), r }));
    const dots = path.length <= 60 ? path.slice(0, -1) : [];
    children(this.path, [path, ...dots, last],
      (index) => s(index === 0 ? "polyline" : "circle"),
      (element, item, index) => {
        if (index === 0) {
          if (element.tagName !== "polyline") element = replaceBy(element, s("polyline"));
          set(element, { class: "way", points: item.map(at).join(" ") });
        } else {
          set(element, { class: index === dots.length + 1 ? "now" : "was", cx: plane.x(item[0]), cy: plane.y(item[1]),
            r: index === dots.length + 1 ? "0.48em" : "0.18em" });
        }
      });
  }

  // The row that is pointed at, here or elsewhere, and the one this step uses.
  light() {
    const { hovered, state } = this.client;
    const rows = [[state.run.row, "used"], [hovered, "lit"]].filter(([row]) => row !== null && this.ends[row]);
    children(this.marked, rows, () => s("line"), (line, [row, name]) => {
      const [[x1, y1], [x2, y2]] = this.ends[row];
      set(line, { class: `row ${name} ${state.scene.points[row][2] > 0 ? "plus" : "minus"}`, "data-row": row, x1, y1, x2, y2 });
    });
  }

  words(w) {
    const last = w.path[w.path.length - 1];
    const what = w.wedge.length > 2 ? (w.level ? "shaded: y(w·x + b) ≥ 1 for every row" : "shaded: the version space")
      : w.touches ? "in this plane one w alone satisfies every row: move b to open the wedge" : "no w in this plane satisfies every row";
    write(this.readout.words, `w = (${show(last[0])}, ${show(last[1])}), b = ${show(last[2])} · ${what}`);
  }
}

const segment = ([[ax, ay], [bx, by]]) => `M${ax.toFixed(1)} ${ay.toFixed(1)}L${bx.toFixed(1)} ${by.toFixed(1)}`;

function replaceBy(old, fresh) {
  old.replaceWith(fresh);
  return fresh;
}
