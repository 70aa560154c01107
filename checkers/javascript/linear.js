// Kind "optimal" without a kernel, for two sides.

import { demand } from "./refusal.js";
import { fields } from "./json.js";
import { atExponent, exact, multiply, parseReal, realVector, toMap } from "./numbers.js";
import { TwoSides, alignment } from "./comparisons.js";
import { assemble, assembleDual, checkAlpha, compareBounds, linearPart, lossSum, parseCosts, signedSum } from "./optimal.js";

export function checkLinear(problem, value, data, part) {
  const proof = fields(value, '"proof"', ["w", "b", "alpha", "primal", "dual"]);
  const squared = problem.loss === "squared_hinge";
  const costs = parseCosts(problem.C, part, data);
  const w = realVector(proof.w, "w", data.d);
  const b = exact(parseReal(proof.b, "b"));
  const alpha = realVector(proof.alpha, "alpha", data.n);

  checkAlpha(alpha, part, costs, !squared);
  const s = signedSum(alpha, part);
  checkBias(problem.bias, s, b);

  const rows = new TwoSides(data, part);
  const be = Math.min(b.e, 0);
  const z = { w: toMap(w), we: w.e, b: atExponent(b, be), be };
  const losses = lossSum(costs, alignment(z, data.e).e, squared);
  rows.products(z, (i, _, margin) => losses.add(i, margin));
  const augmented = problem.bias === "augmented";
  const above = assemble({ m: rows.squares(z).w, e: 2 * w.e }, augmented ? multiply(b, b) : null, losses.total);

  const sum = rows.combine(alpha.indices.map((i, t) => [i, 1, alpha.values[t]]), alpha.e, { m: 0n, e: 0 });
  const square = { m: rows.squares(sum).w, e: 2 * sum.we };
  const below = assembleDual(square, augmented ? multiply(s, s) : null, linearPart(alpha, costs, squared));
  return { ...compareBounds(proof, above, below), costs };
}

// Step 2 for two sides.
export function checkBias(bias, s, b) {
  demand(bias !== "free" || s.m === 0n, "The sum of alpha_i y_i is not zero (step 2).");
  demand(bias !== "none" || b.m === 0n, "The bias is not zero, although the problem has none (step 2).");
}
