// The entry of the checker.
//
//   const text = await load(bytes);                  // the bytes of a file, plain or compressed
//   const verdict = check(text, data);               // {outcome, reason, kind}
//
// `data` is {columns, X, labels, y, K}: X is a list of rows, each a list of numbers or [columns, values]; labels is "number" or "text", y
// the label text of each row; K is the matrix of a kernel that is a function. A `Data` object made of these once serves many certificates.
// Nothing here throws: whatever is wrong becomes a verdict "rejected", in the function `guarded` and nowhere else.

import { Refusal, demand, refuse } from "./refusal.js";
import { fields, isObject, oneOf, parseBytes, writeCanonical } from "./json.js";
import { Sha256 } from "./sha256.js";
import { Data, parseHeader, participants } from "./data.js";
import { parseProblem } from "./optimal.js";
import { checkLinear } from "./linear.js";
import { checkKernelised } from "./kernelised.js";
import { checkClasses } from "./classes.js";
import { checkSeparation } from "./separation.js";
import { checkMistakes } from "./mistakes.js";
import { statement } from "./statement.js";

export { Data };

const NAMES = ["format", "version", "kind", "claim", "data", "problem", "proof", "digest"];
const KINDS = ["optimal", "separating", "inseparable", "quasi-separable", "mistakes"];
const LARGEST_TEXT = 16 * 1024 * 1024;
const LARGEST_GROWTH = 32;

// ---- Verdicts

function guarded(work) {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Refusal ? error.message : `The document or its data cannot be checked: ${error.message}.`;
    return { outcome: "rejected", reason, kind: null };
  }
}

// `bytes` is the plain text of a document, or what `load` gave.
export function check(bytes, data) {
  return guarded(() => {
    const document = parseDocument(bytes);
    const prepared = data instanceof Data ? data : new Data(data);
    return judge(document, prepared);
  });
}

// What the document says of its data, as {header}, for those who have yet to read them; or {verdict} if it is rejected before that.
export function readHeader(bytes) {
  const found = guarded(() => ({ header: parseDocument(bytes).header }));
  return "header" in found ? found : { verdict: found };
}

// ---- The document

function parseDocument(bytes) {
  if (bytes instanceof Error) throw bytes;
  demand(bytes instanceof Uint8Array, "The document is not given as bytes.");
  demand(!isCompressed(bytes), "The document is compressed, and was not loaded.");
  const document = fields(parseBytes(bytes), "The document", NAMES);
  demand(document.format === "separatrix-certificate", "The document is no certificate of separatrix.");
  demand(document.version === 2, "The certificate has not the version 2.");
  oneOf(document.kind, '"kind"', KINDS);
  demand(typeof document.claim === "string", '"claim" is no text.');
  const header = parseHeader(document.data);
  demand(isObject(document.problem), '"problem" is no object.');
  const ordered = ["optimal", "mistakes"].includes(document.kind) ? [] : ["ordinal"];
  oneOf(document.problem.classes, '"classes"', ["two", "joint", ...ordered]);
  demand(document.digest === digestOf(document), "The digest is not that of the document.");
  return { ...document, header };
}

// SHA-256 of the canonical text of the document without its digest.
export function digestOf(document) {
  const hash = new Sha256();
  let pieces = [];
  let size = 0;
  const flush = () => {
    hash.ascii(pieces.join(""));
    pieces = [];
    size = 0;
  };
  const rest = Object.assign(Object.create(null), document);
  delete rest.digest;
  writeCanonical(rest, (piece) => {
    pieces.push(piece);
    size += piece.length;
    if (size > 65536) flush();
  });
  flush();
  return hash.hex();
}

function judge(document, data) {
  const { kind, header } = document;
  const isFunction = isObject(document.problem.kernel) && document.problem.kernel.name === "function";
  demand(data.K === null || isFunction, "A matrix was given, but the kernel is no function.");
  const part = participants(header, document.problem.classes !== "two", data);
  const result = checkProof(document, data, part);
  const sentence = statement(kind, header, data, part, result);
  demand(document.claim === sentence, `The claim is not what was checked, which is: ${sentence}`);
  if (result.semidefinite === false) {
    const condition = "This holds if the kernel is positive semidefinite, which was not decided.";
    return { outcome: "conditional", reason: `${sentence} ${condition}`, kind };
  }
  return { outcome: "proved", reason: sentence, kind };
}

function checkProof({ kind, problem, proof, header }, data, part) {
  if (kind === "mistakes") return checkMistakes(problem, proof, data, part);
  if (kind !== "optimal") return checkSeparation(kind, problem, proof, header, data, part);
  const parsed = parseProblem(problem);
  if (parsed.kernel !== "linear") demand(isObject(parsed.kernel), '"kernel" is neither "linear" nor an object.');
  const choose = part.joint ? checkClasses : parsed.kernel === "linear" ? checkLinear : checkKernelised;
  return { problem: parsed, ...choose(parsed, proof, data, part) };
}

// ---- Compressed documents

function isCompressed(bytes) {
  return bytes.length >= 2 && bytes[0] === 0x1f && bytes[1] === 0x8b;
}

// The plain text of a file, as bytes. Where that fails the result is the error, which `check` turns into a verdict.
// `options.largestText` is the number of bytes that the user allows, if more than the format does.
export async function load(bytes, options = {}) {
  if (!isCompressed(bytes)) return bytes;
  try {
    return await decompress(bytes, Math.max(LARGEST_TEXT, LARGEST_GROWTH * bytes.length, options.largestText ?? 0));
  } catch (error) {
    return error instanceof Refusal ? error : new Refusal("The document cannot be decompressed.");
  }
}

async function decompress(bytes, largest) {
  const stream = new DecompressionStream("gzip");
  const writer = stream.writable.getWriter();
  const ignore = () => {};
  writer.write(bytes).catch(ignore);
  writer.close().catch(ignore);
  writer.closed.catch(ignore);
  const reader = stream.readable.getReader();
  const chunks = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > largest) {
      reader.cancel().catch(ignore);
      refuse(`The text of the document is longer than ${largest} bytes.`);
    }
    chunks.push(value);
  }
  const text = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    text.set(chunk, at);
    at += chunk.length;
  }
  // A stream may contain several members or something behind its end; the last eight bytes of the file must be those of the whole text.
  const view = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 8, 8);
  const whole = view.getUint32(0, true) === crc32(text) && view.getUint32(4, true) === size % 4294967296;
  demand(whole, "The document is not one compressed text and nothing else.");
  return text;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  return c;
});

function crc32(bytes) {
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) c = (c >>> 8) ^ CRC_TABLE[(c ^ bytes[i]) & 0xff];
  return (c ^ 0xffffffff) >>> 0;
}
