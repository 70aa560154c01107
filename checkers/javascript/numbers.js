// The numbers of section 2, and exact arithmetic with them.
// A real of a document is read as a JavaScript Number, which is binary64 and thus exact. Sums and products are formed of
// "dyadic" numbers {m, e}, a BigInt m times 2^e. Inside loops a whole vector shares one exponent e <= 0, and only the m are stored.

import { demand, refuse, quoted } from "./refusal.js";
import { fields } from "./json.js";

const REAL = /^(-?)0x([01])\.([0-9a-f]{13})p(\+0|[+-][1-9][0-9]{0,3})$/;
const ZERO_TEXT = "0x0.0p+0";
const INTEGER = /^(-?)(0x(?:0|[1-9a-f][0-9a-f]*))$/;
const MOST_DIGITS = 65536;

const view = new DataView(new ArrayBuffer(8));

// ---- Reading

export function isCount(value) {
  return Number.isSafeInteger(value) && value >= 0;
}

// The Number that a real of section 2 stands for, or undefined if the text is not in the one form of a real.
export function realOrNothing(text) {
  if (text === ZERO_TEXT) return 0;
  const match = typeof text === "string" ? REAL.exec(text) : null;
  if (match === null) return undefined;
  const [, sign, lead, digits, exponentText] = match;
  const exponent = Number(exponentText);
  if (exponent < -1022 || exponent > 1023) return undefined;
  if (lead === "0" && (exponent !== -1022 || digits === "0000000000000")) return undefined;
  const field = lead === "0" ? 0 : exponent + 1023;
  view.setUint32(0, ((sign ? 0x80000000 : 0) | (field << 20) | parseInt(digits.slice(0, 5), 16)) >>> 0);
  view.setUint32(4, parseInt(digits.slice(5), 16));
  return view.getFloat64(0);
}

export function parseReal(text, what) {
  const value = realOrNothing(text);
  if (value === undefined) refuse(`${what} is no real: ${quoted(text)}.`);
  return value;
}

export function parseInteger(text, what) {
  const match = typeof text === "string" ? INTEGER.exec(text) : null;
  if (match === null || text === "-0x0") refuse(`${what} is no integer: ${quoted(text)}.`);
  if (match[2].length > MOST_DIGITS + 2) refuse(`${what} has more than ${MOST_DIGITS} digits.`);
  const value = BigInt(match[2]);
  return match[1] ? -value : value;
}

// A vector of section 2 as {indices, values, e}, zeros left out: `values` are BigInts with the common exponent e (0 for integers).
// Vectors of reals have the same values as Numbers in `numbers`. Nothing is allocated that the document does not contain.
export function parseVector(value, what, length, parseElement) {
  const sparse = typeof value === "object" && value !== null && "indices" in value;
  fields(value, what, sparse ? ["length", "indices", "values"] : ["length", "values"]);
  demand(value.length === length, `${what} has the length ${quoted(value.length)} instead of ${length}.`);
  demand(Array.isArray(value.values), `The values of ${what} are no list.`);
  const raw = value.values.map((text) => parseElement(text, `A value of ${what}`));
  let indices;
  if (sparse) {
    indices = value.indices;
    demand(Array.isArray(indices) && indices.length === raw.length, `${what} has not as many indices as values.`);
    checkIncreasing(indices, length, `The indices of ${what}`);
    demand(!raw.some(isZero), `${what} lists a value of zero beside an index.`);
  } else {
    demand(raw.length === length, `${what} has not as many values as its length says.`);
    indices = [];
    for (let i = 0; i < raw.length; i++) if (!isZero(raw[i])) indices.push(i);
  }
  const kept = sparse ? raw : indices.map((i) => raw[i]);
  if (kept.length === 0 || typeof kept[0] === "bigint") return { indices, values: kept, numbers: [], e: 0 };
  const e = commonExponent(kept);
  return { indices, values: kept.map((v) => scaled(v, e)), numbers: kept, e };
}

function isZero(value) {
  return typeof value === "bigint" ? value === 0n : value === 0;
}

export const realVector = (value, what, length) => parseVector(value, what, length, parseReal);
export const integerVector = (value, what, length) => parseVector(value, what, length, parseInteger);

// A vector of integers, none below zero and one above.
export function weightVector(value, what, length) {
  const vector = integerVector(value, what, length);
  demand(!vector.values.some((v) => v < 0n), `${what} has a value below zero.`);
  demand(vector.values.length > 0, `${what} has no value above zero.`);
  return vector;
}

export function checkIncreasing(indices, bound, what) {
  let last = -1;
  for (const i of indices) {
    demand(isCount(i) && i > last && i < bound, `${what} are not strictly increasing counts below ${bound}.`);
    last = i;
  }
}

// The vector as a Map from index to BigInt.
export function toMap(vector) {
  const map = new Map();
  for (let i = 0; i < vector.indices.length; i++) map.set(vector.indices[i], vector.values[i]);
  return map;
}

// ---- Binary64 numbers as integers times powers of two

// The Number as {m, e} with m odd, or m = 0 and e = 0.
export function exact(value) {
  if (value === 0) return { m: 0n, e: 0 };
  view.setFloat64(0, value);
  const high = view.getUint32(0);
  const field = (high >>> 20) & 0x7ff;
  if (field === 0x7ff) refuse("A number is not finite.");
  const zeros = trailingZeros(high, view.getUint32(4), field);
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(view.getUint32(4));
  const whole = field === 0 ? fraction : fraction | (1n << 52n);
  const m = whole >> BigInt(zeros);
  return { m: high >>> 31 ? -m : m, e: Math.max(field, 1) - 1075 + zeros };
}

function trailingZeros(high, low, field) {
  const word = low !== 0 ? low : (high & 0xfffff) | (field === 0 ? 0 : 0x100000);
  return (low !== 0 ? 0 : 32) + 31 - Math.clz32(word & -word);
}

// The exponent of the lowest bit of a Number other than zero.
function lowestExponent(value) {
  view.setFloat64(0, value);
  const high = view.getUint32(0);
  const field = (high >>> 20) & 0x7ff;
  return Math.max(field, 1) - 1075 + trailingZeros(high, view.getUint32(4), field);
}

// The greatest e <= 0 for which every one of these Numbers is an integer times 2^e.
export function commonExponent(numbers, start = 0) {
  let e = start;
  for (const value of numbers) {
    if (Number.isInteger(value)) continue;
    e = Math.min(e, lowestExponent(value));
  }
  return e;
}

// The integer m with value = m 2^e, for an e that commonExponent gave.
export function scaled(value, e) {
  if (e === 0) return BigInt(value);
  if (e > -900) {
    const shifted = value * 2 ** -e;
    if (Number.isFinite(shifted)) return BigInt(shifted);
  }
  return atExponent(exact(value), e);
}

// ---- Dyadic numbers

export const ZERO = { m: 0n, e: 0 };

// The BigInt that the dyadic number is at the exponent e, which must not be above what the number needs.
export function atExponent(x, e) {
  if (x.m === 0n || x.e === e) return x.m;
  if (x.e > e) return x.m << BigInt(x.e - e);
  const shift = BigInt(e - x.e);
  const m = x.m >> shift;
  if (m << shift !== x.m) throw new Error("An exponent was chosen too high.");
  return m;
}

export function add(x, y) {
  const e = Math.min(x.e, y.e);
  return { m: atExponent(x, e) + atExponent(y, e), e };
}

export function negate(x) {
  return { m: -x.m, e: x.e };
}

export function subtract(x, y) {
  return add(x, negate(y));
}

export function multiply(x, y) {
  return { m: x.m * y.m, e: x.e + y.e };
}

export function half(x) {
  return { m: x.m, e: x.e - 1 };
}

// Below zero, zero or above zero as x is below y, equal to it or above.
export function compare(x, y) {
  const m = subtract(x, y).m;
  return m < 0n ? -1 : m > 0n ? 1 : 0;
}

// A dyadic number as a fraction [numerator, denominator], the denominator above zero.
export function fraction(x) {
  return x.e >= 0 ? [x.m << BigInt(x.e), 1n] : [x.m, 1n << BigInt(-x.e)];
}

export function sumOfSquares(values) {
  let total = 0n;
  for (const v of values) total += v * v;
  return total;
}
