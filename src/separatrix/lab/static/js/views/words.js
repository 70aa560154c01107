// Sentences below a picture, in a box that keeps its size: longer ones are scrolled to, and the picture stays as large.

import { children, h, write } from "../draw/dom.js";

export class Words {
  constructor(label) {
    this.element = h("div", { class: "words", tabindex: "0", role: "group", "aria-label": label });
  }

  draw(sentences) { children(this.element, sentences, () => h("p"), (line, text) => write(line, text)); }
}
