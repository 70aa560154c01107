// The field "estimates" of section 6: what a separation means for the maximum-likelihood estimates of a logistic regression.

import { demand, refuse } from "./refusal.js";
import { fields } from "./json.js";
import { checkIncreasing, integerVector, isCount, parseInteger, toMap, weightVector } from "./numbers.js";
import { byClass, onlyPlaces } from "./comparisons.js";

const MOST = 1024;
const LARGEST_MODULUS = 2 ** 26 - 1;
const ONE = { m: 1n, e: 0 };

// The columns of the coefficients, intercepts and thresholds first, as {order, names, length}; names are those of the statement.
export function coefficients(problem, header, data, part, labelText) {
  const { d } = data;
  const { k } = part;
  const free = problem.bias === "free";
  const columns = Array.from({ length: d }, (_, j) => j);
  if (problem.classes === "two") {
    const names = columns.map((j) => `column ${j}`);
    return { length: d + 1, order: free ? [d, ...columns] : columns, names: free ? ["bias", ...names] : names };
  }
  const labels = header.positive.map((label) => labelText(label, header));
  if (problem.classes === "ordinal") {
    const cuts = Array.from({ length: k - 1 }, (_, m) => m);
    const names = [...cuts.map((m) => `threshold ${labels[m]}|${labels[m + 1]}`), ...columns.map((j) => `column ${j}`)];
    return { length: d + k - 1, order: [...cuts.map((m) => d + m), ...columns], names };
  }
  const order = [];
  const names = [];
  for (let m = 1; m < k && free; m++) {
    order.push(k * d + m);
    names.push(`bias of ${labels[m]}`);
  }
  for (let m = 1; m < k; m++) {
    for (const j of columns) {
      order.push(m * d + j);
      names.push(`column ${j} of ${labels[m]}`);
    }
  }
  return { length: k * d + k, order, names };
}

// A vector over columns as a point z.
function toPoint(vector, problem, data, part) {
  const start = problem.classes === "joint" ? part.k * data.d : data.d;
  const inside = { indices: [], values: [] };
  const b = new Map();
  vector.indices.forEach((column, t) => {
    if (column >= start) b.set(column - start, vector.values[t]);
    else {
      inside.indices.push(column);
      inside.values.push(vector.values[t]);
    }
  });
  if (problem.classes === "joint") return { w: byClass(inside, data.d), we: 0, b, be: 0 };
  const w = toMap(inside);
  return { w, we: 0, b: problem.classes === "two" ? (b.get(0) ?? 0n) : b, be: 0 };
}

// The entries of a point as [column, value], all at the exponent e of the data.
function entriesOf(point, problem, data, part) {
  const start = problem.classes === "joint" ? part.k * data.d : data.d;
  const out = [];
  if (problem.classes === "joint") {
    for (const [m, map] of point.w) for (const [j, value] of map) out.push([m * data.d + j, value]);
  } else for (const [j, value] of point.w) out.push([j, value]);
  const shift = BigInt(point.be - data.e);
  const biases = problem.classes === "two" ? [[0, point.b]] : [...point.b];
  for (const [m, value] of biases) out.push([start + m, value << shift]);
  return out;
}

function list(value, what) {
  demand(Array.isArray(value) && value.length <= 2 * MOST, `"${what}" is no list of at most ${2 * MOST}.`);
  return value;
}

// Check the field against what is known already: `tied` is the set of tied places, `all` makes products and sums.
// The result is the word of each coefficient, in their order.
export function checkEstimates(value, { order, names, length }, problem, data, part, all, tied) {
  const record = fields(value, '"estimates"', ["modulus", "independent", "aliased", "null", "signs", "directions"]);
  demand(order.length <= MOST, `There are more than ${MOST} coefficients.`);
  const rank = new Map(order.map((column, at) => [column, at]));
  const readVectors = (what, gone) =>
    list(record[what], what).map((each) => {
      const vector = integerVector(each, what, length);
      demand(vector.indices.length > 0, `A vector of "${what}" is zero.`);
      for (const c of vector.indices) demand(rank.has(c) && !gone.has(c), `A vector of "${what}" has a value at column ${c}.`);
      return { map: toMap(vector), point: toPoint(vector, problem, data, part) };
    });
  const aliased = readVectors("aliased", new Set());
  const gone = new Set();
  for (const { map } of aliased) {
    const last = [...map.keys()].reduce((a, b) => (rank.get(a) > rank.get(b) ? a : b));
    demand(!gone.has(last), `Two vectors show column ${last} to be aliased.`);
    gone.add(last);
  }
  const kept = order.filter((column) => !gone.has(column));
  const basis = readVectors("null", gone);
  const directions = readVectors("directions", gone);
  checkOwnColumns(basis, tied);
  const dimension = tied.size > 0 ? basis.length : kept.length;

  for (const { point } of aliased) all.products(point, (_, __, product) => demand(product === 0n, "An alias is not zero on every row."));
  for (const { point } of basis) {
    all.products(point, (place, _, product) => demand(!tied.has(place) || product === 0n, "A null vector is not zero on the tied rows."));
  }
  for (const { point } of directions) {
    all.products(point, (_, __, product) => demand(product >= 0n, "A direction has a row on its wrong side."));
  }

  const independent = list(record.independent, "independent");
  checkIncreasing(independent, all.length, "The independent places");
  onlyPlaces(all, { indices: independent }, '"independent"');
  const known = independent.filter((place) => tied.has(place)).length;
  const enough = independent.length === kept.length && known === kept.length - dimension;
  demand(enough, "The independent rows are not as many as are needed.");
  const position = new Map(kept.map((column, at) => [column, at]));
  const rows = independent.map((place) => entriesOf(all.combine([[place, 1, 1n]], 0, ONE), problem, data, part));
  checkRegular(rows, position, record.modulus);

  const used = new Set(tied.size > 0 ? basis.flatMap(({ map }) => [...map.keys()]) : kept);
  const signs = readSigns(record.signs, rank, all, tied);
  for (const [column, { weights, factor }] of signs) {
    demand(used.has(column), `The estimate of ${names[rank.get(column)]} is finite or aliased, and has a sign.`);
    const entries = weights.indices.map((place, t) => [place, 1, weights.values[t]]);
    const sum = new Map(entriesOf(all.combine(entries, 0, ONE), problem, data, part));
    const vectors = tied.size > 0 ? basis.map(({ map }) => map) : kept.map((c) => new Map([[c, 1n]]));
    for (const map of vectors) {
      let total = 0n;
      for (const [c, entry] of map) total += entry * (sum.get(c) ?? 0n);
      const wanted = (factor * (map.get(column) ?? 0n)) << BigInt(-data.e);
      demand(total === wanted, `The weights do not prove the sign of ${names[rank.get(column)]}.`);
    }
  }

  return order.map((column, at) => {
    if (gone.has(column)) return "aliased";
    if (!used.has(column)) return "finite";
    if (signs.has(column)) return signs.get(column).factor > 0n ? "+inf" : "-inf";
    const values = directions.map(({ map }) => map.get(column) ?? 0n);
    const both = values.some((v) => v > 0n) && values.some((v) => v < 0n);
    return both ? "undetermined" : refuse(`Nothing is proved about the estimate of ${names[at]}.`);
  });
}

function checkOwnColumns(basis, tied) {
  demand(tied.size > 0 || basis.length === 0, 'Nothing is tied, but "null" is not empty.');
  const count = new Map();
  for (const { map } of basis) for (const c of map.keys()) count.set(c, (count.get(c) ?? 0) + 1);
  for (const { map } of basis) {
    demand(
      [...map.keys()].some((c) => count.get(c) === 1),
      "A null vector has no column of its own.",
    );
  }
}

function readSigns(value, rank, all, tied) {
  const signs = new Map();
  for (const each of list(value, "signs")) {
    const { column, weights, factor } = fields(each, "A sign", ["column", "weights", "factor"]);
    demand(isCount(column) && rank.has(column) && !signs.has(column), "A sign is of no column, or of one that has another.");
    const vector = weightVector(weights, "The weights of a sign", all.length);
    onlyPlaces(all, vector, "The weights of a sign");
    for (const place of vector.indices) demand(!tied.has(place), "A weight of a sign is on a tied row.");
    const number = parseInteger(factor, "The factor of a sign");
    demand(number !== 0n, "The factor of a sign is zero.");
    signs.set(column, { weights: vector, factor: number });
  }
  return signs;
}

// Demand that elimination modulo p finds a pivot with an inverse for every column: then the determinant is not zero.
function checkRegular(rows, position, p) {
  demand(isCount(p) && p >= 2 && p <= LARGEST_MODULUS, `"modulus" is no count from 2 to ${LARGEST_MODULUS}.`);
  const P = BigInt(p);
  const table = rows.map((entries) => {
    const row = new Float64Array(position.size);
    for (const [column, value] of entries) if (position.has(column)) row[position.get(column)] = Number(((value % P) + P) % P);
    return row;
  });
  for (let c = 0; c < table.length; c++) {
    let at = c;
    let inverse = 0;
    while (at < table.length && (inverse = inverseOf(table[at][c], p)) === 0) at++;
    demand(at < table.length, "The rows are not shown to be independent.");
    [table[c], table[at]] = [table[at], table[c]];
    const pivot = table[c].map((value) => (value * inverse) % p);
    for (let r = c + 1; r < table.length; r++) {
      const factor = table[r][c];
      if (factor === 0) continue;
      for (let t = c; t < pivot.length; t++) table[r][t] = (table[r][t] + (p - ((factor * pivot[t]) % p))) % p;
    }
  }
}

// The inverse of a modulo p, or 0 if there is none.
function inverseOf(a, p) {
  let [r, s, u, v] = [p, a, 0, 1];
  while (s !== 0) {
    const q = Math.floor(r / s);
    [r, s] = [s, r - q * s];
    [u, v] = [v, u - q * v];
  }
  return r === 1 ? ((u % p) + p) % p : 0;
}
