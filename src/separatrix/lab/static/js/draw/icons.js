// The signs on the buttons, drawn: fonts differ in which of them they have.

import { s } from "./dom.js";

const SHAPES = {
  play: "M5 3l14 9-14 9z",
  pause: "M5 3h5v18H5zM14 3h5v18h-5z",
  step: "M4 4h4v16H4zM10 3l11 9-11 9z",
  back: "M20 4h-4v16h4zM14 3L3 12l11 9z",
  reset: "M4 4h3v16H4zM20 4v16l-6-5v5l-7-8 7-8v5z",
  end: "M20 4h-3v16h3zM4 4v16l6-5v5l7-8-7-8v5z",
};

export function icon(name) {
  return s("svg", { class: "sign", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: SHAPES[name] }));
}
