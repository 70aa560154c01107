// The menu of the tour: its chapters, with those that were gone through marked. What was done is kept for the next time.

import { h } from "../draw/dom.js";

const KEY = "separatrix-lab-tour";

export class Chapters {
  // `contents` is { says, chapters }, `begin(name)` opens a chapter, `end()` leaves the tour.
  constructor(contents, begin, end) {
    this.chapters = contents.chapters;
    this.done = new Set(kept());
    this.buttons = new Map();
    const close = () => this.element.close();
    const list = h("ol", {}, this.chapters.map(({ name, title }, place) => {
      const button = h("button", { onclick: () => { close(); begin(name); } },
        h("span", { class: "chapter-number", text: String(place + 1) }), h("span", { text: title }), h("span", { class: "chapter-done" }));
      this.buttons.set(name, button);
      return h("li", {}, button);
    }));
    this.leave = h("button", { text: "end the tour", onclick: () => { close(); end(); } });
    this.element = h("dialog", { class: "chapters", "aria-labelledby": "chapters-title" }, h("h2", { id: "chapters-title", text: "Tour" }),
      h("p", { text: contents.says }), list, h("div", { class: "row-of" }, this.leave, h("form", { method: "dialog" }, h("button", { text: "close" }))));
    list.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("click", (event) => { if (event.target === this.element) close(); });
  }

  // The chapter after one, or undefined.
  after(name) { return this.chapters[this.chapters.findIndex((each) => each.name === name) + 1]; }

  find(name) { return this.chapters.find((each) => each.name === name); }

  // Opens the menu at the chapter that is on, or else at the first that is left.
  open(now) {
    for (const [name, button] of this.buttons) {
      const done = this.done.has(name);
      button.classList.toggle("done", done);
      button.lastChild.textContent = done ? "✓ done" : "";
      if (name === now) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    this.leave.hidden = now === null;
    this.element.showModal();
    const left = this.chapters.find(({ name }) => !this.done.has(name)) ?? this.chapters[0];
    this.buttons.get(now ?? left.name).focus();
  }

  key(event) {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key], all = [...this.buttons.values()];
    if (!way) return;
    event.preventDefault();
    all[(all.indexOf(document.activeElement) + way + all.length) % all.length].focus();
  }

  finished(name) {
    this.done.add(name);
    try { localStorage.setItem(KEY, JSON.stringify([...this.done])); } catch { /* a browser may keep nothing */ }
  }
}

function kept() {
  try {
    const names = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(names) ? names : [];
  } catch {
    return [];
  }
}
