// The two views as one drawing that stands for itself: styles written out, areas embedded as an image.

const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin",
  "font-size", "font-weight", "font-family", "text-anchor", "paint-order", "opacity", "visibility", "display", "r"];

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

// One view at an offset: its background, its canvas, its marks.
function part(holder, left, top, background) {
  const { width, height } = holder.getBoundingClientRect();
  const group = [`<g transform="translate(${left} ${top})"><rect width="${width}" height="${height}" fill="${background}"/>`];
  const canvas = holder.querySelector("canvas");
  if (canvas && canvas.width > 1) group.push(`<image width="${width}" height="${height}" href="${canvas.toDataURL("image/png")}"/>`);
  for (const marks of holder.querySelectorAll("svg")) {
    const copy = written(marks);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.setAttribute("overflow", "hidden");
    group.push(new XMLSerializer().serializeToString(copy));
  }
  return { text: `${group.join("")}</g>`, width, height };
}

export function drawing(app) {
  const style = getComputedStyle(app.root), colour = (name) => style.getPropertyValue(name).trim();
  const holders = [app.xspace.plot.element, app.tabs.element.querySelector(".plot")];
  const gap = 16;
  let left = 0, height = 0;
  const parts = holders.map((holder) => {
    const made = part(holder, left, 0, colour("--plot"));
    left += made.width + gap;
    height = Math.max(height, made.height);
    return made.text;
  });
  const width = left - gap;
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
    + `<rect width="${width}" height="${height}" fill="${colour("--page")}"/>${parts.join("")}</svg>`;
  return { text, width, height };
}

// The same as a PNG, twice as fine.
export async function bitmap({ text, width, height }) {
  const picture = new Image();
  await new Promise((resolve, reject) => {
    picture.onload = resolve;
    picture.onerror = () => reject(new Error("The drawing could not be turned into a picture."));
    picture.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  });
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(picture.src);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}
