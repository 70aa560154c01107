// Drawings in small, each with its class; those that are answered wrongly are marked.

import { colours, h, set } from "../draw/dom.js";

export const SIDE = 20;
export const packed = (cells) => cells.match(/.{4}/g).map((four) => parseInt(four, 2).toString(16)).join("");
export const unpacked = (text) => [...text].map((sign) => parseInt(sign, 16).toString(2).padStart(4, "0")).join("");

export class Gallery {
  constructor(label) {
    this.element = h("ul", { class: "gallery", "aria-label": label });
    this.items = [];
  }

  // `items` are { cells, label, wrong } with the cells as 100 hexadecimal signs.
  draw(items) {
    const tint = colours(this.element), list = this.element;
    while (list.children.length > items.length) list.lastChild.remove();
    while (list.children.length < items.length) {
      list.append(h("li", {}, h("canvas", { width: SIDE, height: SIDE, role: "img" }), h("span", { "aria-hidden": "true" })));
    }
    items.forEach(({ cells, label, wrong }, k) => {
      const [canvas, mark] = list.children[k].children, name = label > 0 ? "A" : "B";
      set(list.children[k], { class: `${label > 0 ? "plus" : "minus"} ${wrong ? "wrong" : ""}` });
      set(canvas, { "aria-label": `${name}, ${wrong ? "not answered rightly" : "answered rightly"}` });
      mark.textContent = wrong ? `${name} ✗` : name;
      const key = `${cells} ${tint.dark}`;
      if (canvas.key === key) return;
      canvas.key = key;
      const paper = canvas.getContext("2d");
      paper.fillStyle = tint.plot;
      paper.fillRect(0, 0, SIDE, SIDE);
      paper.fillStyle = tint.ink;
      [...unpacked(cells)].forEach((sign, place) => { if (sign === "1") paper.fillRect(place % SIDE, Math.floor(place / SIDE), 1, 1); });
    });
  }
}
