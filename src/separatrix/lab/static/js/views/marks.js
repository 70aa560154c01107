// The points of x-space as they are drawn: dot, ring, halo and number. Knows nothing of what they mean.

import { children, s, set, write } from "../draw/dom.js";

export class Marks {
  constructor(plot) {
    this.plot = plot;
    this.points = plot.layer("points", "marks");
    this.held = plot.layer("points", "over"); // the row that is pointed at
    this.numbers = plot.layer("numbers", "over");
    this.groups = []; // of the shapes of each row
    this.em = 9; // pixels, the unit of the marks' sizes
  }

  measure() { this.em = parseFloat(getComputedStyle(this.points).fontSize); }

  // `fade` is how much of each is seen, where not all are.
  draw(points, kinds, fade = null) {
    const { plane } = this.plot, { groups } = this;
    while (groups.length > points.length) groups.pop().remove();
    while (groups.length < points.length) groups.push(this.points.appendChild(s("g", { "data-row": groups.length })));
    points.forEach(([x1, x2, label], row) => {
      const group = groups[row];
      group.label = label;
      set(group, { opacity: fade ? fade[row] : 1 });
      group.kind = (kinds && kinds[row]) || "";
      put(group, plane.x(x1), plane.y(x2), this.em);
    });
  }

  // The mark of a row elsewhere, nothing else.
  shift(row, [x1, x2]) {
    const { plane } = this.plot;
    put(this.groups[row], plane.x(x1), plane.y(x2), this.em);
  }

  // What is said of each row, and the one that is pointed at above all others.
  light(marksOf, hovered) {
    this.groups.forEach((group, row) => dress(group, [group.kind, ...marksOf(row)].filter(Boolean), this.em));
    this.lift(hovered);
  }

  // The row that was above the others before goes back among them.
  lift(row) {
    const group = row === null ? null : this.groups[row] || null, before = this.held.firstChild;
    if (group === before) return;
    if (before) this.points.insertBefore(before, this.groups[this.groups.indexOf(before) + 1] || null);
    if (group) this.held.append(group);
  }

  // Numbers beside some of the points.
  number(rows, points) {
    const { plane } = this.plot, shown = rows.filter((row) => row !== null && row < points.length);
    children(this.numbers, shown, () => s("text"), (text, row) => {
      const [px, py] = [plane.x(points[row][0]), plane.y(points[row][1])], side = px > plane.width - 34 ? -1 : 1;
      set(text, { x: (px + side * 1.1 * this.em).toFixed(1), y: (py - 0.8 * this.em).toFixed(1), "text-anchor": side > 0 ? "start" : "end" });
      write(text, String(row + 1));
    });
  }
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
