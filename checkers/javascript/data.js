// The data that the caller gives, their fingerprints (section 4), and which rows take part on which side (section 3).

import { demand, refuse, quoted } from "./refusal.js";
import { fields, isWellFormed, oneOf } from "./json.js";
import { Sha256 } from "./sha256.js";
import { checkIncreasing, commonExponent, isCount, realOrNothing, scaled } from "./numbers.js";

const BLOCK = 4096;
const MOST_ROWS = 4294967295;
const INTEGER_LABEL = /^(?:0|-?[1-9][0-9]*)$/;

// ---- The data

// Labelled rows, checked once, with everything that several certificates can share computed at most once.
export class Data {
  constructor({ columns, X, labels, y, K }) {
    demand(Number.isSafeInteger(columns) && columns >= 0 && columns <= MOST_ROWS, "The data have no proper number of columns.");
    demand(Array.isArray(X) && Array.isArray(y) && X.length === y.length, "The data have not as many labels as rows.");
    oneOf(labels, "The kind of the labels of the data", ["number", "text"]);
    this.n = X.length;
    this.d = columns;
    this.labels = labels;
    this.rows = X.map((row) => sparseRow(row, columns));
    this.readLabels(y);
    this.K = K === undefined || K === null ? null : readMatrix(K);
  }

  readLabels(y) {
    const positions = new Map();
    this.codes = new Uint32Array(this.n);
    for (let i = 0; i < this.n; i++) {
      let code = positions.get(y[i]);
      if (code === undefined) {
        checkLabel(y[i], this.labels, "A label of the data");
        code = positions.size;
        positions.set(y[i], code);
      }
      this.codes[i] = code;
    }
    this.distinct = [...positions.keys()];
  }

  get fingerprintX() {
    if (this.hashX === undefined) this.hashX = hashRows(this.rows, this.d);
    return this.hashX;
  }

  get fingerprintY() {
    if (this.hashY === undefined) this.hashY = hashLabels(this.labels, this.distinct, this.codes);
    return this.hashY;
  }

  // The exponent that all values of X share.
  get e() {
    if (this.exponent === undefined) {
      let e = 0;
      for (const row of this.rows) e = commonExponent(row.values, e);
      this.exponent = e;
    }
    return this.exponent;
  }

  // The values other than zero of row i as BigInts at the exponent e.
  integers(i) {
    const row = this.rows[i];
    if (row.integers === undefined) row.integers = Array.from(row.values, (value) => scaled(value, this.e));
    return row.integers;
  }

  // The product of row i with a Map from column to BigInt.
  product(map, i) {
    const { columns } = this.rows[i];
    const values = this.integers(i);
    let total = 0n;
    for (let t = 0; t < columns.length; t++) {
      const w = map.get(columns[t]);
      if (w !== undefined) total += w * values[t];
    }
    return total;
  }

  // Add the multiple `weight` of row i to a Map from column to BigInt.
  accumulate(map, weight, i) {
    const { columns } = this.rows[i];
    const values = this.integers(i);
    for (let t = 0; t < columns.length; t++) {
      const old = map.get(columns[t]);
      const more = weight * values[t];
      map.set(columns[t], old === undefined ? more : old + more);
    }
  }

  // The entry of X at row i and column j as a Number.
  entry(i, j) {
    const { columns, values } = this.rows[i];
    let low = 0;
    let high = columns.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (columns[middle] < j) low = middle + 1;
      else high = middle;
    }
    return low < columns.length && columns[low] === j ? values[low] : 0;
  }
}

// A row, given as a list of numbers or as [columns, values], without its zeros.
function sparseRow(row, d) {
  const sparse = row.length === 2 && typeof row[0] === "object";
  const given = sparse ? row[1] : row;
  if (sparse) {
    demand(row[0].length === given.length, "A row of the data has not as many columns as values.");
    checkIncreasing(row[0], d, "The columns of a row of the data");
  } else demand(given.length === d, `A row of the data has ${given.length} values instead of ${d}.`);
  const columns = [];
  const values = [];
  for (let t = 0; t < given.length; t++) {
    const value = given[t];
    demand(typeof value === "number" && Number.isFinite(value), "The data hold something that is no finite number.");
    if (value === 0) continue;
    columns.push(sparse ? row[0][t] : t);
    values.push(value);
  }
  return { columns: Uint32Array.from(columns), values: Float64Array.from(values) };
}

function readMatrix(K) {
  for (const row of K) {
    for (const value of row) demand(typeof value === "number" && Number.isFinite(value), "K holds something that is no finite number.");
  }
  return K;
}

// ---- Fingerprints

function hashRows(rows, d) {
  const hash = new Sha256().ascii("separatrix X 1\n").uint64(rows.length).uint64(d);
  for (let start = 0; start < rows.length; start += BLOCK) hash.update(hashBlock(rows.slice(start, start + BLOCK), d));
  return hash.hex();
}

function hashBlock(rows, d) {
  let k = 0;
  for (const row of rows) k += row.values.length;
  const m = rows.length;
  let bytes;
  if (3 * k <= m * d) {
    bytes = new Uint8Array(1 + 4 * m + 12 * k);
    const view = new DataView(bytes.buffer);
    bytes[0] = 0x53;
    let countAt = 1;
    let columnAt = 1 + 4 * m;
    let valueAt = columnAt + 4 * k;
    for (const { columns, values } of rows) {
      view.setUint32(countAt, columns.length, true);
      countAt += 4;
      for (let t = 0; t < columns.length; t++, columnAt += 4, valueAt += 8) {
        view.setUint32(columnAt, columns[t], true);
        view.setFloat64(valueAt, values[t], true);
      }
    }
  } else {
    bytes = new Uint8Array(1 + 8 * m * d);
    const view = new DataView(bytes.buffer);
    bytes[0] = 0x44;
    rows.forEach(({ columns, values }, i) => {
      for (let t = 0; t < columns.length; t++) view.setFloat64(1 + 8 * (i * d + columns[t]), values[t], true);
    });
  }
  return new Sha256().update(bytes).digest();
}

function hashLabels(labels, distinct, codes) {
  const hash = new Sha256().ascii("separatrix y 1\n").ascii(labels + "\n").uint64(distinct.length).uint64(codes.length);
  const encoder = new TextEncoder();
  for (const label of distinct) {
    const bytes = encoder.encode(label);
    hash.uint64(bytes.length).update(bytes);
  }
  const view = new DataView(new ArrayBuffer(4 * codes.length));
  for (let i = 0; i < codes.length; i++) view.setUint32(4 * i, codes[i], true);
  return hash.update(new Uint8Array(view.buffer)).hex();
}

// ---- What the document says of the data

function checkLabel(label, labels, what) {
  demand(typeof label === "string" && isWellFormed(label), `${what} is no text.`);
  if (labels === "text") return;
  if (INTEGER_LABEL.test(label)) {
    demand(label.length <= 1000, `${what} has more than 1,000 characters.`);
    return;
  }
  const value = realOrNothing(label);
  demand(value !== undefined && !Number.isInteger(value), `${what} is not the label of a number: ${quoted(label)}.`);
}

// The part of `data` that does not depend on the data themselves.
export function parseHeader(value) {
  const names = ["rows", "columns", "type", "X", "y", "labels", "positive", "negative", "excluded"];
  const header = fields(value, '"data"', names);
  for (const name of ["rows", "columns"]) {
    demand(isCount(header[name]) && header[name] <= MOST_ROWS, `"${name}" is no count up to 2^32 - 1.`);
  }
  oneOf(header.type, '"type"', ["float64", "float32"]);
  oneOf(header.labels, '"labels"', ["number", "text"]);
  const seen = new Set();
  for (const name of ["positive", "negative"]) {
    demand(Array.isArray(header[name]), `"${name}" is no list.`);
    for (const label of header[name]) {
      checkLabel(label, header.labels, `A label in "${name}"`);
      if (seen.has(label)) refuse(`The label ${quoted(label)} is named twice.`);
      seen.add(label);
    }
  }
  demand(seen.size > 0, "No label is named.");
  demand(Array.isArray(header.excluded), '"excluded" is no list.');
  checkIncreasing(header.excluded, header.rows, "The excluded rows");
  return header;
}

// Compare the header with the data, and say which rows take part, and where.
// The result has `rows` (those that take part, increasing) and `place`, for each row of the data: with two sides +1 or -1, with
// all classes at once the number of the class; for rows that take no part `NOWHERE`. `k` is the number of classes.
export const NOWHERE = -2;

export function participants(header, joint, data) {
  demand(header.rows === data.n, `The certificate speaks of ${header.rows} rows, the data have ${data.n}.`);
  demand(header.columns === data.d, `The certificate speaks of ${header.columns} columns, the data have ${data.d}.`);
  demand(header.labels === data.labels, `The certificate speaks of labels of the kind "${header.labels}", the data have "${data.labels}".`);
  if (header.X !== data.fingerprintX) refuse("The fingerprint of X is not that of the data.");
  if (header.y !== data.fingerprintY) refuse("The fingerprint of y is not that of the data.");
  if (joint) {
    demand(header.negative.length === 0, 'All classes at once leave "negative" empty.');
    demand(header.positive.length >= 2, "All classes at once need at least two classes.");
  }
  const placeOf = new Map();
  header.positive.forEach((label, index) => placeOf.set(label, joint ? index : 1));
  header.negative.forEach((label) => placeOf.set(label, -1));
  const placeOfCode = data.distinct.map((label) => placeOf.get(label) ?? NOWHERE);
  const place = Int32Array.from(data.codes, (code) => placeOfCode[code]);
  for (const i of header.excluded) {
    demand(place[i] !== NOWHERE, `Row ${i} is excluded, but its label is not named.`);
    place[i] = NOWHERE;
  }
  const rows = [];
  for (let i = 0; i < place.length; i++) if (place[i] !== NOWHERE) rows.push(i);
  demand(rows.length > 0, "No row takes part.");
  return { joint, rows, place, k: header.positive.length };
}

// Demand that the vector is zero on rows that take no part.
export function onlyParticipants(vector, part, what) {
  for (const i of vector.indices) demand(part.place[i] !== NOWHERE, `${what} is not zero on row ${i}, which takes no part.`);
}
