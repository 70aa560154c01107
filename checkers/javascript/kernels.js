// The kernels of section 5. A kernel is read into an object with
//   at(i, j)   the enclosure [low, high] of k(x_i, x_j), two BigInts at the exponent e (equal where the value is exact),
//   theorem    whether a theorem says that it is positive semidefinite,
//   matrix     whether it is given as a matrix, "precomputed" or "function",
//   text       its name with its parameters, for the statement.

import { demand, quoted } from "./refusal.js";
import { fields, isObject } from "./json.js";
import { atExponent, commonExponent, exact, isCount, parseReal, scaled } from "./numbers.js";
import { printReal } from "./decimal.js";
import { EXPONENT, expMinus, tanh } from "./enclosures.js";

const MOST_OBJECTS = 16;
const HIGHEST_ORDER = 16;
const MOST_ELIMINATED = 64;

export function parseKernel(value, data, part) {
  const state = { data, count: 0 };
  const kernel = parseNode(value, state, true);
  demand(kernel.order <= HIGHEST_ORDER, `The order of the kernel is above ${HIGHEST_ORDER}.`);
  const built = kernel.build();
  const result = { ...built, text: kernel.text, theorem: kernel.theorem, matrix: kernel.matrix === true };
  if (result.matrix) checkSymmetry(result, part);
  return result;
}

// Reads one object, and gives its order, text and theorem, and `build`, which makes {at, e} once all limits have been checked.
function parseNode(value, state, top) {
  demand(isObject(value), "A kernel is no object.");
  state.count += 1;
  demand(state.count <= MOST_OBJECTS, `A kernel consists of more than ${MOST_OBJECTS} objects.`);
  const reader = typeof value.name === "string" && Object.hasOwn(READERS, value.name) ? READERS[value.name] : null;
  demand(reader !== null, `There is no kernel with the name ${quoted(value.name)}.`);
  return reader(value, state, top);
}

function gammaOf(value) {
  const gamma = parseReal(value.gamma, "gamma");
  demand(gamma >= 0, "gamma is below zero.");
  return gamma;
}

function partsOf(value, number, state) {
  demand(Array.isArray(value.parts) && value.parts.length === number, `The kernel "${value.name}" has not ${number} parts.`);
  return value.parts.map((part) => parseNode(part, state, false));
}

// A Number at an exponent that is not above zero.
function small(number) {
  const e = commonExponent([number]);
  return { m: scaled(number, e), e };
}

// gamma x.z + coef0 as a function of (i, j), with its exponent.
function affine(data, gamma, coef0) {
  const { dot } = geometry(data);
  const g = small(gamma);
  const e = Math.min(g.e + 2 * data.e, commonExponent([coef0]));
  const c = atExponent(exact(coef0), e);
  const shift = BigInt(g.e + 2 * data.e - e);
  return { e, value: (i, j) => (dot(i, j) * g.m << shift) + c };
}

function exponential(data, gamma, distance, distanceExponent) {
  const g = small(gamma);
  const e = g.e + distanceExponent;
  return { e: EXPONENT, at: (i, j) => expMinus(distance(i, j) * g.m, e) };
}

function matrixReader(name) {
  return (value, { data }, top) => {
    fields(value, "The kernel", ["name"]);
    demand(top, `The kernel "${name}" is no part of others.`);
    const build = () => {
      const { n } = data;
      if (name === "precomputed") {
        demand(data.d === n, "The kernel is precomputed, but X is not square.");
        const { e } = data;
        return { e, at: (i, j) => twice(scaled(data.entry(i, j), e)) };
      }
      demand(data.K !== null, "The kernel is a function, but its matrix was not given.");
      demand(data.K.length === n && data.K.every((row) => row.length === n), "The matrix of the kernel is not square.");
      const e = data.K.reduce((least, row) => commonExponent(row, least), 0);
      return { e, at: (i, j) => twice(scaled(data.K[i][j], e)) };
    };
    return { order: 1, text: name, theorem: false, matrix: true, build };
  };
}

const twice = (m) => [m, m];

const READERS = {
  linear(value, { data }) {
    fields(value, "The kernel", ["name"]);
    const build = () => {
      const { dot } = geometry(data);
      return { e: 2 * data.e, at: (i, j) => twice(dot(i, j)) };
    };
    return { order: 1, text: "linear", theorem: true, build };
  },

  poly(value, { data }) {
    fields(value, "The kernel", ["name", "degree", "gamma", "coef0"]);
    demand(isCount(value.degree), "The degree of a kernel is no count.");
    const gamma = gammaOf(value);
    const coef0 = parseReal(value.coef0, "coef0");
    const build = () => {
      const inner = affine(data, gamma, coef0);
      const power = BigInt(value.degree);
      return { e: value.degree * inner.e, at: (i, j) => twice(inner.value(i, j) ** power) };
    };
    const text = `poly (degree = ${value.degree}, gamma = ${printReal(gamma)}, coef0 = ${printReal(coef0)})`;
    return { order: value.degree, text, theorem: coef0 >= 0, build };
  },

  rbf(value, { data }) {
    fields(value, "The kernel", ["name", "gamma"]);
    const gamma = gammaOf(value);
    const build = () => exponential(data, gamma, geometry(data).squared, 2 * data.e);
    return { order: 1, text: `rbf (gamma = ${printReal(gamma)})`, theorem: true, build };
  },

  laplacian(value, { data }) {
    fields(value, "The kernel", ["name", "gamma"]);
    const gamma = gammaOf(value);
    const build = () => exponential(data, gamma, geometry(data).absolute, data.e);
    return { order: 1, text: `laplacian (gamma = ${printReal(gamma)})`, theorem: true, build };
  },

  sigmoid(value, { data }) {
    fields(value, "The kernel", ["name", "gamma", "coef0"]);
    const gamma = gammaOf(value);
    const coef0 = parseReal(value.coef0, "coef0");
    const build = () => {
      const inner = affine(data, gamma, coef0);
      return { e: EXPONENT, at: (i, j) => tanh(inner.value(i, j), inner.e) };
    };
    return { order: 1, text: `sigmoid (gamma = ${printReal(gamma)}, coef0 = ${printReal(coef0)})`, theorem: false, build };
  },

  precomputed: matrixReader("precomputed"),
  function: matrixReader("function"),

  sum(value, state) {
    fields(value, "The kernel", ["name", "parts"]);
    const [left, right] = partsOf(value, 2, state);
    const build = () => {
      const [p, q] = [left.build(), right.build()];
      const e = Math.min(p.e, q.e);
      const [s, t] = [BigInt(p.e - e), BigInt(q.e - e)];
      const at = (i, j) => {
        const [a, b] = p.at(i, j);
        const [c, d] = q.at(i, j);
        return [(a << s) + (c << t), (b << s) + (d << t)];
      };
      return { e, at };
    };
    const order = Math.max(left.order, right.order);
    return { order, text: `(${left.text}) + (${right.text})`, theorem: left.theorem && right.theorem, build };
  },

  product(value, state) {
    fields(value, "The kernel", ["name", "parts"]);
    const [left, right] = partsOf(value, 2, state);
    const build = () => {
      const [p, q] = [left.build(), right.build()];
      return { e: p.e + q.e, at: (i, j) => productOf(p.at(i, j), q.at(i, j)) };
    };
    const order = left.order + right.order;
    return { order, text: `(${left.text}) * (${right.text})`, theorem: left.theorem && right.theorem, build };
  },

  scaled(value, state) {
    fields(value, "The kernel", ["name", "factor", "parts"]);
    const factor = parseReal(value.factor, "The factor of a kernel");
    demand(factor > 0, "The factor of a kernel is not above zero.");
    const [inner] = partsOf(value, 1, state);
    const build = () => {
      const p = inner.build();
      const f = small(factor);
      const at = (i, j) => {
        const [a, b] = p.at(i, j);
        return [a * f.m, b * f.m];
      };
      return { e: p.e + f.e, at };
    };
    return { order: inner.order, text: `${printReal(factor)} * (${inner.text})`, theorem: inner.theorem, build };
  },
};

function productOf([a, b], [c, d]) {
  if (a === b && c === d) return twice(a * c);
  const products = [a * c, a * d, b * c, b * d];
  return [products.reduce((x, y) => (y < x ? y : x)), products.reduce((x, y) => (y > x ? y : x))];
}

// ---- Products and distances of rows

// The functions dot, squared and absolute of (i, j): x_i.x_j and ||x_i - x_j||^2 at the exponent 2 e, ||x_i - x_j||_1 at e.
// Where no sum can reach 2^53 they are computed with Numbers, otherwise with BigInts.
function geometry(data) {
  if (data.geometry === undefined) data.geometry = makeGeometry(data);
  return data.geometry;
}

function makeGeometry(data) {
  const unit = data.e > -900 ? 2 ** -data.e : Infinity;
  let greatest = 0;
  let longest = 1;
  for (const { values } of data.rows) {
    longest = Math.max(longest, values.length);
    for (const value of values) greatest = Math.max(greatest, Math.abs(value) * unit);
  }
  const light = 4 * longest * greatest * greatest <= 2 ** 52 && greatest < 2 ** 26;
  const numbers = light ? data.rows.map(({ values }) => values.map((value) => value * unit)) : null;
  const valuesOf = light ? (i) => numbers[i] : (i) => data.integers(i);
  const zero = light ? 0 : 0n;

  // Add up term(x, z) over the columns in which one of the two rows is not zero.
  const sum = (i, j, term, both) => {
    const [p, q] = [data.rows[i].columns, data.rows[j].columns];
    const [x, z] = [valuesOf(i), valuesOf(j)];
    let total = zero;
    let s = 0;
    let t = 0;
    while (s < p.length && t < q.length) {
      if (p[s] === q[t]) total += term(x[s++], z[t++]);
      else if (p[s] < q[t]) {
        if (!both) total += term(x[s], zero);
        s++;
      } else {
        if (!both) total += term(z[t], zero);
        t++;
      }
    }
    if (!both) {
      for (; s < p.length; s++) total += term(x[s], zero);
      for (; t < q.length; t++) total += term(z[t], zero);
    }
    return BigInt(total);
  };
  return {
    dot: (i, j) => sum(i, j, (x, z) => x * z, true),
    squared: (i, j) => sum(i, j, (x, z) => (x - z) * (x - z), false),
    absolute: (i, j) => sum(i, j, (x, z) => (x > z ? x - z : z - x), false),
  };
}

// ---- What a proof depends on

function checkSymmetry(kernel, { rows }) {
  for (let s = 0; s < rows.length; s++) {
    for (let t = 0; t < s; t++) {
      const same = kernel.at(rows[s], rows[t])[0] === kernel.at(rows[t], rows[s])[0];
      demand(same, `The matrix of the kernel is not symmetric at (${rows[s]}, ${rows[t]}).`);
    }
  }
}

// Whether the kernel is known to be positive semidefinite on the rows that take part; false means that this is not decided. One that
// is not semidefinite is refused.
export function decideSemidefinite(kernel, { rows }) {
  if (kernel.theorem) return true;
  if (!kernel.matrix || rows.length > MOST_ELIMINATED) return false;
  const a = rows.map((i) => rows.map((j) => kernel.at(i, j)[0]));
  demand(isSemidefinite(a), "The matrix of the kernel is not positive semidefinite on the rows that take part.");
  return true;
}

// Symmetric elimination without fractions (Bareiss): every division is exact, and every matrix a positive multiple of a Schur complement.
export function isSemidefinite(a) {
  const n = a.length;
  let last = 1n;
  for (let p = 0; p < n; p++) {
    const pivot = a[p][p];
    if (pivot < 0n) return false;
    if (pivot === 0n) {
      for (let j = p + 1; j < n; j++) if (a[p][j] !== 0n) return false;
      continue;
    }
    for (let i = p + 1; i < n; i++) {
      for (let j = i; j < n; j++) {
        a[i][j] = (pivot * a[i][j] - a[p][i] * a[p][j]) / last;
        a[j][i] = a[i][j];
      }
    }
    last = pivot;
  }
  return true;
}
