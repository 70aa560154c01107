// A guided tour from the perceptron to the SVM: two minutes, a dozen stops, each a scene and a sentence or two.

import { h, write } from "./dom.js";

const run = (name, settings = {}, tab = "w") => async ({ client, tabs }) => {
  tabs.cut(null);
  tabs.open(tab);
  await client.act("preset", { name });
  if (Object.keys(settings).length) await client.act("set", { settings });
};
const from = (stop, step) => async (app) => { await stop(app); await app.client.act("seek", { step }); };
const play = (stop, speed) => async (app) => {
  await from(stop, 0)(app);
  app.player.speed.value = speed;
  app.player.saySpeed();
  app.player.play();
};

const STOPS = [
  ["Two spaces", ".views", from(run("origin"), 0), "Left, x-space: points of two classes. Right, w-space: every point has become a line through 0, its normal is the point. "
    + "A line that separates left is one point right, somewhere in the shaded wedge."],
  ["The perceptron", ".controls", play(run("origin"), 18), "It looks at one point after the other. Where a point is on the wrong side, w jumps along it: watch w walk into the wedge."],
  ["It always ends, if it can", ".panel", run("eight"), "These eight points took 106 updates. The theorem allows 1683 at most, whatever the order. Many libraries stop before: this one runs until no point is wrong."],
  ["The risk", ".w-view", run("origin", { algorithm: "gradient" }, "risk"), "The same as descent: the risk is a bowl of flat pieces with its creases on the points' lines. In the dark floor every point is right."],
  ["When no line exists", ".x-view", run("xor", { algorithm: "perceptron" }), "The perceptron would run for ever. But four points prove that nobody can do better: weighted so, they cancel exactly."],
  ["The widest slab", ".x-view", run("separable"), "Of all separators one is best: the widest slab with no point inside. Few points hold it, the ringed ones: the support vectors."],
  ["A corner of a polyhedron", ".w-view", run("separable", {}, "solid"), "In (w, b)-space each point is a plane that w must be beyond. The widest slab is the place of the polyhedron nearest to the b-axis. Turn it with the mouse."],
  ["Errors have a price", ".settings", run("overlapping"), "With a soft margin points may be on the wrong side, at a price C each. Move C: small is wide and lenient, large is narrow and strict."],
  ["Primal and dual meet", ".panel", play(run("overlapping"), 12), "From above the primal objective, from below the dual. Where they meet nothing better exists: that is the certificate, and anyone can check it."],
  ["Curves from kernels", ".x-view", run("xor"), "The perceptron only needs products of points. Another product, a kernel, is another space: there the four corners are separable."],
  ["The kernel SVM", ".x-view", run("circles"), "The widest slab in the kernel's space is a ring here. Move the width γ and see it bend."],
  ["Yours", ".x-view", run("separable"), "Click to add points, drag them, press play. The address of this page is the scene: send it to somebody."],
];

export class Tour {
  constructor(app) {
    this.app = app;
    this.place = -1;
    this.button = h("button", { text: "tour", title: "Two minutes from the perceptron to the SVM", onclick: () => this.go(0) });
    this.title = h("h2", { id: "tour-title" });
    this.words = h("p", {});
    this.count = h("span", { class: "note" });
    this.back = h("button", { text: "back", onclick: () => this.go(this.place - 1) });
    this.next = h("button", { text: "next", onclick: () => this.go(this.place + 1) });
    this.element = h("section", { class: "tour card", "aria-labelledby": "tour-title", hidden: true },
      this.title, h("div", { "aria-live": "polite" }, this.words),
      h("div", { class: "row-of" }, this.count, this.back, this.next, h("button", { text: "end", onclick: () => this.end() })));
    this.element.addEventListener("keydown", (event) => { if (event.key === "Escape") this.end(); });
  }

  async go(place) {
    if (place >= STOPS.length) {
      this.end();
      return;
    }
    this.place = Math.max(0, place);
    const [title, where, stop, words] = STOPS[this.place];
    this.app.player.stop();
    this.element.hidden = false;
    write(this.title, title);
    write(this.words, words);
    write(this.count, `${this.place + 1} of ${STOPS.length}`);
    this.back.disabled = this.place === 0;
    this.next.textContent = this.place === STOPS.length - 1 ? "done" : "next";
    this.point(where);
    this.next.focus();
    this.arriving = stop(this.app); // who asks can wait for the scene to stand
    await this.arriving;
  }

  point(where) {
    for (const element of this.app.root.querySelectorAll(".pointed")) element.classList.remove("pointed");
    if (!where) return;
    const pointed = this.app.root.querySelector(where);
    pointed.classList.add("pointed");
    // The words stand beside what they speak of, not on it.
    const { left, width } = pointed.getBoundingClientRect(), whole = this.app.root.getBoundingClientRect();
    this.element.classList.toggle("left", width < 0.6 * whole.width && left - whole.left > 0.2 * whole.width);
  }

  end() {
    this.place = -1;
    this.app.player.stop();
    this.element.hidden = true;
    this.point(null);
    this.button.focus();
  }
}
