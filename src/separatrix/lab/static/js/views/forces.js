// The dual as forces: every support vector pushes on the slab, the pushes balance; complementary slackness point by point.

import { children, h, set, show, write } from "../draw/dom.js";
import { SlabPlot, makeChoice, makeWide, writeLines } from "./slabplot.js";
import { subscript } from "./margin.js";

const LONGEST = 0.3, LABELS = 14, SEEN = 0.04; // of the shorter side of the picture; arrows that are all numbered; share of the longest that is

export class Forces {
  constructor(client) {
    this.client = client;
    this.name = "forces";
    this.about = "balance";
    this.slab = new SlabPlot(client, "The support vectors push on the slab with forces alpha, which balance", () => this.draw());
    this.choice = makeChoice("What is said", [["balance", "balance", "why the forces balance"], ["kinds", "kinds", "the kinds of support vectors"]], (about) => this.choose(about));
    this.list = h("ul", { class: "kinds" });
    this.says = h("p", { class: "says" });
    this.words = h("div", { class: "words", tabindex: "0", role: "region", "aria-label": "About the forces" }, this.list);
    this.body = h("tbody", {});
    this.table = h("div", { class: "scroll cases", tabindex: "0", role: "region", "aria-label": "Complementary slackness, point by point" },
      h("table", {}, h("thead", {}, h("tr", {}, ["point", "α", "y f(x)", "ξ", "case"].map((name) => h("th", { scope: "col", text: name })))), this.body));
    this.controls = h("div", { class: "row-of" }, this.choice.element);
    this.element = h("div", { class: "tab-body forces-tab" }, this.slab.element, this.controls, this.words, this.says, this.table);
    this.wide = makeWide(client, this.element);
    this.controls.append(this.wide.button);
    client.onhover(() => { if (this.element.isConnected) { this.draw(); this.reveal(); } });
  }

  choose(about) {
    this.about = about;
    this.draw();
    this.client.onview();
  }

  saved() { return this.about === "balance" && !this.wide.on ? null : { about: this.about, wide: this.wide.on }; }

  restore(kept) {
    this.about = kept && kept.about === "kinds" ? "kinds" : "balance";
    this.wide.turn(Boolean(kept && kept.wide === true));
  }

  draw() {
    const { forces, run } = this.client.state;
    if (run.ready && forces === undefined) return; // the answer with this view is on its way
    const there = Boolean(run.ready && forces);
    this.words.hidden = this.table.hidden = !there;
    this.choice.element.hidden = !there || forces.kinds.length === 0;
    this.choice.turn(this.about);
    if (!there) {
      this.slab.clear(run.ready ? "This picture is of a slab in the plane." : "Put down points of both classes to see what holds the slab.");
      return;
    }
    const still = forces.forces.length === 0, kinds = this.about === "kinds" && forces.kinds.length > 0;
    this.slab.say(still && !forces.w ? forces.says : "");
    write(this.says, still && !forces.w ? "" : forces.says);
    this.words.classList.toggle("short", kinds);
    writeLines(this.list, kinds ? forces.kinds : forces.balance, "li");
    this.slab.draw(forces, this.items(forces), forces.forces.filter(({ share }) => share > SEEN).map(({ row }) => row).slice(0, LABELS));
    this.drawTable(forces);
  }

  // An arrow that ends at its point, as long as its force; and the line between the two centres of pressure.
  items(forces) {
    const { scene } = this.client.state, { plane, em } = this.slab.plot, { hovered } = this.client, few = forces.forces.length <= LABELS;
    const unit = LONGEST * Math.min(plane.width, plane.height) / plane.unit, gap = 0.62 * em / plane.unit;
    const arrows = forces.forces.filter(({ row }) => row < scene.points.length).map(({ row, size, share }) => {
      const [x1, x2, y] = scene.points[row], [n1, n2] = forces.direction, far = gap + unit * share;
      return { from: [x1 + y * far * n1, x2 + y * far * n2], to: [x1 + y * gap * n1, x2 + y * gap * n2], ends: "to", short: row !== hovered,
        text: (few && share > SEEN) || row === hovered ? `α${subscript(row + 1)} = ${show(size, 3)}` : "", look: `force ${y > 0 ? "plus" : "minus"} ${row === hovered ? "lit" : ""}` };
    });
    return [...arrows, ...(forces.centres ? [{ from: forces.centres[0], to: forces.centres[1], text: "", look: "centres", ends: "dots" }] : [])];
  }

  drawTable(forces) {
    const { hovered } = this.client;
    children(this.body, forces.table, () => {
      const line = h("tr", { onpointerenter: () => this.client.hover(line.row), onpointerleave: () => this.client.hover(null) }, ...Array.from({ length: 5 }, () => h("td")));
      return line;
    }, (line, { row, cells, case: name }) => {
      line.row = row;
      set(line, { "data-row": row, class: `${name} ${row === hovered ? "lit" : ""}` });
      cells.forEach((text, k) => write(line.children[k], text));
    });
  }

  // The line of a point that is pointed at elsewhere comes into view.
  reveal() {
    const line = this.client.hovered === null || this.table.matches(":hover") ? null : [...this.body.children].find(({ row }) => row === this.client.hovered);
    if (line) this.table.scrollTop = line.offsetTop - this.table.clientHeight / 2;
  }
}
