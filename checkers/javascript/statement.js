// The statement of section 8, written from what has been checked.

import { labelText } from "./labels.js";
import { fraction, subtract } from "./numbers.js";
import { printReal, printRounded } from "./decimal.js";

const MOST_NAMED = 10;

// `kind` is that of the document, `result` what its check gave.
export function statement(kind, header, data, part, result) {
  const { problem } = result;
  const rows = rowsText(header, part);
  const sides = (word) => sidesText(header, data, part, word);
  switch (kind) {
    case "optimal":
      return `${optimalText(problem, part, result)} of ${sides("against")} has its optimum ${boundsText(result)}; ${rows}.`;
    case "mistakes":
      return `${mistakesText(problem, part, result)} on ${sides("against")}${updatesText(result)}; ${rows}.`;
    default:
      return `${separationText(kind, problem, part, result, sides)}${estimatesText(result)}; ${rows}.`;
  }
}

// ---- Sides and rows

function sidesText(header, data, part, word) {
  const count = (wanted) => part.rows.reduce((sum, i) => sum + (wanted(part.place[i]) ? 1 : 0), 0);
  const write = (labels) => (labels.length === 0 ? "no label" : labels.map((label) => labelText(label, header)).join(", "));
  if (part.joint) return `${write(header.positive)} (${rowCount(part.rows.length)})`;
  const negativeIsRest = isRest(header.negative, header.positive, data);
  const positiveIsRest = !negativeIsRest && isRest(header.positive, header.negative, data);
  const positive = positiveIsRest ? "every other label" : write(header.positive);
  const negative = negativeIsRest ? "every other label" : write(header.negative);
  const [p, q] = [count((place) => place > 0), count((place) => place < 0)];
  return `${positive} (${rowCount(p)}) ${word} ${negative} (${rowCount(q)})`;
}

// Whether a side has at least two labels and these are just those in y that are not of the other side.
function isRest(labels, others, data) {
  if (labels.length < 2) return false;
  const other = new Set(others);
  const rest = data.distinct.filter((label) => !other.has(label));
  const own = new Set(labels);
  return rest.length === own.size && rest.every((label) => own.has(label));
}

function rowCount(n) {
  return n === 1 ? "1 row" : `${n} rows`;
}

function rowsText(header, part) {
  const n = header.rows;
  const m = part.rows.length;
  const text = m === n ? `all ${n} rows take part` : `${m} of ${n} rows take part`;
  const { excluded } = header;
  if (excluded.length === 0) return text;
  const more = excluded.length > MOST_NAMED ? ` and ${excluded.length - MOST_NAMED} more` : "";
  return `${text}, not the excluded ${excluded.slice(0, MOST_NAMED).join(", ")}${more}`;
}

// ---- The kinds

function optimalText(problem, part, result) {
  const bias = { free: "free bias", augmented: "augmented bias", none: "no bias" }[problem.bias];
  const kernel = `${result.kernel === undefined ? "linear" : result.kernel.text} kernel`;
  if (problem.C === "hard") return `The hard-margin SVM (${bias}, ${kernel})`;
  const loss = problem.loss === "hinge" ? "hinge" : "squared hinge";
  const joint = part.joint ? " of all classes at once" : "";
  return `The soft-margin SVM${joint} (${loss} loss, ${bias}, ${kernel}, ${costsText(result.costs)})`;
}

function costsText({ sides, rows }) {
  if (rows !== undefined) return `C from ${printReal(rows[0])} to ${printReal(rows[1])} by row`;
  const [positive, negative] = sides.map(printReal);
  return positive === negative ? `C = ${positive}` : `C = ${positive} on the positive side and ${negative} on the negative side`;
}

function boundsText({ primal, dual }) {
  const [p, q] = fraction(primal);
  const [r, s] = fraction(dual);
  const [top, bottom] = fraction(subtract(primal, dual));
  const gap = top === 0n ? "0" : printRounded(top * q, bottom * p, 3, true);
  const between = `between ${printRounded(r, s, 12, false)} and ${printRounded(p, q, 12, true)}`;
  return `${between}, and the given point is within a relative gap of ${gap} of it`;
}

function thresholdsText(kind, { tied }, sides) {
  const between = `inear function with thresholds puts every row of ${sides()} strictly between the thresholds of its class`;
  if (kind === "separating") return `A l${between}`;
  if (kind === "inseparable") return `No l${between}: one that puts no row beyond a threshold of its class puts every row on all of them`;
  return `No l${between}: some put no row beyond a threshold of its class, and all of those have ${tied} rows on thresholds`;
}

const WORDS = ["finite", "+inf", "-inf", "undetermined", "aliased"];

function estimatesText({ estimates }) {
  if (estimates === undefined) return "";
  const parts = [];
  for (const word of WORDS) {
    const named = estimates.names.filter((_, at) => estimates.words[at] === word);
    if (named.length === 0) continue;
    const more = named.length > MOST_NAMED ? ` and ${named.length - MOST_NAMED} more` : "";
    parts.push(`${named.length} ${word}${word === "finite" ? "" : ` (${named.slice(0, MOST_NAMED).join(", ")}${more})`}`);
  }
  return `; maximum-likelihood estimates: ${parts.join(", ")}`;
}

function separationText(kind, problem, part, result, sides) {
  if (problem.classes === "ordinal") return thresholdsText(kind, result, sides);
  const bias = problem.bias === "free" ? "with a bias" : "through the origin";
  const highest = (who) => `${who} ${bias}, one for each class, give every row of ${sides()} the highest score at its own class`;
  if (kind === "separating") {
    if (part.joint) return highest("Linear functions");
    const margin = result.margin === undefined ? "" : `, and the maximum margin lies between ${marginText(result.margin)}`;
    return `A hyperplane ${bias} strictly separates ${sides("from")}${margin}`;
  }
  if (kind === "inseparable") {
    if (result.kernel !== undefined) {
      const space = `In the space of the ${result.kernel.text} kernel nothing ${bias} strictly separates ${sides("from")}`;
      return `${space}: ${result.count} rows contradict each other`;
    }
    if (part.joint) {
      const rest = "those that give no row a higher score at another class give every row equal scores at all";
      return `${highest("No linear functions")}: ${rest}`;
    }
    const rest = "not even weakly: one that has no row on its wrong side has every row on it";
    return `No hyperplane ${bias} separates ${sides("from")}, ${rest}`;
  }
  if (part.joint) {
    const rest = "some give no row a higher score at another class, and all of those give equal scores at";
    return `${highest("No linear functions")}: ${rest} ${result.tied} pairs of classes`;
  }
  const rest = `and none strictly: one that has no row on its wrong side has at least ${result.tied} rows on it`;
  return `A hyperplane ${bias} separates ${sides("from")} weakly, ${rest}`;
}

function marginText({ lower, upper }) {
  return `${printRounded(...fraction(lower), 12, false)} and ${printRounded(...fraction(upper), 12, true)}`;
}

function mistakesText(problem, part, { gain, step, bound }) {
  const joint = part.joint ? " of all classes at once" : "";
  const algorithm = problem.algorithm === "perceptron" ? "row by row" : "all rows at once";
  const steps = { decreasing: "1/sqrt(t)", "line-search": "by line search" };
  const stepText = typeof step === "number" ? printReal(step) : steps[step];
  const start = problem.start === "zero" ? "zero" : "a row";
  return `The perceptron${joint} (${algorithm}, step ${stepText}, from ${start}, g = ${printReal(gain)}) makes at most ${bound} updates`;
}

function updatesText({ sum, from }) {
  if (sum === undefined) return "";
  return `, and the ${sum} updates counted here${from === null ? "" : ` from row ${from}`} separate them`;
}
