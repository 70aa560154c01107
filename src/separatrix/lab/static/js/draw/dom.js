// Small helpers: elements, and numbers as people read them. Nothing here knows what the page is about.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// What was set is remembered: asking the element each time costs more than a picture that has not changed is worth.
export function set(element, attributes) {
  const known = element.known || (element.known = {});
  for (const name in attributes) {
    const text = String(attributes[name]);
    if (known[name] !== text) element.setAttribute(name, known[name] = text);
  }
  return element;
}

// The text node stays: a new one would have its style worked out again.
export function write(element, text) {
  const { firstChild } = element;
  if (firstChild === null || firstChild !== element.lastChild || firstChild.nodeType !== Node.TEXT_NODE) element.textContent = text;
  else if (firstChild.data !== text) firstChild.data = text;
}

// The value of a control; setting one that it has already is work for the browser all the same.
export function turn(control, value) {
  if (control.value !== value) control.value = value;
}

// Words below a picture, in a box whose size they do not change: other words, and nothing else is laid out again.
export function makeReadout(attributes = {}) {
  const words = h("p", attributes);
  return { words, element: h("div", { class: "readout" }, words) };
}

// As many children as there are items: made once, then only updated.
export function children(parent, items, make, update) {
  while (parent.children.length > items.length) parent.lastChild.remove();
  while (parent.children.length < items.length) parent.append(make(parent.children.length));
  items.forEach((item, index) => update(parent.children[index], item, index));
}

// A number in about `digits` significant digits, with a true minus sign.
export function show(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text;
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(Math.max(0, digits - 2)).split("e");
    text = `${mantissa}·10${superscript(Number(exponent))}`;
  } else {
    text = String(Number(value.toPrecision(digits)));
  }
  return text.replaceAll("-", "−");
}

function superscript(whole) {
  const signs = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  return String(whole).split("").map((sign) => signs[sign]).join("");
}

// A grid of float32 from base64; one of a recording is there already.
export function unpack(text) {
  if (text instanceof Float32Array) return text;
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

// Pixels of a canvas for each of the page: as the screen has them, or more for a picture that is saved.
export const sharpness = { least: 0 };

export function pixelRatio() { return Math.max(window.devicePixelRatio || 1, sharpness.least); }

// The colours of the theme now, for pictures on a canvas. Looked up once for each theme: a look into the styles makes the
// browser work all of them out, in the middle of a drawing.
const themes = new Map();

export function colours(element) {
  const theme = `${element.closest(".lab")?.dataset.theme} ${matchMedia("(prefers-color-scheme: dark)").matches}`;
  if (!themes.has(theme)) themes.set(theme, lookedUp(element));
  return themes.get(theme);
}

function lookedUp(element) {
  const style = getComputedStyle(element);
  const of = (name) => style.getPropertyValue(name).trim();
  return {
    ink: of("--ink"), soft: of("--soft"), faint: of("--faint"), line: of("--line"), card: of("--card"),
    plus: of("--plus"), minus: of("--minus"), feasible: of("--feasible"), accent: of("--accent"),
    plot: of("--plot"), warn: of("--warn"), font: style.fontFamily, dark: of("--dark") === "1",
  };
}
