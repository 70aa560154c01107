// A film as a GIF: one palette for all frames, each frame only where it differs from the one before, compressed by LZW.
//
//   const gif = new Gif(width, height, paletteOf([pixels, ...]));
//   gif.add(pixels, milliseconds);                    // RGBA, as a canvas gives them
//   const bytes = gif.bytes();

const COLOURS = 255; // of 256: the last stands for a pixel that stays as it was
const STAYS = 255;
const CODES = 4096; // LZW codes have at most twelve bits

const cell = (r, g, b) => ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);

// The colours that some pictures use most, each the mean of those that hardly differ from it.
export function paletteOf(pictures) {
  const count = new Float64Array(32768), sums = [0, 1, 2].map(() => new Float64Array(32768));
  for (const pixels of pictures) {
    for (let at = 0; at < pixels.length; at += 4) {
      const place = cell(pixels[at], pixels[at + 1], pixels[at + 2]);
      count[place]++;
      for (let k = 0; k < 3; k++) sums[k][place] += pixels[at + k];
    }
  }
  const used = [...count.keys()].filter((place) => count[place] > 0).sort((p, q) => count[q] - count[p]).slice(0, COLOURS);
  return used.map((place) => sums.map((sum) => Math.round(sum[place] / count[place])));
}

export class Gif {
  constructor(width, height, palette) {
    [this.width, this.height, this.palette] = [width, height, palette];
    this.nearest = new Int16Array(32768).fill(-1);
    this.before = null; // what the last frame shows, in places of the palette
    this.table = new Int16Array(CODES * 256); // LZW: the code of a code and the next pixel
    this.chunks = [header(width, height, palette)];
    this.size = this.chunks[0].length;
  }

  // The place in the palette of every pixel.
  places(pixels) {
    const found = new Uint8Array(this.width * this.height);
    for (let at = 0, k = 0; k < found.length; at += 4, k++) {
      const place = cell(pixels[at], pixels[at + 1], pixels[at + 2]);
      if (this.nearest[place] < 0) this.nearest[place] = this.closest(pixels[at], pixels[at + 1], pixels[at + 2]);
      found[k] = this.nearest[place];
    }
    return found;
  }

  closest(r, g, b) {
    let best = 0, least = Infinity;
    this.palette.forEach(([pr, pg, pb], k) => {
      const distance = (pr - r) ** 2 + (pg - g) ** 2 + (pb - b) ** 2;
      if (distance < least) [best, least] = [k, distance];
    });
    return best;
  }

  add(pixels, milliseconds) {
    const now = this.places(pixels), box = this.changed(now), [left, top, width, height] = box;
    const shown = new Uint8Array(width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const at = (top + y) * this.width + left + x;
        shown[y * width + x] = this.before && this.before[at] === now[at] ? STAYS : now[at];
      }
    }
    this.before = now;
    const wait = Math.max(2, Math.round(milliseconds / 10)); // in hundredths of a second; browsers slow down those below 2
    this.push(Uint8Array.of(0x21, 0xf9, 4, 0b101, wait & 255, wait >> 8, STAYS, 0)); // what was drawn stays; one colour is clear
    this.push(Uint8Array.of(0x2c, ...words(left, top, width, height), 0, 8));
    this.push(blocks(this.compressed(shown)));
  }

  push(bytes) {
    this.chunks.push(bytes);
    this.size += bytes.length;
  }

  // The smallest box around what has changed, one pixel at least.
  changed(now) {
    const { before, width, height } = this;
    if (!before) return [0, 0, width, height];
    let [left, top, right, low] = [width, height, -1, -1];
    for (let y = 0, at = 0; y < height; y++) {
      for (let x = 0; x < width; x++, at++) {
        if (now[at] === before[at]) continue;
        left = Math.min(left, x);
        right = Math.max(right, x);
        top = Math.min(top, y);
        low = y;
      }
    }
    return right < 0 ? [0, 0, 1, 1] : [left, top, right - left + 1, low - top + 1];
  }

  compressed(places) {
    const { table } = this, out = new Bits(), CLEAR = 256, END = 257;
    let size = 9, next = 258, prefix = places[0];
    const clear = () => {
      table.fill(-1);
      [size, next] = [9, 258];
    };
    out.write(CLEAR, size);
    clear();
    for (let k = 1; k < places.length; k++) {
      const at = prefix * 256 + places[k];
      if (table[at] >= 0) {
        prefix = table[at];
        continue;
      }
      out.write(prefix, size);
      if (next < CODES) {
        table[at] = next;
        if (next === 1 << size && size < 12) size++;
        next++;
      } else {
        out.write(CLEAR, size);
        clear();
      }
      prefix = places[k];
    }
    out.write(prefix, size);
    out.write(END, size);
    return out.bytes();
  }

  bytes() { return new Blob([...this.chunks, Uint8Array.of(0x3b)], { type: "image/gif" }); }
}

const words = (...numbers) => numbers.flatMap((number) => [number & 255, number >> 8]);

// Size, palette, and that the film begins anew when it has ended.
function header(width, height, palette) {
  const colours = Array.from({ length: 256 }, (_, k) => palette[k] || [0, 0, 0]).flat();
  const again = [0x21, 0xff, 11, ...new TextEncoder().encode("NETSCAPE2.0"), 3, 1, 0, 0, 0];
  return Uint8Array.of(...new TextEncoder().encode("GIF89a"), ...words(width, height), 0xf7, 0, 0, ...colours, ...again);
}

// Bytes in blocks of at most 255, each after its length; an empty one ends them.
function blocks(bytes) {
  const found = new Uint8Array(bytes.length + Math.ceil(bytes.length / 255) + 1);
  let to = 0;
  for (let from = 0; from < bytes.length; from += 255) {
    const block = bytes.subarray(from, from + 255);
    found[to] = block.length;
    found.set(block, to + 1);
    to += block.length + 1;
  }
  return found;
}

// Codes of some bits each, the lowest first.
class Bits {
  constructor() {
    [this.held, this.count, this.at] = [0, 0, 0];
    this.room = new Uint8Array(65536);
  }

  write(code, size) {
    this.held |= code << this.count;
    this.count += size;
    while (this.count >= 8) this.flush();
  }

  flush() {
    if (this.at === this.room.length) {
      const more = new Uint8Array(2 * this.at);
      more.set(this.room);
      this.room = more;
    }
    this.room[this.at++] = this.held & 255;
    this.held >>>= 8;
    this.count -= 8;
  }

  bytes() {
    if (this.count > 0) this.flush();
    return this.room.subarray(0, this.at);
  }
}
