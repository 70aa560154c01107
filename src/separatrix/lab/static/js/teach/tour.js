// The tour: a card that says something, asks, and answers. The solver has the words and knows what is right; the reader's own
// points wait there until the end, and how they were looked at waits here.

import { children, h, write } from "../draw/dom.js";
import { readState } from "../talk/link.js";
import { Chapters } from "./chapters.js";

const WHILE = 25000; // milliseconds on a task until its hint comes by itself
const PLACES = {
  x: [".x-view"], tab: [".w-view"], panel: [".panel"], rows: [".panel .rows"], settings: [".settings"], views: [".x-view", ".w-view"], mark: [],
};

export class Tour {
  constructor(app) {
    this.app = app;
    this.client = app.client;
    this.before = null; // how the page was looked at when the tour began, with the scene
    this.menu = new Chapters(app.hello.tour, (name) => this.go(name, 0), () => this.end());
    const button = (text, action, kind = "") => h("button", { text, class: kind, onclick: action });
    this.button = h("button", { text: "tour", title: "Chapters that ask first", "aria-haspopup": "dialog", onclick: () => this.menu.open(this.now?.chapter ?? null) });
    this.where = h("span", { class: "note" });
    this.fold = h("button", { class: "small fold", text: "fold", "aria-expanded": "true", onclick: () => this.foldOrOpen() });
    this.title = h("h2", { id: "tour-title", tabindex: "-1" });
    this.words = h("p", { class: "tour-words" });
    this.ask = h("p", { class: "tour-ask", id: "tour-ask" });
    this.choices = h("div", { class: "choices", role: "group", "aria-labelledby": "tour-ask" });
    this.keys = h("p", { class: "note tour-keys" });
    this.status = h("p", { class: "note tour-status" });
    this.hint = h("p", { class: "tour-hint" });
    this.said = h("p", { class: "tour-said" });
    this.changed = h("span", {});
    this.again = button("put them back", () => this.act("again"), "small");
    this.help = button("hint", () => this.act("hint"), "small");
    this.show = button("show me", () => this.act("show"), "small");
    this.mark = button("open Mark I", () => this.app.markOne.open());
    this.tools = h("div", { class: "row-of" }, this.help, this.show, this.mark);
    this.note = h("p", { class: "note" }, this.changed, " ", this.again);
    this.back = button("back", () => this.move(-1));
    this.next = button("next", () => this.move(1));
    this.body = h("div", { class: "tour-body" }, this.words,
      h("div", { class: "tour-asks" }, this.ask, this.keys, this.choices, this.status, this.tools, h("div", { role: "status", "aria-live": "polite" }, this.hint, this.said), this.note));
    this.element = h("section", { class: "tour card", "aria-labelledby": "tour-title", hidden: true },
      h("div", { class: "tour-head" }, this.where, this.fold, button("chapters", () => this.menu.open(this.now.chapter), "small"), button("end", () => this.end(), "small")),
      this.title, this.body, h("div", { class: "row-of tour-foot" }, this.back, this.next));
    this.element.addEventListener("keydown", (event) => this.cardKey(event));
  }

  // Where the solver says that the reader is; null where nobody is on the tour.
  get now() { return this.client.state.tour ?? null; }

  // Arrow keys and Escape, wherever nothing else needs them; whether it was one of these.
  key(name) {
    if (this.now === null || !["Escape", "ArrowLeft", "ArrowRight"].includes(name)) return false;
    if (name === "Escape") this.end();
    else this.move(name === "ArrowRight" ? 1 : -1);
    return true;
  }

  // In the card digits choose, the upright arrows go from choice to choice, and Enter goes on where nothing is open.
  cardKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.now === null) return;
    const all = [...this.choices.children], way = { ArrowDown: 1, ArrowUp: -1 }[event.key], digit = Number(event.key);
    if (this.key(event.key)) { /* done */ }
    else if (all.length > 0 && digit >= 1 && digit <= all.length) this.choose(digit - 1);
    else if (all.length > 0 && way) all[(all.indexOf(document.activeElement) + way + all.length + (way < 0 && !all.includes(document.activeElement) ? 1 : 0)) % all.length].focus();
    else if (event.key === "Enter" && document.activeElement === this.title && !this.open) this.move(1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Whether something was asked that is not answered or done yet.
  get open() {
    const { question, task } = this.now;
    return Boolean((question && question.chosen === null) || (task && !task.done));
  }

  saved() { return this.now === null ? null : { chapter: this.now.chapter, stop: this.now.stop }; }

  async restore(kept) {
    const chapter = kept && typeof kept.chapter === "string" ? this.menu.find(kept.chapter) : undefined;
    if (chapter && Number.isInteger(kept.stop) && kept.stop >= 0 && kept.stop < chapter.stops) await this.go(chapter.name, kept.stop);
    else if (this.now !== null) await this.end();
  }

  act(what, more = {}) { return this.client.act("tour", { do: what, ...more }); }

  go(chapter, stop) {
    this.arriving = this.arrive(chapter, stop); // who asks can wait for the scene to stand
    return this.arriving;
  }

  async arrive(chapter, stop) {
    const { app } = this;
    app.player.stop();
    if (this.now === null) this.before = readState(app);
    app.tabs.slice = null;
    const { tour, error } = await this.act("begin", { chapter, stop });
    if (error || !tour) return;
    if (tour.tab !== null) {
      await app.tabs.views[tour.tab].restore?.(tour.look);
      app.tabs.open(tour.tab);
    }
    this.element.scrollTop = this.body.scrollTop = 0;
    if (tour.at === "rows") app.panel.rows.open = true;
    this.unfold();
    this.title.focus({ preventScroll: true });
    this.point(tour.at);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { if (this.now?.task && !this.now.task.done && !this.now.task.hint) this.act("hint"); }, WHILE);
    await this.client.act("look");
    await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
    if (this.now === tour || (this.now?.chapter === tour.chapter && this.now.stop === tour.stop)) this.point(tour.at); // the new picture may have moved it
  }

  // To the next stop or the one before, over the border of a chapter.
  async move(way) {
    const { chapter, stop, stops } = this.now, there = stop + way;
    if (there >= 0 && there < stops) return this.go(chapter, there);
    if (way < 0) return undefined;
    this.menu.finished(chapter);
    const next = this.menu.after(chapter);
    return next ? this.go(next.name, 0) : this.end();
  }

  async choose(place) {
    if (!this.now.question || this.now.question.chosen !== null) return;
    this.app.player.stop();
    await this.act("answer", { choice: place });
    this.next.focus({ preventScroll: true });
    this.body.scrollTop = this.body.scrollHeight;
  }

  // The reader's own page comes back: the points and their run from the solver, and how they were looked at.
  async end() {
    const { app, before } = this, { tabs } = app;
    clearTimeout(this.timer);
    app.player.stop();
    await this.act("end");
    this.point(null);
    if (before !== null) {
      this.before = null;
      tabs.slice = before.slice ?? null;
      for (const [name, part] of Object.entries(app.parts)) if (part !== this && part !== app.markOne) await part.restore(before[name] ?? null);
      tabs.open(before.tab);
      app.markPreset(before.preset);
      await this.client.act("look");
    }
    this.button.focus({ preventScroll: true });
  }

  foldOrOpen() { if (this.element.classList.contains("folded")) this.unfold(); else this.folded(true); }

  unfold() { this.folded(false); }

  folded(yes) {
    this.element.classList.toggle("folded", yes);
    this.fold.setAttribute("aria-expanded", String(!yes));
    write(this.fold, yes ? "unfold" : "fold");
  }

  draw() {
    const { now } = this;
    this.element.hidden = now === null;
    this.app.root.classList.toggle("touring", now !== null);
    this.app.root.classList.toggle("touring-panel", now !== null && ["panel", "rows"].includes(now.at));
    if (now === null) return;
    const { question, task } = now;
    write(this.where, `${now.chapter_title} · ${now.stop + 1} of ${now.stops}`);
    write(this.title, now.title);
    write(this.words, now.words);
    write(this.ask, question ? question.text : task ? task.text : "");
    children(this.choices, question ? question.choices : [], (place) => h("button", { onclick: () => this.choose(place) }, h("kbd", { text: String(place + 1) }), h("span", {}), h("span", { class: "judged" })),
      (button, text, place) => {
        const right = question.right === place, chosen = question.chosen === place;
        write(button.children[1], text);
        write(button.children[2], right ? "✓" : chosen ? "✗ your answer" : "");
        button.className = right ? "right" : chosen ? "wrong" : "";
        button.setAttribute("aria-disabled", String(question.chosen !== null));
      });
    write(this.keys, task && !task.done ? task.keys : "");
    write(this.status, task ? task.status : "");
    write(this.hint, task && !task.done ? task.hint : "");
    const said = (question ?? task)?.said ?? "";
    write(this.said, said && task && !task.shown ? `Done. ${said}` : said);
    this.said.className = `tour-said${!said ? "" : question && question.chosen !== question.right ? " wrong" : " right"}`;
    this.help.hidden = !task || task.done || task.hint !== "";
    this.show.hidden = !task || task.done;
    this.mark.hidden = now.at !== "mark";
    write(this.changed, now.changed);
    this.note.hidden = now.changed === "";
    for (const part of [this.ask, this.keys, this.choices, this.status, this.hint, this.said]) part.hidden = part.textContent === "";
    this.tools.hidden = this.help.hidden && this.show.hidden && this.mark.hidden;
    const last = now.stop === now.stops - 1, more = this.menu.after(now.chapter);
    this.back.disabled = now.stop === 0;
    write(this.next, last ? (more ? "next chapter" : "finish") : this.open ? "skip" : "next");
    this.next.classList.toggle("ready", !this.open);
  }

  // What the words speak of is framed and, where not everything fits the screen, scrolled to.
  point(at) {
    for (const element of this.app.root.querySelectorAll(".pointed")) element.classList.remove("pointed");
    const found = (PLACES[at] ?? []).map((where) => this.app.root.querySelector(where));
    for (const element of found) element.classList.add("pointed");
    if (at === "mark") this.app.markOne.button.classList.add("pointed");
    if (found.length === 0) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    found[0].scrollIntoView({ block: window.innerWidth <= 1250 || at === "rows" ? "start" : "nearest", behavior: still ? "auto" : "smooth" });
  }
}
