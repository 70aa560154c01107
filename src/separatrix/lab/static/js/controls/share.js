// What leaves the page: a link, pictures, a program, a film. Files are made here and saved by the browser.

import { h } from "../draw/dom.js";
import { film } from "./film.js";
import { drawing, bitmap, WHICH } from "./picture.js";
import { save } from "./save.js";
import { readState } from "../talk/link.js";

export function makeShareMenu(app) {
  const { client } = app;
  let which = "both"; // what pictures and films show
  const items = [
    ...(app.keepsLinks ? [["copy link", () => copyLink(app)]] : []),
    ...(app.keepsLinks && !client.fixed ? [["open a link", () => opener.showModal()]] : []),
    ["picture (PNG)", async () => save("separatrix.png", await bitmap(drawing(app, which, 2)), "image/png")],
    ["drawing (SVG)", async () => save("separatrix.svg", drawing(app, which, 4).text, "image/svg+xml")],
    ["film (GIF)", () => film(app, which)],
    ["Python program", async () => file(await client.act("python"), "python", "separatrix_scene.py", "text/x-python")],
    ...(client.fixed ? [] : [["page (HTML)", async () => file(await client.act("page", { state: { ...readState(app), options: { [app.tabs.name]: app.tabs.options(false) } } }), "page", "separatrix_scene.html", "text/html")]]),
    ["certificate (JSON)", async () => app.panel.save()],
  ];
  const file = (reply, field, name, type) => { if (reply[field]) save(name, reply[field], type); };
  const list = h("div", { class: "menu-list", role: "menu", "aria-label": "Share" }, items.map(([text, action]) => h("button", {
    role: "menuitem", text, tabindex: "-1", onclick: () => { close(); action(); },
  })));
  const choices = Object.entries(WHICH).map(([name, title]) => h("button", { role: "menuitemradio", class: "small", tabindex: "-1", "aria-checked": String(name === which), text: title,
    onclick: () => {
      which = name;
      choices.forEach((each, k) => each.setAttribute("aria-checked", String(Object.keys(WHICH)[k] === which)));
    } }));
  list.append(h("div", { role: "group", "aria-label": "Pictures and films show", class: "menu-choices" }, h("p", { class: "note", "aria-hidden": "true", text: "pictures and films show" }), choices));
  list.hidden = true;
  const button = h("button", { text: "share", "aria-haspopup": "menu", "aria-expanded": "false", onclick: () => (list.hidden ? open() : close()) });
  const pasted = h("textarea", { rows: "4", "aria-label": "A link to a scene" });
  const opener = h("dialog", { class: "opener", "aria-labelledby": "opener-title" }, h("h2", { id: "opener-title", text: "Open a link" }),
    h("p", { text: "Paste a link from any lab: what counts is its part behind the #, not the address before it." }), pasted,
    h("form", { method: "dialog" }, h("button", { text: "open", onclick: () => { app.openLink(pasted.value); pasted.value = ""; } }), " ", h("button", { text: "cancel" })));
  const element = h("div", { class: "menu" }, button, list, opener);
  const open = () => {
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    list.firstChild.focus();
  };
  const close = () => {
    if (list.contains(document.activeElement)) button.focus();
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
  };
  element.addEventListener("keydown", (event) => {
    const all = [...list.querySelectorAll("button")], way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") close();
    else if (way && !list.hidden) all[(all.indexOf(document.activeElement) + way + all.length) % all.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  element.addEventListener("focusout", (event) => { if (!element.contains(event.relatedTarget)) close(); });
  return element;
}

async function copyLink(app) {
  const address = app.link.now(), copied = await navigator.clipboard.writeText(address).then(() => true, () => false);
  app.say(app.client.fixed ? (copied ? "The link is copied. Any lab opens it, with “open a link”." : `Copy this link: ${address}`)
    : `The link is in the address bar${copied ? ", and copied" : ""}. Any lab opens it, with “open a link”.`);
}
