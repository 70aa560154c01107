// The whole page: its parts, put together inside one element. The transport brings the solver's answers.

import { h, turn, write } from "./dom.js";
import { Client, QUESTIONS } from "./client.js";
import { Player } from "./player.js";
import { Settings, ALGORITHMS } from "./settings.js";
import { XSpace } from "./xspace.js";
import { WSpace } from "./wspace.js";
import { Solid } from "./solid.js";
import { Risk } from "./risk.js";
import { Tabs } from "./tabs.js";
import { Panel } from "./panel.js";
import { makeHelp } from "./help.js";
import { makeShareMenu } from "./share.js";
import { MarkOne } from "./markone.js";
import { Tour } from "./tour.js";
import { listenForKeys } from "./keys.js";

const CHANGES = new Set(["load", "clear", "add", "move", "remove", "undo", "redo"]);
const RESHAPES = new Set(["load", "preset", "clear"]); // after these the window is fitted to the points

// `keys` is where keys are listened for: the document where the page is all there is, else the element itself.
export async function mount(root, transport, keys = root) {
  const client = new Client(transport);
  const app = { root, client, actions: h("div", { class: "actions" }) };
  app.player = new Player(client);
  app.settings = new Settings(client);
  app.xspace = new XSpace(client);
  app.panel = new Panel(client);
  app.tabs = new Tabs(client, {
    w: { title: "w-space", key: "W", view: new WSpace(client) },
    solid: { title: "3-D (w, b)", key: "V", view: new Solid(client) },
    risk: { title: "risk", key: "K", view: new Risk(client) },
  });
  app.help = makeHelp();
  app.toast = h("p", { class: "toast", role: "alert", hidden: true });
  app.link = { now: () => location.href }; // the page keeps its state in the address
  app.say = (text) => say(app, text);
  app.markOne = new MarkOne(app);
  app.tour = new Tour(app);
  app.actions.append(app.tour.button, app.markOne.button, makeShareMenu(app));
  const header = makeHeader(app);
  root.replaceChildren(header,
    h("main", {}, h("h1", { class: "visually-hidden", text: "separatrix lab" }),
      h("div", { class: "controls card" }, app.algorithm, app.settings.element, app.player.element),
      h("div", { class: "views" }, app.xspace.element, app.tabs.element, app.panel.element)),
    app.tour.element, app.toast, app.help, app.markOne.element);
  client.wanted = (message) => wanted(app, message);
  client.onerror = (text, lost) => complain(app, text, lost);
  client.listen((state, message) => {
    if (RESHAPES.has(message.op)) app.xspace.fit(state.scene.points);
    if (message.op === "preset") turn(app.preset, message.name);
    else if (CHANGES.has(message.op)) turn(app.preset, ""); // these points are nobody's preset any more
    app.draw();
    if (RESHAPES.has(message.op) && state.x && state.x.contours) client.look(); // contours of the new window
  });
  app.draw = () => drawAll(app);
  listenForKeys(keys, app);
  const { hello } = await client.act("hello");
  app.preset.append(...hello.presets.map(({ name, title, about }) => h("option", { value: name, text: title, title: about })));
  app.presets = hello.presets;
  app.hello = hello;
  return app;
}

function wanted(app, message) {
  if (QUESTIONS.has(message.op)) return {};
  const quick = app.xspace.editing.dragging || message.grab !== undefined;
  const rows = !quick || app.panel.rows.open; // whether more than one may be shown with its numbers
  return { x: app.xspace.options(quick, rows), [app.tabs.shown.name]: app.tabs.options(), panel: { quick, rows } };
}

function drawAll(app) {
  const { run, scene } = app.client.state;
  turn(app.algorithm.querySelector("select"), scene.algorithm || "hard-margin");
  app.undo.disabled = !run.undo;
  app.redo.disabled = !run.redo;
  app.settings.draw();
  app.player.draw();
  app.xspace.draw();
  app.tabs.draw();
  app.panel.draw();
}

function makeHeader(app) {
  const { client } = app;
  app.preset = h("select", { id: "preset", onchange: () => { app.player.stop(); if (app.preset.value) client.act("preset", { name: app.preset.value }); } },
    h("option", { value: "", text: "choose points…" }));
  const algorithm = h("select", { id: "algorithm", onchange: () => { app.player.stop(); client.act("set", { settings: { algorithm: algorithm.value } }); } },
    Object.entries(ALGORITHMS).map(([value, { title }]) => h("option", { value, text: title })));
  app.algorithm = h("label", { class: "setting algorithm" }, h("span", { text: "algorithm" }), algorithm);
  app.undo = h("button", { class: "icon", "aria-label": "Undo", title: "Undo (Ctrl Z)", onclick: () => client.act("undo"), text: "↶" });
  app.redo = h("button", { class: "icon", "aria-label": "Redo", title: "Redo (Ctrl Shift Z)", onclick: () => client.act("redo"), text: "↷" });
  const theme = h("button", { class: "icon", "aria-label": "Light or dark", title: "Light or dark", onclick: () => flipTheme(app), text: "◐" });
  app.status = h("span", { class: "status", role: "status" });
  return h("header", { class: "top" },
    h("p", { class: "brand" }, h("b", { text: "separatrix" }), " lab"),
    h("label", { class: "setting preset" }, h("span", { text: "points" }), app.preset),
    h("button", { text: "clear", title: "Remove all points", onclick: () => { app.player.stop(); client.act("clear"); } }),
    app.undo, app.redo, app.status, app.actions, theme,
    h("button", { class: "icon", "aria-label": "Help", title: "Help (?)", onclick: () => app.help.showModal(), text: "?" }));
}

function flipTheme(app) {
  const dark = getComputedStyle(app.root).getPropertyValue("--dark").trim() === "1";
  app.root.dataset.theme = dark ? "light" : "dark";
  app.draw();
}

function say(app, text, forGood = false) {
  write(app.toast, text);
  app.toast.hidden = false;
  clearTimeout(app.toastTimer);
  if (!forGood) app.toastTimer = setTimeout(() => { app.toast.hidden = true; }, 6000);
}

function complain(app, text, lost) {
  app.player.stop();
  say(app, text, lost);
  app.draw();
}
