// The checker for many small documents, for Node: lines of JSON on the standard input.
//
//   {"data": id, "columns": d, "labels": "number", "y": [...], "X": [[real, ...], ...], "K": [[real, ...], ...]}   defines data
//   {"use": id, "certificate": text}  or  {"use": id, "certificate_base64": text}                                  asks a question
//
// Each question is answered by one line {"outcome": ..., "reason": ...}, in order. Reals are written as in section 2 of the format.

import { Data, check, load } from "./check.js";
import { isWellFormed } from "./json.js";
import { parseReal } from "./numbers.js";
import { Refusal } from "./refusal.js";

const known = new Map();
const encoder = new TextEncoder();

// Zero has no sign in a certificate, but it may have one in the data, where it means nothing.
const MINUS_ZERO = "-0x0.0p+0";

function define(line) {
  const number = (text) => (text === MINUS_ZERO ? 0 : parseReal(text, "A number of the data"));
  const matrix = (rows) => rows.map((row) => row.map(number));
  try {
    const K = line.K === undefined || line.K === null ? undefined : matrix(line.K);
    known.set(line.data, new Data({ columns: line.columns, X: matrix(line.X), labels: line.labels, y: line.y, K }));
  } catch (error) {
    known.set(line.data, { broken: error.message });
  }
}

async function documentOf(line) {
  if (typeof line.certificate_base64 === "string") return load(new Uint8Array(Buffer.from(line.certificate_base64, "base64")));
  if (typeof line.certificate !== "string") return new Refusal("The line has no document.");
  if (!isWellFormed(line.certificate)) return new Refusal("The document has a surrogate without its partner.");
  return encoder.encode(line.certificate);
}

async function answer(line) {
  const data = known.get(line.use);
  if (data === undefined) return { outcome: "rejected", reason: "There are no data of this name." };
  if (data.broken !== undefined) return { outcome: "rejected", reason: data.broken };
  const { outcome, reason } = check(await documentOf(line), data);
  return { outcome, reason };
}

async function respond(text) {
  let line;
  try {
    line = JSON.parse(text);
  } catch {
    return { outcome: "rejected", reason: "The line is no JSON." };
  }
  if (typeof line !== "object" || line === null) return { outcome: "rejected", reason: "The line is no object." };
  if (!("data" in line)) return answer(line);
  define(line);
  return null;
}

process.stdin.setEncoding("utf8");
let pieces = [];
for await (const chunk of process.stdin) {
  const lines = chunk.split("\n");
  pieces.push(lines[0]);
  if (lines.length === 1) continue;
  lines[0] = pieces.join("");
  pieces = [lines.pop()];
  let out = "";
  for (const text of lines) {
    const reply = text.trim() === "" ? null : await respond(text);
    if (reply !== null) out += JSON.stringify(reply) + "\n";
  }
  if (out !== "") process.stdout.write(out);
}
const last = pieces.join("").trim();
if (last !== "") {
  const reply = await respond(last);
  if (reply !== null) process.stdout.write(JSON.stringify(reply) + "\n");
}
