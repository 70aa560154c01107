// A run as a GIF: shown step by step, drawn like a picture that is saved, with a way to stop it.

import { h, write } from "../draw/dom.js";
import { Gif, paletteOf } from "../draw/gif.js";
import { drawing, rendered } from "./picture.js";
import { save } from "./save.js";

const MOST_FRAMES = 120, MOST_BYTES = 10e6;
const WIDTH = 1000; // pixels at most
const LASTS = 9000; // milliseconds that a film of many frames takes; one of few is no slower than SLOWEST
const SLOWEST = 700, END = 2500;

export async function film(app, which) {
  const { client } = app, { run, scene } = client.state;
  if (!run.ready || client.filming) return;
  app.player.stop();
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Frames of the film" }), words = h("span", { text: "Filming…" });
  const card = h("div", { class: "filming card", role: "status" }, words, bar, h("button", { text: "cancel", onclick: () => { client.filming = false; } }));
  client.filming = true;
  app.root.append(card);
  const shown = run.step, same = JSON.stringify(scene);
  try {
    const steps = chosen(run.steps);
    const gif = await record(app, which, steps, (k) => {
      bar.value = k / steps.length;
      write(words, `Filming: step ${steps[k]} of ${run.steps}`);
      return client.filming && JSON.stringify(client.state.scene) === same;
    });
    if (gif) save("separatrix.gif", gif.bytes(), "image/gif");
  } finally {
    client.filming = false;
    card.remove();
    if (JSON.stringify(client.state.scene) === same) await client.act("seek", { step: shown });
  }
}

// All steps, or so many of them, the last included.
function chosen(last) {
  const count = Math.min(last + 1, MOST_FRAMES);
  return count === 1 ? [0] : Array.from({ length: count }, (_, k) => Math.round((k * last) / (count - 1)));
}

// Frames of the steps as a GIF; null where `goOn` said no. What the palette is made of is drawn first: start, middle and end.
async function record(app, which, steps, goOn) {
  const sizes = {};
  const frame = async (step) => {
    await app.client.act("seek", { step });
    const picture = drawing(app, which), scale = Math.min(1, WIDTH / picture.width);
    sizes.width ??= Math.round(picture.width * scale);
    sizes.height ??= Math.round(picture.height * scale);
    return rendered(picture, sizes.width, sizes.height);
  };
  const samples = [];
  for (const place of new Set([0, steps.length >> 1, steps.length - 1])) {
    samples.push((await frame(steps[place])).getContext("2d").getImageData(0, 0, sizes.width, sizes.height).data);
    if (!goOn(0)) return null;
  }
  const gif = new Gif(sizes.width, sizes.height, paletteOf(samples));
  const wait = Math.min(SLOWEST, LASTS / steps.length);
  for (let k = 0; k < steps.length && gif.size < MOST_BYTES; k++) {
    const canvas = await frame(steps[k]);
    if (!goOn(k)) return null;
    gif.add(canvas.getContext("2d").getImageData(0, 0, sizes.width, sizes.height).data, k === steps.length - 1 ? END : wait);
  }
  return gif;
}
