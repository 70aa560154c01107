// Proofs in the space of a kernel: kind "optimal" for two sides, and kind "inseparable".

import { demand } from "./refusal.js";
import { fields } from "./json.js";
import { atExponent, exact, multiply, parseReal, realVector, toMap, weightVector, ZERO } from "./numbers.js";
import { onlyParticipants } from "./data.js";
import { decideSemidefinite, parseKernel } from "./kernels.js";
import { assemble, assembleDual, checkAlpha, compareBounds, linearPart, lossSum, parseCosts, signedSum } from "./optimal.js";
import { checkBias } from "./linear.js";

// The enclosure of sum_j c_j k(x_i, x_j), where `coefficients` lists the pairs [j, c_j].
export function enclosedSum(coefficients, kernel, i) {
  let low = 0n;
  let high = 0n;
  for (const [j, c] of coefficients) {
    const [a, b] = kernel.at(i, j);
    if (a === b) {
      const product = c * a;
      low += product;
      high += product;
    } else if (c > 0n) {
      low += c * a;
      high += c * b;
    } else {
      low += c * b;
      high += c * a;
    }
  }
  return [low, high];
}

// The greater end of c F for an enclosure of F.
export function upper(c, [low, high]) {
  return c * (c > 0n ? high : low);
}

export function checkKernelised(problem, value, data, part) {
  const proof = fields(value, '"proof"', ["b", "alpha", "primal", "dual"], ["coef"]);
  const hard = problem.C === "hard";
  demand(!hard || problem.loss === "hinge", 'The loss of a hard margin is "hinge".');
  const squared = problem.loss === "squared_hinge";
  const costs = hard ? null : parseCosts(problem.C, part, data);
  const kernel = parseKernel(problem.kernel, data, part);
  const b = exact(parseReal(proof.b, "b"));
  const alpha = realVector(proof.alpha, "alpha", data.n);
  checkAlpha(alpha, part, costs, !squared);
  const s = signedSum(alpha, part);
  checkBias(problem.bias, s, b);
  const semidefinite = decideSemidefinite(kernel, part);

  const signed = signedPairs(alpha, part);
  let coefficients = signed;
  let ce = alpha.e;
  if ("coef" in proof) {
    const coef = realVector(proof.coef, "coef", data.n);
    onlyParticipants(coef, part, "coef");
    coefficients = [...toMap(coef)];
    ce = coef.e;
  }
  const margins = marginSums(coefficients, ce, kernel, b, part, costs, squared);
  let dualQuadratic = margins.quadratic;
  if (coefficients !== signed) {
    let total = 0n;
    for (const [i, c] of signed) total += upper(c, enclosedSum(signed, kernel, i));
    dualQuadratic = { m: total, e: 2 * alpha.e + kernel.e };
  }
  const augmented = problem.bias === "augmented";
  const above = assemble(margins.quadratic, augmented ? multiply(b, b) : null, margins.losses);
  const below = assembleDual(dualQuadratic, augmented ? multiply(s, s) : null, linearPart(alpha, costs, squared));
  return { ...compareBounds(proof, above, below), costs, kernel, semidefinite };
}

// The list of [i, alpha_i y_i].
function signedPairs(vector, part) {
  return vector.indices.map((i, t) => [i, part.place[i] > 0 ? vector.values[t] : -vector.values[t]]);
}

// c.F rounded up, and the sum of the losses rounded up; for a hard margin (no costs) every margin must be at least 1.
function marginSums(coefficients, ce, kernel, b, part, costs, squared) {
  const fe = ce + kernel.e;
  const e = Math.min(fe, b.e, 0);
  const shift = BigInt(fe - e);
  const bias = atExponent(b, e);
  const one = 1n << BigInt(-e);
  const losses = costs === null ? null : lossSum(costs, e, squared);
  const c = new Map(coefficients);
  let quadratic = 0n;
  for (const i of part.rows) {
    const sum = enclosedSum(coefficients, kernel, i);
    const margin = part.place[i] > 0 ? (sum[0] << shift) + bias : -((sum[1] << shift) + bias);
    if (losses === null) demand(margin >= one, `Row ${i} is not proved to be outside the margin (step 3).`);
    else losses.add(i, margin);
    if (c.has(i)) quadratic += upper(c.get(i), sum);
  }
  return { quadratic: { m: quadratic, e: ce + fe }, losses: losses === null ? ZERO : losses.total };
}

// Kind "inseparable" in the space of a kernel: the circuit's combination of the rows has the length zero.
export function checkKernelInseparable(problem, value, data, part) {
  const proof = fields(value, '"proof"', ["circuit"]);
  const kernel = parseKernel(problem.kernel, data, part);
  const circuit = weightVector(proof.circuit, "circuit", data.n);
  onlyParticipants(circuit, part, "circuit");
  demand(problem.bias !== "free" || signedSum(circuit, part).m === 0n, "The two sides of the circuit have not the same weight.");
  const semidefinite = decideSemidefinite(kernel, part);
  const merged = mergeEqualRows(signedPairs(circuit, part), kernel.matrix, data);
  let low = 0n;
  let high = 0n;
  for (const [i, c] of merged) {
    const sum = enclosedSum(merged, kernel, i);
    high += upper(c, sum);
    low -= upper(-c, sum);
  }
  demand(low === 0n && high === 0n, "The combination of the rows by the circuit has not the length zero.");
  return { kernel, semidefinite, count: circuit.indices.length };
}

// Add up the weights of equal rows of X at the first of them. Entries of a given matrix are exact, so that equal rows need no care there.
function mergeEqualRows(pairs, isMatrix, data) {
  if (isMatrix) return pairs;
  const firsts = new Map();
  for (const [i, c] of pairs) {
    const key = data.rows[i].columns.join() + ";" + data.rows[i].values.join();
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, [i, c]);
    else first[1] += c;
  }
  return [...firsts.values()].filter(([, c]) => c !== 0n);
}
