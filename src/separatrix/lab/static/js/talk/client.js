// What the page knows, and the one line of requests to the solver: one under way at a time.
// Actions wait their turn. A drag does not: only its latest position is kept, so nothing piles up.

import { Pace } from "./pace.js";

// These change nothing: only who asked hears the answer.
export const QUESTIONS = new Set(["hello", "probe", "pair", "compare", "step-sizes", "certificate", "python", "page", "mark"]);

export class Client {
  constructor(transport) {
    this.transport = transport;
    this.fixed = transport.fixed === true; // a recording: points, settings and w cannot be changed
    this.checks = null; // what a checker in the page said of the certificates, where there is one
    this.state = { scene: { points: [] }, run: { ready: false, note: "", step: 0, steps: 0 } };
    this.listeners = [];
    this.actions = [];
    this.latest = new Map();
    this.busy = false;
    this.painting = false;
    this.pace = new Pace();
    this.slot = null; // the timer that asks next
    this.pictures = []; // names of the tabs, of which only the open one comes with an answer
    this.wanted = () => ({});
    this.onerror = () => {};
    this.onpainted = () => {}; // told of each move of the user whose answer is on the screen
    this.hovered = null;
    this.other = null; // a second row, where two are pointed at together
    this.hoverListeners = [];
    this.ghost = null; // a separator that is pointed at in w-space
    this.ghostListeners = [];
    this.grabs = 0; // a number for each drag, so that its moves count as one edit
    this.onview = () => {}; // told when something is looked at otherwise: zoom, camera, theme
  }

  listen(listener) { this.listeners.push(listener); }

  // Ask for something that must happen, in order. Resolves with the reply.
  act(op, more = {}) {
    return new Promise((resolve) => {
      // What was only kept so far comes first: an undo must not overtake the move that it takes back.
      this.actions.push(...this.latest.values(), { message: { op, ...more }, resolve });
      this.latest.clear();
      this.next();
    });
  }

  // Ask for something of which only the newest matters; `since` is when the user moved.
  keep(channel, op, more = {}, since = null, resolve = () => {}) {
    this.latest.set(channel, { message: { op, ...more }, since, resolve });
    if (since !== null) this.pace.moved(since);
    this.next();
  }

  // Milliseconds that the request under way has waited for its answer.
  get waited() { return this.busy ? performance.now() - this.asked : 0; }

  // Draw again what is shown, with the views that are wanted now.
  look() { this.keep("look", "look"); }

  // While a picture waits for the screen, so does the next of a drag: what would be drawn over unseen is not asked for.
  async next(now = false) {
    if (this.busy) return;
    const job = this.actions.shift() || (now ? this.firstLatest() : this.due());
    if (!job) return;
    this.busy = true;
    this.asked = performance.now();
    this.pace.asked(this.asked);
    const want = this.wanted(job.message);
    const reply = await this.transport.request({ want, ...job.message });
    this.busy = false;
    if (reply.error) {
      this.onerror(reply.error, reply.lost);
    } else if (!QUESTIONS.has(job.message.op)) {
      for (const name of this.pictures) this.state[name] = undefined; // what is not in this answer is of other points
      Object.assign(this.state, reply);
      for (const listener of this.listeners) listener(this.state, job.message);
      if (job.since !== null && job.since !== undefined) this.paint(job.since);
    }
    job.resolve(reply);
    this.next();
  }

  // What was kept, when it is time to ask.
  due() {
    clearTimeout(this.slot);
    if (this.painting || this.latest.size === 0) return null;
    const wait = this.pace.wait(performance.now());
    if (wait === 0) return this.firstLatest();
    this.slot = setTimeout(() => this.next(true), wait);
    return null;
  }

  firstLatest() {
    for (const [channel, job] of this.latest) {
      this.latest.delete(channel);
      return job;
    }
    return null;
  }

  // Until the picture that answers the user's move at `since` is painted: the first task after its frame.
  paint(since) {
    this.painting = true;
    requestAnimationFrame((began) => {
      this.pace.shown(began);
      this.painting = false;
      this.next();
      const channel = new MessageChannel();
      channel.port1.onmessage = () => this.onpainted(since);
      channel.port2.postMessage(null);
    });
  }

  // A row is pointed at, here or there, or two of them: every view lights them up.
  hover(row, other = null) {
    if (row === this.hovered && other === this.other) return;
    [this.hovered, this.other] = [row, other];
    for (const listener of this.hoverListeners) listener(row);
  }

  onhover(listener) { this.hoverListeners.push(listener); }

  // A separator that is pointed at, drawn lightly in x-space; null where none is.
  point(ghost) {
    if (ghost === null && this.ghost === null) return;
    this.ghost = ghost;
    for (const listener of this.ghostListeners) listener(ghost);
  }

  onpoint(listener) { this.ghostListeners.push(listener); }

  grab() { return ++this.grabs; }

  // Put (w, b) down; `since` is when the user moved it.
  hold(w, b, grab, since) { this.keep("hold", "hold", { w, b, grab }, since); }
}
