// The state of the page as a link: the scene, the step and how it is looked at, in the part of the address behind the #.
// Who opens it in a lab of their own sees the same, whatever the address and the port of that lab are.

export function encode(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// The state in a link, whole or its part behind the #; null where there is none. One that cannot be read is an error.
export function decode(link) {
  const text = link.includes("#") ? link.slice(link.indexOf("#") + 1).trim() : link.trim();
  if (!text) return null;
  const broken = new Error("This link cannot be read: it is not one of the lab's, or a part of it is missing.");
  let state = null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    state = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw broken;
  }
  if (!state || typeof state !== "object" || Array.isArray(state) || !state.scene) throw broken;
  return state;
}

// What is on the page, and how it is looked at. Each part knows what of it to keep: `saved()`, and `restore(kept)`.
// On the tour it is the reader's own page, as it was when the tour began, and the place on the tour.
export function readState(app) {
  const { before } = app.tour, tour = app.tour.saved();
  return before !== null && tour !== null ? { ...before, theme: app.root.dataset.theme, mark: app.markOne.saved() ?? undefined, tour } : readPage(app);
}

function readPage(app) {
  const { scene, run, x } = app.client.state, state = { scene, tab: app.tabs.name };
  if (run.ready && !run.over && !run.by_hand) state.step = run.step;
  if (run.ready && run.by_hand && x) state.hand = [...x.w, x.b];
  if (app.tabs.slice !== null) state.slice = app.tabs.slice;
  if (app.root.dataset.theme) state.theme = app.root.dataset.theme;
  if (app.preset.value) state.preset = app.preset.value;
  for (const [name, part] of Object.entries(app.parts)) {
    const kept = part.saved();
    if (kept !== null) state[name] = kept;
  }
  return state;
}

export async function loadState(app, state) {
  const { client, tabs } = app, own = (name) => (Object.hasOwn(state, name) ? state[name] : undefined);
  if (app.tour.now) await app.tour.end();
  tabs.slice = numbers([own("slice")], 1) ? own("slice") : null;
  if (typeof own("tab") === "string") tabs.open(own("tab"));
  if (own("theme") === "light" || own("theme") === "dark") app.setTheme(own("theme"));
  const reply = await client.act("load", { scene: state.scene });
  if (reply.error) return false;
  app.markPreset(own("preset"));
  if (Number.isInteger(own("step"))) await client.act("seek", { step: state.step });
  const hand = own("hand");
  if (numbers(hand, 3)) await client.act("hold", { w: hand.slice(0, 2), b: hand[2] });
  for (const [name, part] of Object.entries(app.parts)) await part.restore(own(name) ?? null);
  await client.act("look");
  return true;
}

// Whether something from a link is so many finite numbers.
export function numbers(value, count) {
  return Array.isArray(value) && value.length === count && value.every((each) => Number.isFinite(each));
}

// Keeps the address up to date, a moment after the last change. Another scene is another place in the browser's history.
export class LinkKeeper {
  constructor(read) {
    this.read = read;
    this.timer = null;
    this.scene = null;
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), 250);
  }

  // The address as it is belongs to what is on the page.
  adopt() { this.scene = JSON.stringify(this.read().scene); }

  now() {
    clearTimeout(this.timer);
    const state = this.read(), address = `#${encode(state)}`, scene = JSON.stringify(state.scene);
    if (address !== location.hash) {
      if (this.scene === null || this.scene === scene) history.replaceState(null, "", address);
      else history.pushState(null, "", address);
    }
    this.scene = scene;
    return location.href;
  }
}
