// w-space: every row a line, the wedge where all rows agree, w and the way it came.

import { children, h, s, set, show } from "./dom.js";
import { Plot } from "./plot.js";

export class WSpace {
  constructor(client) {
    this.client = client;
    this.zoom = 1;
    this.plot = new Plot(["w₁", "w₂"], "w-space: each row a line, w a point", { role: "img" });
    this.wedge = this.plot.layer("wedge");
    this.circle = this.plot.layer("objective");
    this.rows = this.plot.layer("rows");
    this.path = this.plot.layer("path");
    this.empty = h("p", { class: "empty", hidden: true });
    this.plot.element.append(this.empty);
    this.plot.onresize = () => this.draw();
    this.plot.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.rescale(Math.exp(event.deltaY * 0.001));
    }, { passive: false });
    client.onhover(() => this.light());
    this.readout = h("p", { class: "readout" });
    this.element = h("div", { class: "tab-body" }, this.plot.element, this.readout);
    this.name = "w";
  }

  rescale(factor) {
    this.zoom = Math.min(6, Math.max(0.02, this.zoom * factor));
    this.draw();
  }

  draw() {
    const { w, run, scene } = this.client.state;
    this.empty.hidden = Boolean(run.ready && w);
    this.plot.svg.classList.toggle("blank", !this.empty.hidden);
    if (!run.ready || !w) {
      this.empty.textContent = run.ready
        ? "With a kernel, w lives in the kernel's own space, which has too many dimensions to draw. "
          + "Its coordinates there are the weights α of the rows: see the bars beside."
        : "Here every point of x-space becomes a line. Put points of both classes down first.";
      for (const layer of [this.wedge, this.circle, this.rows, this.path]) layer.replaceChildren();
      this.plot.axes();
      this.readout.textContent = "";
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
    this.words(w, scene);
  }

  drawRows(points, w) {
    const { plane } = this.plot;
    children(this.rows, points, makeRow, (group, [x1, x2, y], row) => {
      const right = y * w.level - w.b;
      const ends = plane.line([x1, x2], right);
      set(group, { class: `row ${y > 0 ? "plus" : "minus"}`, "data-row": row, visibility: ends ? "visible" : "hidden" });
      if (!ends) return;
      const [[ax, ay], [bx, by]] = ends;
      for (const line of group.querySelectorAll("line")) set(line, { x1: ax, y1: ay, x2: bx, y2: by });
      // A short normal at the foot of the perpendicular: the side on which this row wants w.
      const size = Math.hypot(x1, x2), foot = [(x1 * right) / (size * size), (x2 * right) / (size * size)];
      const px = plane.x(foot[0]), py = plane.y(foot[1]), reach = Math.max(10, this.plot.plane.height / 50), to = [(reach * y * x1) / size, (-reach * y * x2) / size];
      set(group.querySelector("path"), { d: `M${px} ${py}l${to[0]} ${to[1]}` });
    });
    if (!this.bound) {
      this.bound = true;
      this.rows.addEventListener("pointerover", (event) => {
        const group = event.target.closest(".row");
        this.client.hover(group ? Number(group.dataset.row) : null);
      });
      this.rows.addEventListener("pointerout", () => this.client.hover(null));
    }
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

  light() {
    const { hovered, state } = this.client;
    for (const group of this.rows.children) {
      const row = Number(group.dataset.row);
      group.classList.toggle("lit", row === hovered);
      group.classList.toggle("used", row === state.run.row);
    }
  }

  words(w, scene) {
    const last = w.path[w.path.length - 1];
    const plane = scene.bias === "none" ? "" : ` · cut at b = ${show(w.b, 3)}`;
    const empty = w.wedge.length > 2 ? "" : w.touches ? " · in this plane only one w satisfies every row: move b to see the wedge open"
      : " · no w in this plane satisfies every row";
    const what = w.level ? "shaded: y(w·x + b) ≥ 1 for every row" : "shaded: the version space";
    this.readout.textContent = `w = (${show(last[0])}, ${show(last[1])}), b = ${show(last[2])}${plane} · `
      + (empty ? empty.slice(3) : what);
  }
}

function makeRow() {
  return s("g", {}, s("line", { class: "thin" }), s("path", { class: "normal" }), s("line", { class: "fat" }));
}

function replaceBy(old, fresh) {
  old.replaceWith(fresh);
  return fresh;
}
