// A transport without a solver: what it said at each step was recorded. What was not is refused, with a sentence.

const CLOCK = new Set(["load", "look", "release"]); // show what is shown

export class RecordedTransport {
  constructor(recording) {
    Object.assign(this, recording);
    this.fixed = true; // nothing can be changed
    this.at = this.near(this.begin);
    this.onstatus = () => {};
  }

  async request({ op, want = {}, step, count = 1 }) {
    if (op === "hello") return { hello: this.hello };
    if (Object.hasOwn(this.answers, op)) return this.answers[op];
    if (op === "certificate") return { certificate: JSON.parse(this.certificates.run ?? this.certificates.verdict) };
    if (op === "seek") this.at = this.near(step);
    else if (op === "step") this.at = this.along(count);
    else if (op === "back") this.at = this.along(-count);
    else if (op === "finish") this.at = this.steps.length - 1;
    else if (!CLOCK.has(op)) return { error: this.words.refused };
    const frame = this.frames[this.at], reply = { scene: this.scene, run: { ...frame.run, steps: this.steps.at(-1) } };
    for (const [name, options] of Object.entries(want)) reply[name] = frame[this.variant(name, options)] ?? null;
    for (const name of Object.keys(want)) if (frame[`x@${name}`]) reply.x = frame[`x@${name}`]; // a picture with an x-space of its own
    return reply;
  }

  // The frame of a step, or the nearest there is.
  near(step) {
    let best = 0;
    this.steps.forEach((each, k) => { if (Math.abs(each - step) < Math.abs(this.steps[best] - step)) best = k; });
    return best;
  }

  // The frame that is so many steps on; where steps were left out, at least the next.
  along(count) {
    const next = this.at + Math.sign(count), found = this.near(this.steps[this.at] + count);
    return Math.min(Math.max(found === this.at ? next : found, 0), this.steps.length - 1);
  }

  // Of the options a view was recorded with, those most like the ones that are wanted.
  variant(name, wanted) {
    const all = this.variants[name] || [{}];
    const keys = [...new Set(all.flatMap(Object.keys))];
    const alike = (options) => keys.filter((key) => plain(options[key]) === plain(wanted[key])).length;
    const best = all.reduce((found, options, k) => (alike(options) > alike(all[found]) ? k : found), 0);
    return best === 0 ? name : `${name}#${best}`;
  }
}

// An option as text; one that is off, or not given, is none.
const plain = (value) => (value === null || value === undefined || value === false ? "" : JSON.stringify(value));

// The recording in a file: the length of its text, the text, and the bytes of its grids.
export function readRecording(buffer) {
  const length = new DataView(buffer).getUint32(0, true), grids = new Uint8Array(buffer, 4 + length);
  const text = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
  const found = JSON.parse(text, (name, value) => (!value || typeof value !== "object" ? value
    : value["#"] ? readGrid(grids, value["#"]) : value["~"] ? readLine(grids, value["~"]) : value));
  let now = null;
  const frames = found.frames.map((change) => { now = changed(now, change); return now; });
  return { ...found, frames };
}

// A value after a change; what did not change is shared with the value before.
function changed(before, change) {
  if ("v" in change) return change.v;
  if ("a" in change) return before.concat(change.a);
  if (!("d" in change) && !("i" in change)) return before;
  const copy = "i" in change ? before.slice() : { ...before };
  for (const [name, each] of Object.entries(change.d || change.i)) copy[name] = changed(before[name], each);
  return copy;
}

// Whole numbers of seven bits a byte, 0 −1 1 −2 2 … counted from 0 on.
function* wholes(bytes, from) {
  for (let at = from; ;) {
    let whole = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      whole |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    yield whole & 1 ? -(whole + 1) / 2 : whole / 2;
  }
}

// Each number is the difference from what a plane through its three neighbours foretells.
function readGrid(bytes, [from, count, width, low, step]) {
  const levels = new Int32Array(count), values = new Float32Array(count), next = wholes(bytes, from);
  for (let k = 0; k < count; k++) {
    const column = k % width, left = column > 0 ? levels[k - 1] : 0, below = k >= width ? levels[k - width] : 0;
    const corner = column > 0 && k >= width ? levels[k - width - 1] : 0;
    levels[k] = next.next().value + left + below - corner;
    values[k] = low + step * levels[k];
  }
  return values;
}

// Each number is the difference from what the two before it foretell, column by column.
function readLine(bytes, [from, count, width, ...scale]) {
  const places = Array.from({ length: count }, () => []), next = wholes(bytes, from);
  for (let column = 0; column < width; column++) {
    let [before, last] = [0, 0];
    for (const place of places) {
      [before, last] = [last, next.next().value + 2 * last - before];
      place.push(scale[column] + scale[width + column] * last);
    }
  }
  return places;
}
