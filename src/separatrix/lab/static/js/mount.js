// The whole page: its parts, put together inside one element. The transport brings the solver's answers.

import { h, turn, write } from "./draw/dom.js";
import { Client, QUESTIONS } from "./talk/client.js";
import { Player } from "./controls/player.js";
import { Settings, ALGORITHMS } from "./controls/settings.js";
import { XSpace } from "./views/xspace.js";
import { WSpace } from "./views/wspace.js";
import { Solid } from "./views/solid.js";
import { Risk } from "./views/risk.js";
import { Theorem } from "./views/theorem.js";
import { Column } from "./views/column.js";
import { StepSize } from "./views/stepsize.js";
import { Mistakes } from "./views/mistakes.js";
import { Margin } from "./views/margin.js";
import { Forces } from "./views/forces.js";
import { Lift } from "./views/lift.js";
import { Gram } from "./views/gram.js";
import { Validation } from "./views/validation.js";
import { Tabs } from "./views/tabs.js";
import { Panel } from "./views/panel.js";
import { makeHelp } from "./controls/help.js";
import { makeShareMenu } from "./controls/share.js";
import { MarkOne } from "./teach/markone.js";
import { Tour } from "./teach/tour.js";
import { listenForKeys } from "./controls/keys.js";
import { flipTheme, keptTheme, setTheme } from "./controls/theme.js";

const STAGE = "stage "; // before the name of a stage, in the list of scenes
const CHANGES = new Set(["load", "clear", "add", "move", "remove", "undo", "redo", "tour"]);
const RESHAPES = new Set(["load", "preset", "stage", "clear", "begin", "again", "end"]); // after these the window is fitted to the points

// `keys` is where keys are listened for: the document where the page is all there is, else the element itself.
export async function mount(root, transport, keys = root) {
  keptTheme(root);
  const client = new Client(transport);
  const { hello } = await client.act("hello");
  client.pictures = hello.tabs.map(({ name }) => name);
  const app = { root, client, actions: h("div", { class: "actions" }), keepsLinks: keys !== root }; // a notebook's address is its own
  app.player = new Player(client);
  app.settings = new Settings(client);
  app.xspace = new XSpace(client);
  app.panel = new Panel(client);
  const views = {
    w: new WSpace(client), solid: new Solid(client), risk: new Risk(client), theorem: new Theorem(client), column: new Column(client),
    stepsize: new StepSize(client), mistakes: new Mistakes(client), margin: new Margin(client), forces: new Forces(client),
    lift: new Lift(client), gram: new Gram(client), validation: new Validation(client),
  };
  app.hello = hello;
  app.tabs = new Tabs(client, hello.tabs, views);
  app.help = makeHelp(hello.tabs, client.fixed);
  app.toast = h("p", { class: "toast", role: "alert", hidden: true });
  app.banner = h("p", { class: "banner", role: "alert", hidden: true });
  app.link = { now: () => location.href }; // the page keeps its state in the address
  app.say = (text) => say(app, text);
  app.warn = (text) => { write(app.banner, text); app.banner.hidden = text === ""; };
  app.setTheme = (theme) => { setTheme(root, theme); app.draw(); };
  app.markPreset = (name) => { turn(app.preset, [...app.preset.options].some((each) => each.value === name) ? name : ""); };
  app.title = (text) => write(app.brand.lastChild, text ? ` ${text}` : " lab");
  const { w, solid, ...others } = views, kept = Object.entries(others).filter(([, view]) => view.saved); // what a link keeps of each
  app.parts = { window: app.xspace, wview: w, camera: solid, ...Object.fromEntries(kept) };
  app.tour = NO_TOUR;
  const { card, dialogs } = client.fixed ? { card: [], dialogs: [] } : teach(app);
  app.actions.append(makeShareMenu(app));
  const header = makeHeader(app);
  root.replaceChildren(header, app.banner,
    h("main", {}, h("h1", { class: "visually-hidden", text: "separatrix lab" }),
      h("div", { class: "controls card" }, app.algorithm, app.settings.element, app.player.element, app.player.said),
      h("div", { class: "views" }, app.xspace.element, app.tabs.element, card, app.panel.element)),
    app.toast, app.help, ...dialogs);
  client.wanted = (message) => wanted(app, message);
  client.onerror = (text, lost) => complain(app, text, lost);
  client.listen((state, message) => {
    const reshaped = RESHAPES.has(message.op === "tour" ? message.do : message.op);
    if (reshaped) app.xspace.fit(state.scene.points);
    if (message.op === "preset") turn(app.preset, message.name);
    else if (message.op === "stage") turn(app.preset, STAGE + message.name);
    else if (CHANGES.has(message.op)) turn(app.preset, ""); // these points are nobody's preset any more
    app.draw();
    if (reshaped && state.x && state.x.contours) client.look(); // contours of the new window
  });
  app.draw = () => drawAll(app);
  // A stage of the subject: its scene, at its step, with its picture open.
  app.openStage = async (name) => {
    app.player.stop();
    app.tabs.cut(null);
    const { tab, look } = hello.stages.find((each) => each.name === name);
    await app.tabs.views[tab].restore?.(look);
    app.tabs.open(tab);
    return client.act("stage", { name });
  };
  listenForKeys(keys, app);
  const list = (label, options) => (options.length ? [h("optgroup", { label }, options)] : []);
  app.preset.append(...list("Points", hello.presets.map(({ name, title, about }) => h("option", { value: name, text: title, title: about }))),
    ...list("Stages of the subject", hello.stages.map(({ name, title }) => h("option", { value: STAGE + name, text: title }))));
  return app;
}

// Of a recording: it needs a solver, and has nothing to say or to keep.
const NO_TOUR = { now: null, before: null, element: null, key: () => false, draw: () => {}, saved: () => null };

// What needs a solver of one's own.
function teach(app) {
  app.markOne = new MarkOne(app);
  app.tour = new Tour(app);
  Object.assign(app.parts, { mark: app.markOne, tour: app.tour });
  app.actions.append(app.tour.button, app.markOne.button);
  return { card: app.tour.element, dialogs: [app.tour.menu.element, app.markOne.element] };
}

function wanted(app, message) {
  if (QUESTIONS.has(message.op)) return {};
  const quick = app.xspace.editing.dragging || message.grab !== undefined || app.tabs.shown.dragging === true;
  const rows = !quick || app.panel.rows.open; // whether more than one may be shown with its numbers
  return { x: app.xspace.options(quick, rows), [app.tabs.shown.name]: app.tabs.options(quick), panel: { quick, rows } };
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
  app.tour.draw();
}

function makeHeader(app) {
  const { client } = app;
  app.preset = h("select", { id: "preset", onchange: () => choose(app, app.preset.value) },
    h("option", { value: "", text: "choose…" }));
  const algorithm = h("select", { id: "algorithm", onchange: () => { app.player.stop(); client.act("set", { settings: { algorithm: algorithm.value } }); } },
    Object.entries(ALGORITHMS).map(([value, { title }]) => h("option", { value, text: title })));
  app.algorithm = h("label", { class: "setting algorithm" }, h("span", { text: "algorithm" }), algorithm);
  app.undo = h("button", { class: "icon", "aria-label": "Undo", title: "Undo (Ctrl Z)", onclick: () => client.act("undo"), text: "↶" });
  app.redo = h("button", { class: "icon", "aria-label": "Redo", title: "Redo (Ctrl Shift Z)", onclick: () => client.act("redo"), text: "↷" });
  const theme = h("button", { class: "icon", "aria-label": "Light or dark", title: "Light or dark", onclick: () => { flipTheme(app.root); client.onview(); app.draw(); }, text: "◐" });
  const help = h("button", { class: "icon", "aria-label": "Help", title: "Help (?)", onclick: () => app.help.showModal(), text: "?" });
  app.brand = h("p", { class: "brand" }, h("b", { text: "separatrix" }), h("span", { text: " lab" }));
  if (client.fixed) {
    algorithm.disabled = true;
    return h("header", { class: "top" }, app.brand, app.actions, theme, help);
  }
  return h("header", { class: "top" }, app.brand,
    h("label", { class: "setting preset" }, h("span", { text: "scene" }), app.preset),
    h("button", { text: "clear", title: "Remove all points", onclick: () => { app.player.stop(); client.act("clear"); } }),
    app.undo, app.redo, app.actions, theme, help);
}

// Points from the list, or a stage with its picture.
function choose(app, name) {
  app.player.stop();
  if (name.startsWith(STAGE)) app.openStage(name.slice(STAGE.length));
  else if (name) app.client.act("preset", { name });
}

function say(app, text) {
  write(app.toast, text);
  app.toast.hidden = false;
  clearTimeout(app.toastTimer);
  app.toastTimer = setTimeout(() => { app.toast.hidden = true; }, 8000);
}

// A lost connection has a banner of its own, for as long as it lasts.
function complain(app, text, lost) {
  app.player.stop();
  if (!lost) say(app, text);
  app.draw();
}
