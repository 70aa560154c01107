// What every key does, in a dialog.

import { h } from "./dom.js";

const KEYS = [
  ["In x-space", [["click", "add a point of the chosen class"], ["drag", "move a point"], ["arrow keys", "move the cross, or the chosen point (Shift: faster)"],
    ["Enter", "add a point at the cross"], ["[ and ]", "choose the point before, after"], ["Delete", "remove the chosen point"], ["F", "flip its class"], ["Esc", "let go of it"]]],
  ["Anywhere", [["1, 2, 3", "clicks add +1, add −1, erase"], ["P or space", "play, pause"], ["S, B", "one step, one back"], ["R, E", "to the start, to the end"],
    ["W, V, K", "w-space, 3-D, risk"], ["Shift drag, page keys", "move the cross-section in 3-D"], ["0", "show all points"], ["Ctrl Z, Ctrl Shift Z", "undo, redo"]]],
];

export function makeHelp() {
  const dialog = h("dialog", { class: "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title", text: "What you can do" }),
    h("p", { text: "Put points of two classes down and watch an algorithm find a boundary, or a proof that there is none. "
      + "Left is x-space, where points are points. Right is w-space, where every point is a line and every boundary a point." }),
    KEYS.map(([title, keys]) => [h("h3", { text: title }), h("dl", {}, keys.map(([key, text]) => h("div", {}, h("dt", {}, h("kbd", { text: key })), h("dd", { text }))))]),
    h("form", { method: "dialog" }, h("button", { text: "close" })));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  return dialog;
}
