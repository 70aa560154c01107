// Which settings each algorithm has, and the control for each.

import { h, set, show, turn, write } from "../draw/dom.js";

const KINDS = {
  bias: { label: "bias", choices: { unit: "unit: column 1", radius: "radius: column R", none: "none" } },
  freeBias: { label: "bias", name: "bias", choices: { unit: "free", none: "none" } },
  columnBias: { label: "bias", name: "bias", choices: { unit: "unit: column 1", none: "none" } },
  order: { label: "order", choices: { cyclic: "cyclic", shuffle: "shuffled" } },
  start: { label: "start", choices: { zero: "w = 0", row: "w = y₁x₁" } },
  rule: { label: "step rule", choices: { fixed: "fixed", decreasing: "1/√t", "line-search": "line search" } },
  loss: { label: "loss", choices: { hinge: "hinge", squared_hinge: "squared hinge" } },
  solver: { label: "solver", choices: { "interior-point": "interior point", "coordinate-descent": "coordinate descent" } },
  kernel: { label: "kernel", choices: { rbf: "Gaussian (rbf)", poly: "polynomial" } },
  step: { label: "step size ε", from: 0.01, to: 100 },
  drift: { label: "drift, degrees a point", from: 0, to: 3, linear: true },
  C: { label: "C", from: 0.001, to: 10000 },
  gamma: { label: "γ: larger is narrower", from: 0.01, to: 100 },
  scale: { label: "factor γ of (γ x·z + c)ᵈ", name: "gamma", from: 0.01, to: 100 },
  degree: { label: "degree d", from: 1, to: 9, whole: true },
  coef0: { label: "constant c", from: 0, to: 10, linear: true },
};

export const ALGORITHMS = {
  gradient: { title: "Gradient descent", settings: ["rule", "step", "bias", "start"] },
  perceptron: { title: "Perceptron", settings: ["bias", "order", "step", "start"] },
  online: { title: "Online perceptron", settings: ["columnBias", "drift"] },
  "hard-margin": { title: "Hard margin", settings: ["freeBias"] },
  "soft-margin": { title: "Soft margin", settings: ["C", "loss", "freeBias", "solver"] },
  "kernel-perceptron": { title: "Kernel perceptron", settings: ["kernel", "gamma", "scale", "degree", "coef0", "order"] },
  "kernel-svm": { title: "Kernel SVM", settings: ["C", "kernel", "gamma", "scale", "degree", "coef0"] },
};

export class Settings {
  constructor(client) {
    this.client = client;
    this.element = h("div", { class: "settings", role: "group", "aria-label": "Settings of the algorithm" });
    this.controls = new Map();
    this.grabs = 0;
  }

  draw() {
    const { scene } = this.client.state;
    if (!scene.algorithm) return;
    const names = ALGORITHMS[scene.algorithm].settings.filter((name) => !hidden(name, scene));
    const now = names.join(" ");
    if (now !== this.shown) {
      this.shown = now;
      this.controls.clear();
      this.element.replaceChildren(...names.map((name) => this.make(name)));
      if (this.client.fixed) for (const input of this.element.querySelectorAll("select, input")) input.disabled = true;
    }
    for (const [name, control] of this.controls) control(scene[KINDS[name].name || name]);
  }

  make(name) {
    const kind = KINDS[name], field = kind.name || name;
    if (kind.choices) {
      const select = h("select", { "data-setting": field, onchange: () => this.client.act("set", { settings: { [field]: select.value } }) },
        Object.entries(kind.choices).map(([value, text]) => h("option", { value, text })));
      this.controls.set(name, (value) => turn(select, kind.choices[value] ? value : Object.keys(kind.choices)[0]));
      return h("label", { class: "setting" }, h("span", { text: kind.label }), select);
    }
    const output = h("output", {});
    const input = h("input", { type: "range", "data-setting": field, min: kind.whole ? kind.from : 0, max: kind.whole ? kind.to : 1000, step: 1 });
    const value = () => (kind.whole ? Number(input.value)
      : kind.linear ? Number((kind.from + (kind.to - kind.from) * (Number(input.value) / 1000)).toPrecision(3))
        : Number((kind.from * (kind.to / kind.from) ** (Number(input.value) / 1000)).toPrecision(3)));
    const say = (number) => {
      write(output, show(number, 3));
      set(input, { "aria-valuetext": show(number, 3) });
    };
    input.addEventListener("pointerdown", () => { this.grabs = this.client.grab(); });
    input.addEventListener("input", () => {
      say(value());
      this.client.keep(`set-${field}`, "set", { settings: { [field]: value() }, grab: this.grabs });
    });
    input.addEventListener("focus", () => { this.grabs = this.client.grab(); });
    input.addEventListener("change", () => this.client.look());
    this.controls.set(name, (number) => {
      say(number);
      if (document.activeElement === input && Math.abs(value() - number) <= 1e-9 * Math.abs(number)) return;
      turn(input, String(kind.whole ? number : kind.linear ? Math.round((1000 * (number - kind.from)) / (kind.to - kind.from))
        : Math.round((1000 * Math.log(number / kind.from)) / Math.log(kind.to / kind.from))));
    });
    return h("label", { class: "setting slider" }, h("span", {}, kind.label, " ", output), input);
  }
}

function hidden(name, scene) {
  if (name === "step") return scene.algorithm === "gradient" && scene.rule !== "fixed";
  if (name === "drift") return scene.drift === null; // nobody knows by which line these points got their labels
  if (name === "gamma") return scene.kernel !== "rbf";
  if (name === "degree" || name === "coef0" || name === "scale") return scene.kernel !== "poly";
  return false;
}
