// The risk over w-space: contours or a surface, its creases on the rows' lines, and the paths that descend it.

import { children, colours, h, s, set, unpack, write } from "../draw/dom.js";
import { Camera } from "../draw/camera.js";
import { Chart } from "../draw/chart.js";
import { fillAbove } from "../draw/contours.js";
import { numbers } from "../talk/link.js";
import { Plot } from "../draw/plot.js";
import { drawSurface, shade } from "../draw/surface.js";
import { Words } from "./words.js";

export class Risk {
  constructor(client) {
    this.client = client;
    this.name = "risk";
    this.cuts = true;
    this.solid = false;
    this.compared = null;
    this.plot = new Plot(["w₁", "w₂"], "The risk over w-space as contours", { role: "img" });
    this.creases = this.plot.layer("creases");
    this.paths = this.plot.layer("paths");
    this.plot.onresize = () => { this.draw(); client.look(); }; // at once as it is, then a grid that covers the new shape
    this.camera = new Camera("The risk over w-space as a surface; drag or use the arrow keys to turn it", () => this.draw());
    this.camera.turn = 0.5;
    this.camera.tilt = 0.5;
    this.usual = this.camera.saved();
    this.camera.onview = () => client.onview();
    this.empty = h("p", { class: "empty", hidden: true });
    this.words = new Words("The risk in numbers");
    this.chart = new Chart("The risk against steps", { x: "step", y: "R", whole: true });
    this.body = h("div", { class: "plot-holder" }, this.plot.element, this.empty);
    this.surfaceButton = h("button", { class: "small", text: "surface", "aria-pressed": "false", onclick: () => this.flip() });
    this.compareButton = h("button", { class: "small live", text: "compare paths", "aria-pressed": "false", onclick: () => this.compare() });
    this.element = h("div", { class: "tab-body risk" }, this.body,
      h("div", { class: "row-of" }, this.surfaceButton, this.compareButton, this.legend = h("span", { class: "legend" })),
      this.chart.element, this.words.element);
  }

  options() {
    const { plane } = this.plot;
    const far = (this.compared || []).flatMap(({ path }) => path.flatMap(([a, b]) => [Math.abs(a), Math.abs(b)]));
    return { aspect: this.solid ? 1 : plane.width / plane.height, least: Math.max(0, ...far), solid: this.solid };
  }

  saved() {
    const camera = this.camera.saved(), moved = camera.some((value, k) => value !== this.usual[k]);
    if (!this.solid && !this.compared && !moved) return null;
    return { surface: this.solid, compare: this.compared !== null, camera };
  }

  async restore(kept) {
    const wanted = kept && typeof kept === "object" ? kept : {};
    if ((wanted.surface === true) !== this.solid) this.flip();
    this.camera.restore(numbers(wanted.camera, 3) ? wanted.camera : this.usual);
    if ((wanted.compare === true) !== (this.compared !== null) && this.client.state.run.ready && !this.client.state.scene.algorithm.startsWith("kernel")) await this.compare();
  }

  flip() {
    this.solid = !this.solid;
    this.client.onview();
    this.surfaceButton.setAttribute("aria-pressed", String(this.solid));
    this.body.replaceChildren(this.solid ? this.camera.element : this.plot.element, this.empty);
    this.client.look();
  }

  async compare() {
    this.compared = this.compared ? null : (await this.client.act("compare")).compare || null;
    this.comparedFor = key(this.client.state.scene);
    this.compareButton.setAttribute("aria-pressed", String(this.compared !== null));
    this.client.onview();
    this.client.look(); // there must be room for all of them
  }

  draw() {
    const { risk, run, scene } = this.client.state;
    if (run.ready && risk === undefined) return; // the answer with this view is on its way
    this.empty.hidden = Boolean(run.ready && risk);
    if (!run.ready || !risk) {
      write(this.empty, "Put down points of both classes to see the risk over w-space.");
      this.creases.replaceChildren();
      this.paths.replaceChildren();
      this.plot.paper();
      this.words.draw([]);
      this.chart.draw([]);
      return;
    }
    if (this.compared && this.comparedFor !== key(scene)) {
      this.compared = null; // the points are others now
      this.compareButton.setAttribute("aria-pressed", "false");
    }
    const tint = colours(this.plot.element.isConnected ? this.plot.element : this.camera.element);
    const values = unpack(risk.values);
    const paths = this.compared || [{ path: risk.path, along: risk.along }];
    if (this.solid) {
      if (this.camera.visible) drawSurface(this.camera, risk, values, tint, paths);
    } else {
      this.contours(risk, values);
      this.lines(scene.points, risk);
      this.drawPaths(paths.map(({ path }) => path), risk.by_hand ? risk.now : null);
    }
    this.legend.replaceChildren(...(this.compared || []).map(({ name, steps, ended }, k) => h("span", { class: `key path-${k}` },
      h("i"), `${name}: ${ended ? "" : "over "}${steps} ${steps === 1 ? "step" : "steps"}`)));
    write(this.chart.names[1], `${risk.level ? "primal objective" : "R"} against steps`);
    set(this.chart.svg, { "aria-label": `The ${risk.level ? "primal objective" : "risk"} against steps` });
    const done = risk.cursor === null ? risk.curve : risk.curve.filter(([step]) => step <= risk.cursor);
    this.chart.draw([{ look: "soft", dashed: true, points: risk.curve }, { look: "accent", points: done, dots: done.length <= 80 }], { cursor: risk.cursor, from: [0, 0], to: [1, 1e-9] });
    this.words.draw(risk.says);
  }

  contours(risk, values) {
    const { plane } = this.plot;
    plane.look([0, 0], risk.extent);
    this.plot.axes();
    const paper = this.plot.paper(), [across, up] = risk.reach;
    const grid = { columns: risk.points, rows: risk.points, values, window: [-across, across, -up, up] };
    let least = Infinity, most = -Infinity;
    for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
    paper.fillStyle = shade(0);
    paper.fillRect(plane.x(-across), plane.y(up), 2 * across * plane.unit, 2 * up * plane.unit);
    // Evenly spaced in the square root, so that the floor of the valley shows.
    for (let k = 1; k < 16; k++) {
      paper.fillStyle = shade(k / 15);
      fillAbove(paper, plane, grid, least + (most - least) * (k / 16) ** 2 + 1e-12);
    }
  }

  lines(points, risk) {
    const { plane } = this.plot;
    children(this.creases, points, () => s("line"), (line, [x1, x2, y]) => {
      const ends = plane.line([x1, x2], y * risk.level - risk.b);
      set(line, { visibility: ends ? "visible" : "hidden", class: y > 0 ? "plus" : "minus" });
      if (ends) set(line, { x1: ends[0][0], y1: ends[0][1], x2: ends[1][0], y2: ends[1][1] });
    });
  }

  drawPaths(paths, hand) {
    const { plane } = this.plot;
    const mark = hand ? [s("circle", { class: "now", cx: plane.x(hand[0]), cy: plane.y(hand[1]), r: "0.5em" })] : [];
    this.paths.replaceChildren(...paths.map((path, k) => {
      const at = path.map(([a, b]) => [plane.x(a), plane.y(b)]);
      const dots = at.length <= 60 ? at : [];
      const last = at[at.length - 1];
      return s("g", { class: `path-${k}` }, s("polyline", { points: at.map((p) => p.join(",")).join(" ") }),
        dots.map(([cx, cy]) => s("circle", { cx, cy, r: "0.18em" })), s("circle", { class: "now", cx: last[0], cy: last[1], r: "0.42em" }));
    }), ...mark);
  }
}

function key(scene) {
  return JSON.stringify([scene.points, scene.bias, scene.step, scene.start, scene.order]);
}
