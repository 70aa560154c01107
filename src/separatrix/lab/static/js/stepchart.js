// A small chart: how many steps descent needs, against the size of its step.

import { h, s, show } from "./dom.js";

const WIDTH = 420, HEIGHT = 130, LEFT = 46, RIGHT = 12, TOP = 12, BOTTOM = 34;

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
    const most = Math.max(10, ...steps.filter((count) => count !== null).map((count) => count + 1));
    const x = (size) => LEFT + ((Math.log10(size) + 2) / 4) * (WIDTH - LEFT - RIGHT);
    const y = (count) => HEIGHT - BOTTOM - (Math.log10(count + 1) / Math.log10(most + 1)) * (HEIGHT - TOP - BOTTOM);
    const ended = sizes.map((size, k) => [size, steps[k]]).filter(([, count]) => count !== null);
    const label = ended.length === 0 ? `No step size separates these points within ${limit} steps.`
      : `Between ${Math.min(...ended.map(([, c]) => c))} and ${Math.max(...ended.map(([, c]) => c))} steps.`;
    const picture = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Steps against step size. ${label}` },
      s("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM }),
      s("line", { class: "axis", x1: LEFT, x2: LEFT, y1: TOP, y2: HEIGHT - BOTTOM }),
      [0.01, 0.1, 1, 10, 100].map((size) => s("text", { x: x(size), y: HEIGHT - BOTTOM + 14, "text-anchor": "middle", text: show(size) })),
      [0, 9, 99, 999].filter((count) => count <= most).map((count) => s("text", { x: LEFT - 6, y: y(count) + 4, "text-anchor": "end", text: String(count === 0 ? 0 : count + 1) })),
      s("text", { x: (WIDTH + LEFT) / 2, y: HEIGHT - 3, "text-anchor": "middle", text: "step size, from w = y₁x₁" }),
      s("text", { x: 8, y: TOP - 1, text: "steps" }),
      s("polyline", { class: "curve", points: ended.map(([size, count]) => `${x(size)},${y(count)}`).join(" ") }),
      ended.map(([size, count]) => s("circle", { class: "mark", cx: x(size), cy: y(count), r: 3 }, s("title", { text: `step ${show(size, 3)}: ${count} steps` }))));
    this.holder.replaceChildren(picture, h("p", { class: "note", text: label }));
  }
}
