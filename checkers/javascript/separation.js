// Kinds "separating", "inseparable" and "quasi-separable" (section 6), for two sides, all classes at once and ordered classes,
// without a kernel.

import { demand } from "./refusal.js";
import { fields, isObject, oneOf } from "./json.js";
import { compare, exact, integerVector, multiply, parseInteger, parseReal, toMap, weightVector } from "./numbers.js";
import { onlyParticipants } from "./data.js";
import { AllClasses, TwoSides, byClass, onlyPlaces, quotient } from "./comparisons.js";
import { OrderedClasses } from "./ordered.js";
import { checkEstimates, coefficients } from "./estimates.js";
import { checkKernelInseparable } from "./kernelised.js";
import { labelText } from "./labels.js";

const ONE = { m: 1n, e: 0 };

export function checkSeparation(kind, value, proof, header, data, part) {
  const problem = fields(value, '"problem"', ["bias", "kernel", "classes"]);
  oneOf(problem.bias, '"bias"', ["free", "none"]);
  if (problem.kernel !== "linear") {
    demand(kind === "inseparable" && !part.joint, 'Only "inseparable" with two sides can have a kernel.');
    return { problem, ...checkKernelInseparable(problem, proof, data, part) };
  }
  const ordinal = problem.classes === "ordinal";
  demand(!ordinal || problem.bias === "free", "Ordered classes have thresholds, but the problem has no bias.");
  const check = { separating, inseparable, "quasi-separable": quasiSeparable }[kind];
  if (!isObject(proof) || !("estimates" in proof)) return { problem, ...check(problem, proof, data, part) };
  const { estimates, ...rest } = proof;
  const result = check(problem, rest, data, part);
  const model = coefficients(problem, header, data, part, labelText);
  // Every class is met by itself, so that places are what the document calls them.
  const named = { indices: Array.from({ length: part.k }, (_, m) => m) };
  demand(model.order.length <= 1024, "There are more than 1024 coefficients.");
  const all = compareAll(problem, data, part, [], [named]);
  const tied = result.places ?? new Set(kind === "inseparable" ? all.everyPlace().map(([place]) => place) : []);
  const words = checkEstimates(estimates, model, problem, data, part, all, tied);
  return { problem, ...result, estimates: { words, names: model.names } };
}

// The point z = (w, b) of a proof.
function readPoint(problem, proof, data, part) {
  if (problem.classes === "ordinal") {
    const b = toMap(integerVector(proof.b, "b", part.k - 1));
    return { w: toMap(integerVector(proof.w, "w", data.d)), we: 0, b, be: 0 };
  }
  const w = integerVector(proof.w, "w", part.joint ? part.k * data.d : data.d);
  let b;
  if (part.joint) b = toMap(integerVector(proof.b, "b", part.k));
  else b = parseInteger(proof.b, "b");
  const none = part.joint ? b.size === 0 : b === 0n;
  demand(problem.bias === "free" || none, "The bias is not zero, although the problem has none.");
  return { w: part.joint ? byClass(w, data.d) : toMap(w), we: 0, b, be: 0 };
}

function compareAll(problem, data, part, points, vectors) {
  if (problem.classes === "ordinal") return new OrderedClasses(data, part);
  return part.joint ? new AllClasses(data, part, points, vectors) : new TwoSides(data, part);
}

function separating(problem, value, data, part) {
  const proof = fields(value, '"proof"', ["w", "b"], part.joint ? [] : ["margin"]);
  const z = readPoint(problem, proof, data, part);
  const all = compareAll(problem, data, part, [z], []);
  all.products(z, (place, _, product) => demand(product > 0n, `Row ${rowOf(place, part)} is not on its own side.`));
  return "margin" in proof ? { margin: checkMargin(proof.margin, problem, z, data, part, all) } : {};
}

function rowOf(place, part) {
  return part.joint ? quotient(place, part.k) : place;
}

function readCircuit(proof, data, part) {
  const length = part.joint ? data.n * part.k : data.n;
  const circuit = weightVector(proof.circuit, "circuit", length);
  const cover = integerVector(proof.cover, "cover", length);
  demand(!cover.values.some((v) => v < 0n), "A value of the cover is below zero.");
  const q = parseInteger(proof.denominator, "denominator");
  demand(q > 0n, "The denominator is not above zero.");
  return { circuit, cover, q };
}

// The two sums over the a that `tied` lists as [place, multiplicity].
function checkSums({ circuit, cover, q }, tied, all, withBias) {
  const first = all.combine(circuit.indices.map((place, t) => [place, 1, circuit.values[t]]), 0, ONE);
  demand(all.isZero(first, withBias), "The sum over the circuit is not zero.");
  const more = toMap(cover);
  const second = all.combine(tied.map(([place, multiplicity]) => [place, multiplicity, q + (more.get(place) ?? 0n)]), 0, ONE);
  demand(all.isZero(second, withBias), "The sum over the cover is not zero.");
}

function inseparable(problem, value, data, part) {
  const proof = fields(value, '"proof"', ["circuit", "cover", "denominator"]);
  const weights = readCircuit(proof, data, part);
  const all = compareAll(problem, data, part, [], [weights.circuit, weights.cover]);
  onlyPlaces(all, weights.circuit, "circuit");
  onlyPlaces(all, weights.cover, "cover");
  checkSums(weights, all.everyPlace(), all, problem.bias === "free");
  return {};
}

function quasiSeparable(problem, value, data, part) {
  const proof = fields(value, '"proof"', ["w", "b", "circuit", "cover", "denominator"]);
  const z = readPoint(problem, proof, data, part);
  const weights = readCircuit(proof, data, part);
  const all = compareAll(problem, data, part, [z], [weights.circuit, weights.cover]);
  const places = new Set();
  const list = [];
  let tied = 0;
  let strict = 0;
  all.products(z, (place, multiplicity, product) => {
    demand(product >= 0n, `Row ${rowOf(place, part)} is on the wrong side.`);
    if (product > 0n) strict += multiplicity;
    else {
      tied += multiplicity;
      places.add(place);
      list.push([place, multiplicity]);
    }
  });
  demand(strict > 0, "No row is strictly on its own side.");
  demand(tied > 0, "No row is tied.");
  for (const name of ["circuit", "cover"]) {
    for (const place of weights[name].indices) demand(places.has(place), `The ${name} has a value at place ${place}, which is not tied.`);
  }
  checkSums(weights, list, all, problem.bias === "free");
  return { tied, places };
}

// ---- The margin

function checkMargin(value, problem, z, data, part, all) {
  const margin = fields(value, '"margin"', ["lower", "upper", "alpha"]);
  const lower = exact(parseReal(margin.lower, '"lower"'));
  const upper = exact(parseReal(margin.upper, '"upper"'));
  const alpha = weightVector(margin.alpha, "margin.alpha", data.n);
  onlyParticipants(alpha, part, "margin.alpha");
  demand(lower.m >= 0n && compare(lower, upper) <= 0, "The bounds of the margin are not 0 <= lower <= upper.");
  const free = problem.bias === "free";
  const reach = free ? checkSidesApart(z, data, part) : leastProduct(z, all);
  // For a free bias `reach` is twice the margin that w reaches, times ||w||; the same factor stands at the upper bound.
  const factor = free ? 2n : 1n;
  const w2 = { m: all.squares(z).w * factor * factor, e: 0 };
  demand(compare(multiply(reach, reach), multiply(multiply(lower, lower), w2)) >= 0, "The margin of w is below its lower bound.");

  const { point, scale } = hullPoint(alpha, data, part, all, free);
  const distance = { m: all.squares(point).w, e: 2 * point.we };
  const bound = multiply(multiply(upper, upper), { m: factor * factor * scale * scale, e: 0 });
  demand(compare(distance, bound) <= 0, "The margin has not the upper bound that is said.");
  return { lower, upper };
}

// p - r: how far the least w.x of the positive side is above the greatest of the negative side.
function checkSidesApart(z, data, part) {
  let p = null;
  let r = null;
  for (const i of part.rows) {
    const product = data.product(z.w, i);
    if (part.place[i] > 0) {
      if (p === null || product < p) p = product;
    } else if (r === null || product > r) r = product;
  }
  demand(p !== null && r !== null, "A margin with a bias needs rows on both sides.");
  demand(p > r, "w alone does not hold the two sides apart.");
  return { m: p - r, e: data.e };
}

function leastProduct(z, all) {
  let least = null;
  const e = all.products(z, (_place, _multiplicity, product) => {
    if (least === null || product < least) least = product;
  });
  return { m: least, e };
}

// The point sum_i alpha_i y_i x_i times `scale`, where alpha has been scaled to the sum 1, on each side if the bias is free.
function hullPoint(alpha, data, part, all, free) {
  const sums = [0n, 0n];
  alpha.indices.forEach((i, t) => {
    sums[part.place[i] > 0 ? 0 : 1] += alpha.values[t];
  });
  let [positive, negative] = sums;
  demand(!free || (positive > 0n && negative > 0n), "The alpha of the margin has no weight on one side.");
  const scale = free ? positive * negative : positive + negative;
  if (!free) positive = negative = 1n;
  const entries = alpha.indices.map((i, t) => [i, 1, alpha.values[t] * (part.place[i] > 0 ? negative : positive)]);
  return { point: all.combine(entries, 0, ONE), scale };
}
