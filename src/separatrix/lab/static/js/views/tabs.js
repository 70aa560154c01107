// Tabs over the pictures beside x-space; only the one that is open is asked for and drawn. One b cuts those of w-space;
// a picture that can be cut across other axes too says so in its answer (`cut`) and keeps those places itself (`cutAt`).
// The solver says which pictures a scene has (`run.tabs`); one that was chosen comes back with the next scene that has it.

import { h, set, show, write } from "../draw/dom.js";

export class Tabs {
  // `titles` are { name, title, key } in the order of the page, `views` the pictures by name.
  constructor(client, titles, views) {
    this.client = client;
    this.views = views;
    this.slice = null; // null: at the b of the run
    this.buttons = new Map();
    const list = h("div", { class: "tabs", role: "tablist", "aria-label": "Pictures" },
      titles.map(({ name, title, key }) => {
        const button = h("button", { role: "tab", id: `tab-${name}`, "aria-controls": "tab-panel", title: `${title} (${key})`, onclick: () => this.open(name), text: title });
        this.buttons.set(name, button);
        return button;
      }));
    list.addEventListener("keydown", (event) => this.key(event));
    this.body = h("div", { id: "tab-panel", class: "tab-panel", role: "tabpanel" });
    this.input = h("input", { type: "range", min: -1, max: 1, step: "any", oninput: () => this.cut(Number(this.input.value)) });
    this.value = h("output", {});
    this.follow = h("button", { class: "small", text: "follow", "aria-label": "follow the run", title: "Cut at the w and b of the run", onclick: () => this.cut(null) });
    this.cutter = h("div", { class: "cutter" }, h("label", {}, this.label = h("span"), this.value, h("span", { class: "track" }, this.input)), this.follow);
    this.element = h("section", { class: "card view w-view", "aria-label": "pictures" }, h("header", {}, list), this.body, this.cutter);
    for (const view of Object.values(views)) view.oncut = (b) => this.cut(b);
    this.open(titles[0].name);
  }

  get shown() { return this.views[this.name]; }

  open(name) {
    if (!Object.hasOwn(this.views, name)) return;
    this.chosen = name;
    this.turnTo(name);
    this.client.look();
  }

  turnTo(name) {
    this.name = name;
    for (const [each, button] of this.buttons) {
      button.setAttribute("aria-selected", String(each === name));
      button.tabIndex = each === name ? 0 : -1;
    }
    this.body.setAttribute("aria-labelledby", `tab-${name}`);
    this.body.replaceChildren(this.shown.element);
  }

  // Only the pictures that this scene has can be opened; with none, the one that is there says why.
  offer(names) {
    for (const [name, button] of this.buttons) button.hidden = !names.includes(name);
    const wanted = names.includes(this.chosen) ? this.chosen : names[0] ?? this.name;
    if (wanted === this.name) return;
    this.turnTo(wanted);
    this.client.look();
  }

  key(event) {
    const names = [...this.buttons.keys()].filter((name) => !this.buttons.get(name).hidden), way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    this.open(names[(names.indexOf(this.name) + way + names.length) % names.length]);
    this.buttons.get(this.name).focus();
  }

  cut(b) {
    if (!this.shown.cutAt?.(b)) this.slice = b;
    this.client.look();
    this.client.onview();
  }

  // `quick` while something is dragged: a picture may then leave out what takes long.
  options(quick) {
    const { shown } = this;
    return { slice: this.slice, quick, ...(shown.options ? shown.options() : {}) };
  }

  draw() {
    this.offer(this.client.state.run.tabs || []);
    const { state } = this.client, now = state[this.shown.name];
    const there = Boolean(state.run.ready && now) && state.scene.bias !== "none" && this.shown.cuts === true;
    this.cutter.hidden = !there || this.client.fixed;
    if (!this.cutter.hidden) {
      const { name, at, reach } = now.cut ?? { name: "b", at: now.b, reach: Math.max(now.extent_b, Math.abs(now.b) * 1.5, 0.5) };
      set(this.input, { min: -reach, max: reach, "aria-label": `Cross-section at ${name}`, "aria-valuetext": show(at, 3) });
      if (document.activeElement !== this.input) this.input.value = at;
      write(this.label, `cross-section ${name} = `);
      write(this.value, show(at, 3));
      this.follow.disabled = this.shown.cutAt && name !== "b" ? this.shown.following : this.slice === null;
    }
    this.shown.draw();
  }
}
