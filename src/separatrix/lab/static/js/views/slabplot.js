// x-space once more, for pictures of the slab: points, boundary, edges and dimension lines, in a window of their own.

import { children, h, s, set, write } from "../draw/dom.js";
import { Dimensions } from "../draw/dimension.js";
import { Marks } from "./marks.js";
import { Plot } from "../draw/plot.js";

const NEAR = 18, TOUCH = 30; // pixels within which a point is meant

export class SlabPlot {
  constructor(client, label, redraw) {
    this.client = client;
    this.plot = new Plot(["x₁", "x₂"], label, { role: "img" });
    this.slab = this.plot.layer("slab");
    this.lines = this.plot.layer("boundary");
    this.dimensions = new Dimensions(this.plot);
    this.marks = new Marks(this.plot);
    this.empty = h("p", { class: "empty", hidden: true });
    this.plot.element.append(this.empty);
    this.element = this.plot.element;
    this.plot.onresize = () => { this.marks.measure(); redraw(); };
    for (const name of ["pointermove", "pointerdown"]) this.plot.svg.addEventListener(name, (event) => client.hover(this.near(event)));
    this.plot.svg.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") client.hover(null); });
  }

  near(event) {
    const { plane } = this.plot, box = this.plot.svg.getBoundingClientRect(), [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let found = null, least = event.pointerType === "touch" ? TOUCH : NEAR;
    this.client.state.scene.points.forEach(([x1, x2], row) => {
      const away = Math.hypot(plane.x(x1) - px, plane.y(x2) - py);
      if (away < least) [found, least] = [row, away];
    });
    return found;
  }

  // Words where there is nothing to draw.
  say(text) {
    this.empty.hidden = text === "";
    write(this.empty, text);
  }

  // The slab of the view, the points with the kinds that x-space shows, and `items` as dimension lines.
  draw(view, items, numbered) {
    const { plot, client } = this, { plane } = plot, { scene, x } = client.state;
    plane.look(view.window.slice(0, 2), view.window[2]);
    plot.axes();
    plot.element.classList.toggle("void", view.void);
    const ends = (level) => (view.w ? plane.line(view.w, level - view.b) : null);
    const lines = [["line", ends(0)], ["edge", ends(1)], ["edge", ends(-1)]].filter(([, line]) => line);
    children(this.lines, lines, () => s("line"), (line, [name, [p, q]]) => set(line, { class: name, x1: p[0], y1: p[1], x2: q[0], y2: q[1] }));
    const band = [ends(1), ends(-1)];
    children(this.slab, band[0] && band[1] ? [band] : [], () => s("polygon"), (polygon, [[a, b], [c, d]]) => {
      set(polygon, { points: [a, b, d, c].map((each) => each.join(",")).join(" ") });
    });
    this.marks.draw(scene.points, x ? x.kinds : null);
    this.marks.light((row) => [row === client.hovered && "lit"], client.hovered);
    const rows = [...new Set([...numbered, client.hovered])].filter((row) => row !== null);
    this.marks.number(rows, scene.points);
    const { em } = plot, off = em / plane.unit; // numbers stand right above their points
    this.dimensions.draw(items, [...scene.points, ...rows.filter((row) => row < scene.points.length).map((row) => [scene.points[row][0] + off, scene.points[row][1] + 0.7 * off])]);
  }

  clear(text) {
    for (const layer of [this.slab, this.lines, this.dimensions.lines, this.dimensions.texts]) layer.replaceChildren();
    this.marks.draw([], null);
    this.marks.number([], []);
    this.say(text);
  }
}

// A button by which a picture takes the room of the certificate, too; `turn(wide)` does it.
export function makeWide(client, element) {
  const button = h("button", { class: "small wider", text: "wide", title: "Take the room of the certificate, too", "aria-pressed": "false", onclick: () => { wide.turn(!wide.on); client.onview(); } });
  const wide = { button, on: false };
  wide.turn = (on) => {
    wide.on = on;
    button.setAttribute("aria-pressed", String(on));
    element.classList.toggle("wide", on);
  };
  return wide;
}

// A group of buttons of which one is pressed.
export function makeChoice(label, options, choose) {
  const buttons = options.map(([value, text, title]) => h("button", { class: "small", text, title, "aria-label": title, "aria-pressed": "false", onclick: () => choose(value) }));
  const element = h("div", { class: "choice", role: "group", "aria-label": label }, buttons);
  return { element, turn: (value) => options.forEach(([each], k) => set(buttons[k], { "aria-pressed": String(each === value) })) };
}

export function writeLines(element, lines, tag) {
  children(element, lines, () => h(tag), (line, text) => write(line, text));
}
