// Kind "optimal" for all classes at once (Crammer and Singer), with and without a kernel.

import { demand } from "./refusal.js";
import { fields } from "./json.js";
import { atExponent, compare, realVector, sumOfSquares, toMap } from "./numbers.js";
import { NOWHERE } from "./data.js";
import { AllClasses, alignment, byClass, quotient } from "./comparisons.js";
import { decideSemidefinite, parseKernel } from "./kernels.js";
import { enclosedSum, upper } from "./kernelised.js";
import { assemble, assembleDual, compareBounds, parseCosts } from "./optimal.js";

export function checkClasses(problem, value, data, part) {
  const plain = problem.kernel === "linear";
  const proof = fields(value, '"proof"', ["beta", "b", "primal", "dual"], plain ? ["W"] : []);
  demand(problem.loss === "hinge", 'All classes at once have the loss "hinge".');
  const costs = parseCosts(problem.C, part, data);
  const { k } = part;
  const beta = realVector(proof.beta, "beta", data.n * k);
  const b = realVector(proof.b, "b", k);
  const A = readBeta(beta, part, costs);
  const s = columnSums(A);
  if (problem.bias === "free") {
    for (const total of s.values()) demand(total === 0n, "The sum of a column of A is not zero (step 2).");
  }
  demand(problem.bias !== "none" || b.indices.length === 0, "The bias is not zero, although the problem has none (step 2).");

  const result = plain ? linearScores(proof, A, beta, b, data, part) : kernelScores(problem, A, beta, b, data, part);
  const losses = crammerSinger(result.scores, result.e, part, costs);
  const augmented = problem.bias === "augmented";
  const biasSquare = augmented ? { m: sumOfSquares(b.values), e: 2 * b.e } : null;
  const sumSquare = augmented ? { m: sumOfSquares(s.values()), e: 2 * beta.e } : null;
  let own = 0n;
  for (const [i, row] of A) own += row.get(part.place[i]);
  const above = assemble(result.quadratic, biasSquare, losses);
  const below = assembleDual(result.dualQuadratic, sumSquare, { m: own, e: beta.e });
  return { ...compareBounds(proof, above, below), costs, kernel: result.kernel, semidefinite: result.semidefinite };
}

// Step 1, and the matrix A as a Map from row to a Map from class to BigInt.
function readBeta(beta, part, costs) {
  const A = new Map();
  beta.indices.forEach((place, t) => {
    const i = quotient(place, part.k);
    const m = place % part.k;
    const own = part.place[i];
    demand(beta.values[t] > 0n, `beta is below zero at place ${place}.`);
    demand(own !== NOWHERE, `beta is not zero on row ${i}, which takes no part.`);
    demand(own !== m, `beta is not zero on row ${i} at its own class.`);
    if (!A.has(i)) A.set(i, new Map([[own, 0n]]));
    const row = A.get(i);
    row.set(m, -beta.values[t]);
    row.set(own, row.get(own) + beta.values[t]);
  });
  for (const [i, row] of A) {
    const sum = { m: row.get(part.place[i]), e: beta.e };
    demand(compare(sum, { m: costs.of(i), e: costs.e }) <= 0, `The sum of beta is above the cost on row ${i}.`);
  }
  return A;
}

function columnSums(A) {
  const s = new Map();
  for (const row of A.values()) for (const [m, a] of row) s.set(m, (s.get(m) ?? 0n) + a);
  return s;
}

// sum_i C_i max_m ([m != y_i] + f_m(x_i) - f_{y_i}(x_i)), where scores(i) gives [class, [low, high]] of the scores at the exponent e.
function crammerSinger(scores, e, part, costs) {
  const one = 1n << BigInt(-e);
  let total = 0n;
  for (const i of part.rows) {
    const own = part.place[i];
    let ownLow = 0n;
    let best = null;
    for (const [m, [low, high]] of scores(i)) {
      if (m === own) ownLow = low;
      else if (best === null || high > best) best = high;
    }
    const loss = best + one - ownLow;
    if (loss > 0n) total += costs.of(i) * loss;
  }
  return { m: total, e: costs.e + e };
}

// Without a kernel: scores are W x + b with the W of the proof, or with A^T X.
function linearScores(proof, A, beta, b, data, part) {
  const sums = new Map();
  for (const [i, row] of A) {
    for (const [m, a] of row) {
      if (!sums.has(m)) sums.set(m, new Map());
      data.accumulate(sums.get(m), a, i);
    }
  }
  const dualPoint = { w: sums, we: beta.e + data.e, b: toMap(b), be: b.e };
  let z = dualPoint;
  if ("W" in proof) {
    const W = realVector(proof.W, "W", part.k * data.d);
    z = { ...dualPoint, w: byClass(W, data.d), we: W.e };
  }
  const classes = new AllClasses(data, part, [z], [beta]);
  const align = alignment(z, data.e);
  return {
    e: align.e,
    scores: (i) => [...classes.scores(z, align, i)].map(([m, f]) => [m, [f, f]]),
    quadratic: { m: classes.squares(z).w, e: 2 * z.we },
    dualQuadratic: { m: classes.squares(dualPoint).w, e: 2 * dualPoint.we },
  };
}

// With a kernel: F = K A is enclosed row by row.
function kernelScores(problem, A, beta, b, data, part) {
  const kernel = parseKernel(problem.kernel, data, part);
  const semidefinite = decideSemidefinite(kernel, part);
  const columns = new Map();
  for (const [i, row] of A) {
    for (const [m, a] of row) {
      if (!columns.has(m)) columns.set(m, []);
      columns.get(m).push([i, a]);
    }
  }
  const bias = toMap(b);
  const { classes } = new AllClasses(data, part, [{ w: columns, b: bias }], [beta]);
  const fe = beta.e + kernel.e;
  const e = Math.min(fe, b.e);
  const shift = BigInt(fe - e);
  let quadratic = 0n;
  const scores = (i) => {
    const remembered = new Map();
    const cached = { at: (_, j) => remembered.get(j) ?? remembered.set(j, kernel.at(i, j)).get(j) };
    return classes.map(([m]) => {
      const F = enclosedSum(columns.get(m) ?? [], cached, i);
      const a = A.get(i)?.get(m);
      if (a !== undefined) quadratic += upper(a, F);
      const add = atExponent({ m: bias.get(m) ?? 0n, e: b.e }, e);
      return [m, [(F[0] << shift) + add, (F[1] << shift) + add]];
    });
  };
  // The quadratic form is complete once the scores of all rows have been asked for.
  const square = {
    get m() {
      return quadratic;
    },
    e: beta.e + fe,
  };
  return { e, scores, quadratic: square, dualQuadratic: square, kernel, semidefinite };
}
