// Data whose columns are scaled before the problem is posed (section 3): x becomes (x - shift) * factor, two operations of binary64.

import { demand } from "./refusal.js";
import { fields } from "./json.js";
import { realVector } from "./numbers.js";
import { Data } from "./data.js";

// The data of a problem: those given, or a copy with scaled rows. The fingerprint is always that of the rows as they were given.
export function dataOf(problem, data) {
  if (!("scaling" in problem)) return data;
  demand(problem.kernel?.name !== "precomputed", "Kernel values that are given have no columns to scale.");
  const record = fields(problem.scaling, '"scaling"', ["shift", "factor"]);
  const factor = realVector(record.factor, "factor", data.d).numbers;
  demand(factor.length === data.d && factor.every((value) => value > 0), "A factor of the scaling is not above zero.");
  const shift = full(realVector(record.shift, "shift", data.d), data.d);
  const moves = shift.some((value) => value !== 0);
  const rows = data.rows.map((row) => scaledRow(moves ? dense(row, data.d) : row, shift, factor));
  // Nothing that was computed from the rows as they were given may be taken over.
  const { n, d, labels, codes, distinct, K } = data;
  return Object.assign(Object.create(Data.prototype), { n, d, labels, codes, distinct, K, rows });
}

function full(vector, length) {
  const out = new Float64Array(length);
  vector.indices.forEach((place, t) => (out[place] = vector.numbers[t]));
  return out;
}

// The row with its zeros, which a shift moves too.
function dense({ columns, values }, d) {
  const out = new Float64Array(d);
  columns.forEach((column, t) => (out[column] = values[t]));
  return { columns: Uint32Array.from({ length: d }, (_, j) => j), values: out };
}

function scaledRow({ columns, values }, shift, factor) {
  const places = [];
  const scaled = [];
  for (let t = 0; t < columns.length; t++) {
    const j = columns[t];
    const value = (values[t] - shift[j]) * factor[j];
    demand(Number.isFinite(value), "A scaled entry is beyond the largest number of double precision.");
    if (value === 0) continue;
    places.push(j);
    scaled.push(value);
  }
  return { columns: Uint32Array.from(places), values: Float64Array.from(scaled) };
}
