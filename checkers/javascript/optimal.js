// What all certificates of the kind "optimal" share: the problem, the costs, and the comparison of the two bounds.

import { demand } from "./refusal.js";
import { fields, isObject, oneOf } from "./json.js";
import { add, commonExponent, compare, exact, half, parseReal, realVector, scaled, subtract, toMap, ZERO } from "./numbers.js";
import { onlyParticipants } from "./data.js";

const ROUNDING = -2200;

export function parseProblem(value) {
  const problem = fields(value, '"problem"', ["loss", "bias", "kernel", "C", "classes"], ["scaling"]);
  oneOf(problem.loss, '"loss"', ["hinge", "squared_hinge"]);
  oneOf(problem.bias, '"bias"', ["free", "augmented", "none"]);
  oneOf(problem.classes, '"classes"', ["two", "joint"]);
  return problem;
}

// The costs as {of(i), e, ...}: of(i) is the BigInt C_i at the exponent e, for every row i that takes part. The rest is for the statement.
export function parseCosts(value, part, data) {
  demand(isObject(value), '"C" holds no costs.');
  if ("rows" in value) {
    fields(value, '"C"', ["rows"]);
    const vector = realVector(value.rows, "C.rows", data.n);
    onlyParticipants(vector, part, "C.rows");
    demand(!vector.values.some((v) => v < 0n), "A cost is below zero.");
    demand(vector.indices.length === part.rows.length, "A row that takes part has the cost zero.");
    const map = toMap(vector);
    let least = Infinity;
    let greatest = 0;
    for (const c of vector.numbers) {
      least = Math.min(least, c);
      greatest = Math.max(greatest, c);
    }
    return { of: (i) => map.get(i), e: vector.e, rows: [least, greatest] };
  }
  fields(value, '"C"', ["positive", "negative"]);
  const positive = parseReal(value.positive, "The cost of the positive side");
  const negative = parseReal(value.negative, "The cost of the negative side");
  demand(positive > 0 && negative > 0, "A cost is not above zero.");
  demand(!part.joint || positive === negative, "All classes at once have one cost, but two are given.");
  const e = commonExponent([positive, negative]);
  const [p, q] = [scaled(positive, e), scaled(negative, e)];
  return { of: part.joint ? () => p : (i) => (part.place[i] > 0 ? p : q), e, sides: [positive, negative] };
}

// Step 1 for two sides.
export function checkAlpha(alpha, part, costs, hinge) {
  onlyParticipants(alpha, part, "alpha");
  const e = Math.min(alpha.e, costs === null ? 0 : costs.e);
  alpha.indices.forEach((i, t) => {
    const a = alpha.values[t];
    demand(a >= 0n, `alpha is below zero on row ${i}.`);
    if (!hinge || costs === null) return;
    const within = a << BigInt(alpha.e - e) <= costs.of(i) << BigInt(costs.e - e);
    demand(within, `alpha is above the cost on row ${i}.`);
  });
}

// The sum of alpha_i y_i as a dyadic number.
export function signedSum(alpha, part) {
  let total = 0n;
  alpha.indices.forEach((i, t) => {
    total += part.place[i] > 0 ? alpha.values[t] : -alpha.values[t];
  });
  return { m: total, e: alpha.e };
}

// Add up C_i loss(margin) over rows that are handed in one by one with margins at the exponent e.
export function lossSum(costs, e, squared) {
  const one = 1n << BigInt(-e);
  let total = 0n;
  return {
    add(i, margin) {
      const loss = one - margin;
      if (loss > 0n) total += costs.of(i) * (squared ? loss * loss : loss);
    },
    get total() {
      return { m: total, e: costs.e + (squared ? 2 * e : e) };
    },
  };
}

// sum alpha_i, less the q_i of the squared hinge.
export function linearPart(alpha, costs, squared) {
  let sum = 0n;
  for (const a of alpha.values) sum += a;
  const result = { m: sum, e: alpha.e };
  if (!squared) return result;
  let q = 0n;
  const shift = BigInt(2 * alpha.e - 2 - costs.e - ROUNDING);
  alpha.indices.forEach((i, t) => {
    const c = costs.of(i);
    q += ((alpha.values[t] * alpha.values[t] << shift) + c - 1n) / c;
  });
  return subtract(result, { m: q, e: ROUNDING });
}

// 1/2 ||w||^2 [+ 1/2 b^2] + losses, or the same with a minus sign before the quadratic terms.
export function assemble(quadratic, biasSquare, rest) {
  return add(half(add(quadratic, biasSquare ?? ZERO)), rest);
}

export function assembleDual(quadratic, biasSquare, linear) {
  return subtract(linear, half(add(quadratic, biasSquare ?? ZERO)));
}

// Steps 3, 4 and 5. The result holds the numbers of the statement.
export function compareBounds(proof, above, below) {
  const primal = exact(parseReal(proof.primal, '"primal"'));
  const dual = exact(parseReal(proof.dual, '"dual"'));
  demand(compare(above, primal) <= 0, "The value of the given point is above what the certificate says (step 3).");
  demand(compare(below, dual) >= 0, "The lower bound is below what the certificate says (step 4).");
  demand(compare(below, above) <= 0, "The value of step 4 is above that of step 3, so the kernel is not semidefinite (step 5).");
  demand(compare(dual, primal) <= 0, "The lower bound is above the upper bound (step 5).");
  demand(primal.m >= 0n, "The upper bound is below zero (step 5).");
  demand(primal.m > 0n || compare(dual, primal) === 0, "The upper bound is zero, and the lower bound is another (step 5).");
  return { primal, dual };
}
