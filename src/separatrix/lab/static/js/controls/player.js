// Play, pause, step, back, reset, speed: the run as a film that the solver makes while it is shown.

import { children, h, set, show, turn, write } from "../draw/dom.js";
import { icon } from "../draw/icons.js";

export class Player {
  constructor(client) {
    this.client = client;
    client.playing = false;
    const button = (name, sign, title, action) => h("button", { class: `play-${name}`, "aria-label": title.split(" (")[0], title, onclick: action }, icon(sign));
    this.playButton = button("toggle", "play", "Play (P)", () => this.toggle());
    this.speed = h("input", { type: "range", min: 0, max: 100, value: 35, "aria-label": "Speed", oninput: () => this.saySpeed() });
    this.speedText = h("output", {});
    this.time = h("input", { type: "range", min: 0, max: 1, value: 0, class: "timeline", "aria-label": "Step shown",
      oninput: () => { this.stop(); client.keep("seek", "seek", { step: Number(this.time.value) }); } });
    this.counter = h("span", { class: "counter" });
    this.note = h("span", { class: "note-line", role: "status", "aria-live": "polite" });
    this.release = h("button", { class: "small release", text: "back to the run", title: "Show the run again, instead of your w (Esc in w-space)", hidden: true, onclick: () => client.act("release") });
    this.formulas = h("p", { class: "formulas" });
    this.said = h("div", { class: "said" }, h("div", {}, h("p", {}, this.note, " ", this.release), this.formulas));
    this.element = h("div", { class: "player", role: "group", "aria-label": "The run, step by step" },
      h("div", { class: "buttons" },
        button("reset", "reset", "Reset to the start (R)", () => this.reset()),
        button("back", "back", "Back one step (B)", () => this.back()),
        this.playButton,
        button("step", "step", "One step (S)", () => this.step()),
        button("end", "end", "Go to the end (E)", () => this.end())),
      h("label", { class: "speed" }, h("span", { text: "speed" }), this.speed, this.speedText),
      this.time, this.counter);
    this.saySpeed();
  }

  // Steps a second: from one in two seconds to a thousand.
  get rate() { return 0.5 * 2000 ** (Number(this.speed.value) / 100); }

  saySpeed() {
    const text = `${show(this.rate, 2)} steps/s`;
    write(this.speedText, text);
    this.speed.setAttribute("aria-valuetext", text);
  }

  toggle() {
    if (this.client.playing) this.stop();
    else this.play();
  }

  async play() {
    const { run } = this.client.state;
    if (!run.ready) return;
    this.client.playing = true;
    this.draw();
    if (run.over) await this.client.act("seek", { step: 0 });
    while (this.client.playing) {
      const began = performance.now();
      const every = Math.max(33, 1000 / this.rate);
      const count = Math.max(1, Math.min(500, Math.round((this.rate * every) / 1000)));
      const reply = await this.client.act("step", { count });
      if (reply.error || this.client.state.run.over || this.client.state.run.full) this.stop();
      const rest = every - (performance.now() - began);
      if (this.client.playing) await new Promise((go) => setTimeout(go, Math.max(0, rest)));
    }
  }

  stop() {
    this.client.playing = false;
    this.draw();
  }

  reset() { this.stop(); return this.client.act("seek", { step: 0 }); }

  step() { this.stop(); return this.client.act("step"); }

  back() { this.stop(); return this.client.act("back"); }

  end() { this.stop(); return this.client.act("finish"); }

  drawButtons(ready, playing) {
    if (this.ready === ready && this.shown === playing) return;
    [this.ready, this.shown] = [ready, playing];
    for (const input of this.element.querySelectorAll("button, .timeline")) input.disabled = !ready;
    this.playButton.replaceChildren(icon(playing ? "pause" : "play"));
    const title = playing ? "Pause" : "Play";
    set(this.playButton, { "aria-label": title, title: `${title} (P)` });
  }

  draw() {
    const { run } = this.client.state;
    this.drawButtons(run.ready, this.client.playing);
    set(this.time, { max: Math.max(run.steps, 1), "aria-valuetext": `step ${run.step} of ${run.steps}` });
    turn(this.time, String(run.steps === 0 && run.over ? 1 : run.step));
    write(this.counter, run.by_hand ? "your w" : run.leapt ? "end" : `step ${run.step}${run.step < run.steps ? ` of ${run.steps}` : ""}`);
    write(this.note, run.note);
    if (this.release.hidden !== !run.by_hand) this.release.hidden = !run.by_hand;
    children(this.formulas, run.formulas || [], () => h("span", { class: "formula" }), (span, text) => write(span, text));
  }
}
