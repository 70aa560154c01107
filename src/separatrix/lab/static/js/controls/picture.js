// What is on the page as one drawing that stands for itself: styles written out, areas embedded as images, with the legends
// of the pictures and what this step did.

import { h, sharpness } from "../draw/dom.js";
import { ALGORITHMS } from "./settings.js";

const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin", "stroke-linecap",
  "font-size", "font-weight", "font-family", "text-anchor", "paint-order", "opacity", "visibility", "display", "r"];
const DRAWN = ".plot, .chart-holder"; // what holds a drawing in a view
const GAP = 16, PAD = 12; // pixels between two views, and around the words

export const WHICH = { both: "both spaces", x: "x-space alone", beside: "the other picture" };

function written(element) {
  const copy = element.cloneNode(true);
  const handles = copy.querySelectorAll(".knobs, .ghost, .side"); // of no use on paper
  const from = [element, ...element.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((each, k) => {
    const style = getComputedStyle(each);
    for (const name of KEPT) {
      const value = style.getPropertyValue(name);
      if (value && value !== "auto") to[k].setAttribute(name === "r" && each.tagName !== "circle" ? "data-r" : name, value);
    }
    for (const name of ["class", "data-row", "data-r", "tabindex", "role", "aria-label", "aria-describedby"]) to[k].removeAttribute(name);
  });
  for (const gone of [...handles, ...copy.querySelectorAll('[display="none"]')]) gone.remove();
  return copy;
}

const seen = (element) => element.offsetParent !== null || element.getClientRects().length > 0;

// An SVG element at its place in a box of the page.
function placed(svg, box, overflow = "hidden") {
  const { left, top, width, height } = svg.getBoundingClientRect(), copy = written(svg);
  for (const [name, value] of Object.entries({ x: left - box.left, y: top - box.top, width, height, overflow })) copy.setAttribute(name, value);
  return new XMLSerializer().serializeToString(copy);
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const label = (text, x, y, size, colour, font, weight = "400") =>
  `<text x="${x}" y="${y}" font-size="${size}" font-family="${escaped(font)}" font-weight="${weight}" fill="${colour}">${escaped(text)}</text>`;

// The signs of a legend where they are, each with its word.
function legendOf(view, box, colour) {
  return [...view.querySelectorAll(".legend .key")].filter(seen).map((key) => {
    const sign = key.querySelector("svg"), i = key.querySelector("i"), style = getComputedStyle(key), at = (sign || i || key).getBoundingClientRect();
    const size = parseFloat(style.fontSize), { left, top, width, height } = at, words = key.textContent;
    const shown = sign ? placed(sign, box, "visible") : i ? `<rect x="${left - box.left}" y="${top - box.top}" width="${width}" height="${height}" fill="${getComputedStyle(i).backgroundColor}"/>` : "";
    return shown + label(words, left + (sign || i ? width + 0.35 * size : 0) - box.left, top + height / 2 + 0.35 * size - box.top, size, colour, style.fontFamily);
  }).join("");
}

// One view: its drawings and its legend, each where it is; null where it shows nothing but words.
function part(view, colour) {
  const empty = view.querySelector(".empty"), holders = [...view.querySelectorAll(DRAWN)].filter(seen);
  if (holders.length === 0 || (empty && seen(empty) && !empty.hidden)) return null;
  const boxes = [...holders, ...[...view.querySelectorAll(".legend")].filter((each) => seen(each) && each.children.length > 0)].map((each) => each.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left)), top = Math.min(...boxes.map((box) => box.top));
  const box = { left, top, width: Math.max(...boxes.map((each) => each.right)) - left, height: Math.max(...boxes.map((each) => each.bottom)) - top };
  const text = [`<rect width="${box.width}" height="${box.height}" fill="${colour("--card")}"/>`];
  for (const holder of holders) {
    const { left: x, top: y, width, height } = holder.getBoundingClientRect();
    text.push(`<rect x="${x - left}" y="${y - top}" width="${width}" height="${height}" fill="${colour("--plot")}"/>`);
    const canvas = holder.querySelector("canvas");
    if (canvas && canvas.width > 1) text.push(`<image x="${x - left}" y="${y - top}" width="${width}" height="${height}" href="${canvas.toDataURL("image/png")}"/>`);
    for (const svg of holder.querySelectorAll("svg")) text.push(placed(svg, box));
  }
  return { text: text.join("") + legendOf(view, box, colour("--soft")), width: box.width, height: box.height };
}

// Canvases are drawn again with at least so many pixels for each of the page; 0: as the screen has them.
function sharpen(views, least) {
  if (sharpness.least === least || Math.max(sharpness.least, least) <= (window.devicePixelRatio || 1)) return;
  sharpness.least = least;
  for (const view of views) for (const holder of view.querySelectorAll(".plot")) if (holder.measure && seen(holder)) holder.measure();
}

// Words in lines that are no wider than the picture.
function lines(text, width, size, font) {
  const paper = document.createElement("canvas").getContext("2d"), found = [""];
  paper.font = `${size}px ${font}`;
  for (const word of text.split(" ")) {
    const longer = found.at(-1) ? `${found.at(-1)} ${word}` : word;
    if (found.at(-1) && paper.measureText(longer).width > width) found.push(word);
    else found[found.length - 1] = longer;
  }
  return found;
}

// `which` is a name of WHICH. Pictures on a canvas are drawn with `fine` pixels for each of the page.
export function drawing(app, which = "both", fine = 1) {
  const style = getComputedStyle(app.root), colour = (name) => style.getPropertyValue(name).trim();
  const views = [...(which === "beside" ? [] : [app.xspace.element]), ...(which === "x" ? [] : [app.tabs.element])];
  sharpen(views, fine);
  let left = PAD, tall = 0;
  const parts = views.map((view) => part(view, colour)).filter(Boolean).map((made) => {
    const text = `<g transform="translate(${left} ${PAD})">${made.text}</g>`;
    left += made.width + GAP;
    tall = Math.max(tall, made.height + PAD);
    return text;
  });
  sharpen(views, 0);
  const width = Math.max(left - GAP + PAD, 200), { run, scene } = app.client.state, size = 15, font = style.fontFamily;
  const words = run.ready ? lines(`${ALGORITHMS[scene.algorithm].title}, step ${run.step}. ${run.note}`, width - 2 * PAD, size, font) : [];
  const height = Math.ceil(tall + PAD + (words.length > 0 ? PAD + words.length * 1.35 * size : 0));
  const caption = words.map((line, k) => label(line, PAD, tall + PAD + (k + 0.85) * 1.35 * size, size, colour("--ink"), font)).join("");
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
    + `<rect width="${width}" height="${height}" fill="${colour("--page")}"/>${parts.join("")}${caption}</svg>`;
  return { text, width, height };
}

// A drawing on a canvas of so many pixels.
export async function rendered({ text }, width, height) {
  const picture = new Image();
  await new Promise((resolve, reject) => {
    picture.onload = resolve;
    picture.onerror = () => reject(new Error("The drawing could not be turned into a picture."));
    picture.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  });
  const canvas = h("canvas", { width, height });
  canvas.getContext("2d").drawImage(picture, 0, 0, width, height);
  URL.revokeObjectURL(picture.src);
  return canvas;
}

// A drawing as a PNG, twice as fine.
export async function bitmap(picture) {
  const canvas = await rendered(picture, Math.round(2 * picture.width), Math.round(2 * picture.height));
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}
