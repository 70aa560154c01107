// A guided tour from the perceptron to the SVM: each stop is a scene and a few words. Your own points come back after it.

import { h, write } from "../draw/dom.js";
import { STOPS } from "./stops.js";

export class Tour {
  constructor(app) {
    this.app = app;
    this.place = -1;
    this.before = null; // the scene that was there when it began
    this.button = h("button", { text: "tour", title: "Two minutes from the perceptron to the SVM", onclick: () => this.go(0) });
    this.title = h("h2", { id: "tour-title" });
    this.words = h("p", {});
    this.count = h("span", { class: "note" });
    this.back = h("button", { text: "back", onclick: () => this.go(this.place - 1) });
    this.next = h("button", { text: "next", onclick: () => this.go(this.place + 1) });
    this.element = h("section", { class: "tour card", "aria-labelledby": "tour-title", hidden: true },
      this.title, h("div", { "aria-live": "polite" }, this.words),
      h("div", { class: "row-of" }, this.count, this.back, this.next, h("button", { text: "end", onclick: () => this.end() })));
    this.element.addEventListener("keydown", (event) => {
      if (this.key(event.key)) event.stopPropagation();
    });
  }

  // Arrow keys and Escape, wherever nothing else needs them; whether it was one of these.
  key(name) {
    if (this.place < 0 || !["Escape", "ArrowLeft", "ArrowRight"].includes(name)) return false;
    if (name === "Escape") this.end();
    else this.go(this.place + (name === "ArrowRight" ? 1 : -1));
    return true;
  }

  saved() { return this.place < 0 ? null : this.place; }

  async restore(kept) {
    if (Number.isInteger(kept) && kept >= 0 && kept < STOPS.length) this.show(kept);
    else if (this.place >= 0) this.close();
  }

  async go(place) {
    if (place >= STOPS.length) {
      await this.end();
      return;
    }
    if (this.before === null) this.before = JSON.stringify(this.app.client.state.scene);
    this.app.player.stop();
    this.show(Math.max(0, place));
    this.next.focus({ preventScroll: true });
    this.arriving = STOPS[this.place][2](this.app); // who asks can wait for the scene to stand
    await this.arriving;
    if (this.place >= 0) this.point(STOPS[this.place][1]); // the scene may have moved it
  }

  // The card of a stop, without its scene.
  show(place) {
    const [title, where, , words] = STOPS[place];
    this.place = place;
    this.element.hidden = false;
    this.app.root.classList.add("touring");
    write(this.title, title);
    write(this.words, words);
    write(this.count, `${place + 1} of ${STOPS.length}`);
    this.back.disabled = place === 0;
    this.next.textContent = place === STOPS.length - 1 ? "done" : "next";
    this.point(where);
  }

  point(where) {
    for (const element of this.app.root.querySelectorAll(".pointed")) element.classList.remove("pointed");
    if (!where) return;
    const pointed = this.app.root.querySelector(where);
    pointed.classList.add("pointed");
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    // Where everything fits the screen nothing scrolls; on a phone the card is below and what it speaks of above it.
    pointed.scrollIntoView({ block: window.innerWidth <= 760 ? "start" : "nearest", behavior: still ? "auto" : "smooth" });
    // The words stand beside what they speak of, not on it.
    const { left, width } = pointed.getBoundingClientRect(), whole = this.app.root.getBoundingClientRect();
    this.element.classList.toggle("left", width < 0.6 * whole.width && left - whole.left > 0.2 * whole.width);
  }

  close() {
    this.place = -1;
    this.element.hidden = true;
    this.app.root.classList.remove("touring");
    this.point(null);
  }

  async end() {
    this.app.player.stop();
    this.close();
    this.button.focus({ preventScroll: true });
    await this.giveBack();
  }

  // The scene that the tour had put aside, once.
  async giveBack() {
    const { before } = this;
    this.before = null;
    if (before !== null && before !== JSON.stringify(this.app.client.state.scene)) await this.app.client.act("load", { scene: JSON.parse(before) });
  }
}
