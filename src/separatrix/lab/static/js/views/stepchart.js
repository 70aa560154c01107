// A small chart: how many steps descent needs, against the size of its step.

import { h, s, show } from "../draw/dom.js";

const WIDTH = 420, HEIGHT = 130, LEFT = 46, RIGHT = 12, TOP = 16, BOTTOM = 34;

export class StepChart {
  constructor(client) {
    this.client = client;
    this.holder = h("div", { class: "chart" });
    this.element = h("details", { class: "step-chart", ontoggle: () => this.draw(true) },
      h("summary", { text: "Iterations against step size" }), this.holder);
    this.drawnFor = "";
  }

  async draw() {
    const { scene, run } = this.client.state;
    if (!this.element.open || !run.ready) return;
    const now = JSON.stringify([scene.points, scene.bias]);
    if (now === this.drawnFor) return;
    this.drawnFor = now;
    const { step_sizes: found } = await this.client.act("step-sizes");
    if (found) this.show(found);
  }

  show({ sizes, steps, limit }) {
    const ended = sizes.map((size, k) => [size, steps[k]]).filter(([, count]) => count !== null), counts = ended.map(([, count]) => count);
    // A logarithmic scale has no 0: a start that needs no step stands on the floor, which is then labelled so.
    const powers = [0, 1, 2, 3].filter((power) => 10 ** power <= Math.max(10, ...counts) * 1.001), most = Math.max(10, ...counts);
    const x = (size) => LEFT + ((Math.log10(size) + 2) / 4) * (WIDTH - LEFT - RIGHT);
    const y = (count) => HEIGHT - BOTTOM - ((Math.log10(Math.max(count, 0.5)) - Math.log10(0.5)) / (Math.log10(most) - Math.log10(0.5))) * (HEIGHT - TOP - BOTTOM);
    const labels = [...(counts.includes(0) ? [0] : []), ...powers.flatMap((power) => [1, 2, 5].map((each) => each * 10 ** power)).filter((count) => count <= most)];
    const label = ended.length === 0 ? `No step size separates these points within ${limit} steps.`
      : `Between ${Math.min(...counts)} and ${Math.max(...counts)} steps, from w = y₁x₁. From w = 0 the step size does not matter.`;
    const picture = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Steps against step size, both on logarithmic scales. ${label}` },
      s("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM }),
      s("line", { class: "axis", x1: LEFT, x2: LEFT, y1: TOP, y2: HEIGHT - BOTTOM }),
      [0.01, 0.1, 1, 10, 100].map((size) => s("text", { x: x(size), y: HEIGHT - BOTTOM + 14, "text-anchor": "middle", text: show(size) })),
      labels.map((count) => s("line", { class: "axis", x1: LEFT - 4, x2: LEFT, y1: y(count), y2: y(count) })),
      labels.filter((count) => count === 0 || Number.isInteger(Math.log10(count)) || most <= 20).map((count) => s("text", { class: "count", x: LEFT - 7, y: y(count) + 4, "text-anchor": "end", text: String(count) })),
      s("text", { x: (WIDTH + LEFT) / 2, y: HEIGHT - 3, "text-anchor": "middle", text: "step size ε (log scale)" }),
      s("text", { x: 4, y: TOP - 2, text: "steps (log scale)" }),
      s("polyline", { class: "curve", points: ended.map(([size, count]) => `${x(size)},${y(count)}`).join(" ") }),
      ended.map(([size, count]) => s("circle", { class: "mark", cx: x(size), cy: y(count), r: 3 }, s("title", { text: `step size ${show(size, 3)}: ${count} ${count === 1 ? "step" : "steps"}` }))));
    this.holder.replaceChildren(picture, h("p", { class: "note", text: label }));
  }
}
