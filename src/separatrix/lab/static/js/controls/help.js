// What every key does, in a dialog.

import { h } from "../draw/dom.js";

const keys = (tabs) => [
  ["In x-space", [["click", "add a point of the chosen class"], ["drag a point", "move it (on a touch screen, hold it first)"], ["drag the line", "move it; its ends turn it, and w follows"],
    ["drag elsewhere, wheel", "move the window; zoom about the pointer"], ["arrow keys", "move the cross, or the chosen point (Shift: faster)"], ["Enter", "add a point at the cross"],
    ["[ and ]", "choose the previous or the next point"], ["Delete, F, Esc", "remove it, flip its class, let go of it"], ["N, + and −", "number all points; zoom"]]],
  ["In w-space", [["drag w", "turn the line in x-space by hand"], ["arrow keys, page keys", "the same: move w, move b"], ["Esc", "go back to the run"], ["Shift drag, page keys in 3-D", "move the cross-section"]]],
  ["Anywhere", [["1, 2, 3", "clicks add +1, add −1, erase"], ["P or space", "play, pause"], ["S, B", "one step forward, one back"], ["R, E", "to the start, to the end"],
    [tabs.map(({ key }) => key).join(", "), tabs.map(({ title }) => title).join(", ")], ["0", "show all points"], ["Ctrl Z, Ctrl Shift Z", "undo, redo"]]],
];

const RECORDED = { "In x-space": ["drag elsewhere, wheel", "[ and ]", "N, + and −"], "In w-space": [], Anywhere: ["P or space", "S, B", "R, E", "0"] };

// Of a recording, the keys that change nothing.
function without(groups, tabs) {
  const letters = tabs.map(({ key }) => key).join(", ");
  return groups.map(([title, lines]) => [title, lines.filter(([key]) => key === letters || RECORDED[title].includes(key))]).filter(([, lines]) => lines.length > 0);
}

export function makeHelp(tabs, fixed = false) {
  const groups = fixed ? without(keys(tabs), tabs) : keys(tabs);
  const dialog = h("dialog", { class: "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title", text: "What you can do" }),
    h("p", { text: (fixed ? "Watch an algorithm find a boundary, or a proof that there is none. " : "Put down points of two classes and watch an algorithm find a boundary, or a proof that there is none. ")
      + "In x-space points are points and a boundary is a line; in w-space every point is a line and a boundary is a point." }),
    groups.map(([title, lines]) => [h("h3", { text: title }), h("dl", {}, lines.map(([key, text]) => h("div", {}, h("dt", {}, h("kbd", { text: key })), h("dd", { text }))))]),
    h("form", { method: "dialog" }, h("button", { text: "close" })));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  return dialog;
}
