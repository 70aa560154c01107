// Kind "mistakes" (section 7): the most updates that a perceptron can make, whatever the order of the rows.
// All inequalities are compared as fractions of integers; nothing is rounded but sqrt(k + 1), which is rounded down.

import { demand } from "./refusal.js";
import { fields, oneOf } from "./json.js";
import { add, compare, exact, fraction, isCount, multiply, parseReal, realVector } from "./numbers.js";
import { sumOfSquares, toMap, weightVector } from "./numbers.js";
import { AllClasses, TwoSides, byClass, onlyPlaces, quotient } from "./comparisons.js";

// 0.6931471806, which is above ln 2.
const LN2 = { top: 6931471806n, bottom: 10000000000n };

export function checkMistakes(value, proofValue, data, part) {
  const problem = fields(value, '"problem"', ["algorithm", "gain", "step", "start", "classes"]);
  oneOf(problem.algorithm, '"algorithm"', ["perceptron", "gradient"]);
  oneOf(problem.start, '"start"', ["zero", "row"]);
  const gradient = problem.algorithm === "gradient";
  const gain = parseReal(problem.gain, "The gain");
  demand(gain >= 0, "The gain is below zero.");
  const step = parseStep(problem.step, gradient);

  const hasUpdates = typeof proofValue === "object" && proofValue !== null && "updates" in proofValue;
  const withStart = hasUpdates && problem.start === "row";
  const more = [...(hasUpdates ? ["updates"] : []), ...(withStart ? ["start"] : [])];
  const proof = fields(proofValue, '"proof"', ["witness", "bound", ...more]);
  demand(!hasUpdates || typeof step === "number", "Updates can be counted only where the step is a real.");
  demand(isCount(proof.bound), '"bound" is no count.');

  const z = readWitness(proof.witness, gain, data, part);
  const length = part.joint ? data.n * part.k : data.n;
  const updates = hasUpdates ? weightVector(proof.updates, "updates", length) : null;
  if (withStart) demand(isCount(proof.start) && proof.start < length, '"start" is no place of a row.');
  const vectors = [...(hasUpdates ? [updates] : []), ...(withStart ? [{ indices: [proof.start] }] : [])];
  const all = part.joint ? new AllClasses(data, part, [z], vectors) : new TwoSides(data, part);

  const rho = ratio(z, exact(gain), data, part, all);
  const excluded = excludes(problem, step, rho, BigInt(proof.bound) + 1n, BigInt(all.size));
  demand(excluded, `The witness does not exclude ${BigInt(proof.bound) + 1n} updates.`);
  const result = { problem, gain, step, bound: proof.bound };
  if (!hasUpdates) return result;

  for (const vector of vectors) onlyPlaces(all, vector, "updates, or start,");
  const sum = updates.values.reduce((x, y) => x + y, 0n);
  const most = gradient ? updates.values.reduce((x, y) => (x > y ? x : y), 0n) : sum;
  demand(most <= BigInt(proof.bound), "The updates are more than the bound.");
  checkImplied(updates, withStart ? proof.start : null, step, gain, all);
  const from = !withStart ? null : part.joint ? quotient(proof.start, part.k) : proof.start;
  return { ...result, sum, from };
}

function parseStep(value, gradient) {
  if (value === "decreasing") return value;
  if (value === "line-search") {
    demand(gradient, "Only the gradient algorithm has a line search.");
    return value;
  }
  const step = parseReal(value, "The step");
  demand(step > 0, "The step is not above zero.");
  return step;
}

function readWitness(value, gain, data, part) {
  const witness = fields(value, '"witness"', ["w", "b"]);
  const w = realVector(witness.w, "witness.w", part.joint ? part.k * data.d : data.d);
  const b = realVector(witness.b, "witness.b", part.joint ? part.k : 1);
  demand(gain > 0 || b.indices.length === 0, "The gain is zero, but the witness has a bias.");
  const biases = toMap(b);
  if (part.joint) return { w: byClass(w, data.d), we: w.e, b: biases, be: b.e };
  return { w: toMap(w), we: w.e, b: biases.get(0) ?? 0n, be: b.e };
}

// rho = R U / M^2 as a fraction {top, bottom}.
function ratio(z, gain, data, part, all) {
  let longest = 0n;
  for (const i of part.rows) {
    const square = sumOfSquares(data.integers(i));
    if (square > longest) longest = square;
  }
  const R = multiply(add({ m: longest, e: 2 * data.e }, gain), { m: part.joint ? 2n : 1n, e: 0 });
  let least = null;
  const e = all.products(z, (_place, _multiplicity, product) => {
    if (least === null || product < least) least = product;
  });
  demand(least > 0n, "The witness does not separate the rows.");
  const squares = all.squares(z);
  const w2 = { m: squares.w, e: 2 * z.we };
  const b2 = { m: squares.b, e: 2 * z.be };
  // U = (||w||^2 g + ||b||^2) / g, or ||w||^2 where g = 0.
  const withBias = gain.m !== 0n;
  const top = multiply(R, withBias ? add(multiply(w2, gain), b2) : w2);
  const bottom = multiply({ m: least * least, e: 2 * e }, withBias ? gain : { m: 1n, e: 0 });
  const [p, q] = fraction(top);
  const [r, s] = fraction(bottom);
  return { top: p * s, bottom: q * r };
}

// left >= rho right or left > rho right, for dyadic numbers.
function exceeds(left, rho, right, strictly = true) {
  const order = compare(multiply(left, { m: rho.bottom, e: 0 }), multiply(right, { m: rho.top, e: 0 }));
  return strictly ? order > 0 : order >= 0;
}

const whole = (m) => ({ m, e: 0 });
const square = (x) => multiply(x, x);

function excludes(problem, step, rho, k, N) {
  const fromRow = problem.start === "row";
  if (step === "decreasing") return excludesDecreasing(rho, k, problem.algorithm === "gradient" ? N : 1n, fromRow ? 1n : 0n);
  const s = typeof step === "number" ? exact(step) : whole(1n);
  const one = whole(1n);
  if (problem.algorithm === "gradient") {
    let a = s;
    let h = multiply(s, whole(N));
    if (fromRow && compare(one, a) < 0) a = one;
    if (fromRow && compare(one, h) > 0) h = one;
    const left = multiply(multiply(a, h), whole(4n * (k + (fromRow ? 1n : 0n))));
    return exceeds(left, rho, square(add(a, h)));
  }
  if (!fromRow) return exceeds(whole(k), rho, one);
  const reach = add(one, multiply(s, whole(k)));
  const growth = add(one, multiply(square(s), whole(k)));
  return exceeds(multiply(reach, whole(2n)), rho, s, false) && exceeds(square(reach), rho, growth);
}

function excludesDecreasing(rho, k, N, e) {
  const t = { m: squareRoot((k + 1n) << 128n), e: -64 };
  const r = add(multiply(add(t, whole(-1n)), whole(2n)), whole(e));
  if (r.m <= 0n) return false;
  if (exceeds(r, rho, whole(N))) return true;
  // q = N^2 (1 + l) + e with 1 + l = 0.6931471806 j + k / 2^j, times the denominator of the decimal number.
  const j = k.toString(2).length - 1;
  const logarithm = add(whole(LN2.top * BigInt(j)), multiply(whole(LN2.bottom), { m: k, e: -j }));
  const q = add(multiply(whole(N * N), logarithm), whole(LN2.bottom * e));
  return exceeds(multiply(square(r), whole(LN2.bottom)), rho, q);
}

// The square root of an integer, rounded down.
export function squareRoot(n) {
  if (n < 2n) return n;
  let x = 1n << BigInt((n.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (x + n / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
}

// The weights that the updates imply, sum_i (s updates_i + [i = start]) y_i (x_i, g), separate the rows.
function checkImplied(updates, start, step, gain, all) {
  const s = exact(step);
  const e = Math.min(s.e, 0);
  const factor = s.m << BigInt(s.e - e);
  const entries = updates.indices.map((place, t) => [place, 1, factor * updates.values[t]]);
  if (start !== null) entries.push([start, 1, 1n << BigInt(-e)]);
  const z = all.combine(entries, e, exact(gain));
  all.products(z, (place, _, product) => demand(product > 0n, `The weights of the updates do not separate place ${place}.`));
}
