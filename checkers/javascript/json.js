// A strict JSON parser, and the canonical writer that the digest needs.
// It knows objects, arrays, strings and the integers from 0 to 2^53 - 1, for a certificate consists of nothing else. Names that
// occur twice, surrogates without a partner and deep nesting are refused. No certificate nests deeper than 40 levels.

import { demand, refuse, quoted } from "./refusal.js";

const DEEPEST = 64;
const MOST_PARTS = 10000;

const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

// Turn the bytes of a document into a value. Objects have no prototype, so that every name is a plain name.
export function parseBytes(bytes) {
  let parts = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === 0x5b || bytes[i] === 0x7b || bytes[i] === 0x3a) parts++;
  }
  demand(parts <= MOST_PARTS, `The document has ${parts} opening brackets and colons; ${MOST_PARTS} are allowed.`);
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    refuse("The document is no UTF-8 text.");
  }
  return parse(text);
}

// True if every surrogate of the text is part of a pair.
export function isWellFormed(text) {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0xd800 || code > 0xdfff) continue;
    if (code > 0xdbff) return false;
    const next = text.charCodeAt(++i);
    if (!(next >= 0xdc00 && next <= 0xdfff)) return false;
  }
  return true;
}

export function parse(text) {
  let at = 0;

  const fail = (what) => refuse(`The document is no JSON of this format: ${what} at character ${at}.`);

  function space() {
    for (;;) {
      const c = text.charCodeAt(at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return;
      at++;
    }
  }

  function string() {
    const start = ++at;
    const end = text.indexOf('"', start);
    if (end < 0) fail("a string without an end");
    const plain = text.slice(start, end);
    // eslint-disable-next-line no-control-regex
    if (!/[\\\u0000-\u001f]/.test(plain)) {
      at = end + 1;
      return plain;
    }
    return escapedString(start);
  }

  function escapedString(start) {
    const pieces = [];
    let from = start;
    at = start;
    for (;;) {
      if (at >= text.length) fail("a string without an end");
      const c = text.charCodeAt(at);
      if (c < 0x20) fail("a control character in a string");
      if (c === 0x22) break;
      if (c !== 0x5c) {
        at++;
        continue;
      }
      pieces.push(text.slice(from, at));
      const letter = text[at + 1];
      if (letter === "u") {
        const digits = text.slice(at + 2, at + 6);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) fail("a bad escape");
        pieces.push(String.fromCharCode(parseInt(digits, 16)));
        at += 6;
      } else {
        if (letter === undefined || !Object.hasOwn(ESCAPES, letter)) fail("a bad escape");
        pieces.push(ESCAPES[letter]);
        at += 2;
      }
      from = at;
    }
    pieces.push(text.slice(from, at));
    at++;
    const result = pieces.join("");
    if (!isWellFormed(result)) fail("a surrogate without its partner");
    return result;
  }

  function number() {
    const start = at;
    let c = text.charCodeAt(at);
    while (c >= 0x30 && c <= 0x39) c = text.charCodeAt(++at);
    const digits = at - start;
    if (digits > 16 || (digits > 1 && text.charCodeAt(start) === 0x30)) fail("a number out of range");
    if (c === 0x2e || c === 0x65 || c === 0x45) fail("a number that is no integer");
    const result = Number(text.slice(start, at));
    if (result > Number.MAX_SAFE_INTEGER) fail("a number out of range");
    return result;
  }

  function array(depth) {
    const result = [];
    at++;
    space();
    if (text[at] === "]") {
      at++;
      return result;
    }
    for (;;) {
      result.push(value(depth));
      space();
      const c = text[at];
      if (c === ",") at++;
      else if (c === "]") {
        at++;
        return result;
      } else fail("a list without an end");
    }
  }

  function object(depth) {
    const result = Object.create(null);
    at++;
    space();
    if (text[at] === "}") {
      at++;
      return result;
    }
    for (;;) {
      space();
      if (text[at] !== '"') fail("an object without a name");
      const name = string();
      if (name in result) fail(`the name ${quoted(name)} for the second time`);
      space();
      if (text[at] !== ":") fail("a name without a value");
      at++;
      result[name] = value(depth);
      space();
      const c = text[at];
      if (c === ",") at++;
      else if (c === "}") {
        at++;
        return result;
      } else fail("an object without an end");
    }
  }

  function value(depth) {
    space();
    const c = text.charCodeAt(at);
    if (c === 0x22) return string();
    if (c >= 0x30 && c <= 0x39) return number();
    if (c === 0x5b || c === 0x7b) {
      if (depth >= DEEPEST) fail("nesting that is too deep");
      return c === 0x5b ? array(depth + 1) : object(depth + 1);
    }
    return fail("something that no certificate holds");
  }

  const result = value(0);
  space();
  if (at !== text.length) fail("something behind the document");
  return result;
}

// One string as ASCII JSON, in the one spelling of the digest and of the statement.
export function writeString(text) {
  // eslint-disable-next-line no-control-regex
  if (!/[^\u0020-\u007e]|["\\]/.test(text)) return '"' + text + '"';
  let out = '"';
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) out += '\\"';
    else if (code === 0x5c) out += "\\\\";
    else if (code === 0x0a) out += "\\n";
    else if (code === 0x0d) out += "\\r";
    else if (code === 0x09) out += "\\t";
    else if (code === 0x08) out += "\\b";
    else if (code === 0x0c) out += "\\f";
    else if (code < 0x20 || code > 0x7e) out += "\\u" + code.toString(16).padStart(4, "0");
    else out += text[i];
  }
  return out + '"';
}

// A value as canonical JSON, handed piece by piece to the function `emit`. All of it is ASCII.
export function writeCanonical(value, emit) {
  if (typeof value === "string") emit(writeString(value));
  else if (typeof value === "number") emit(String(value));
  else if (Array.isArray(value)) {
    emit("[");
    for (let i = 0; i < value.length; i++) {
      if (i > 0) emit(",");
      writeCanonical(value[i], emit);
    }
    emit("]");
  } else {
    let first = true;
    emit("{");
    for (const name of Object.keys(value).sort()) {
      if (!first) emit(",");
      first = false;
      emit(writeString(name) + ":");
      writeCanonical(value[name], emit);
    }
    emit("}");
  }
}

// Demand that the value is an object with just these fields, and perhaps some of the optional ones.
export function fields(value, what, names, optional = []) {
  demand(isObject(value), `${what} is no object.`);
  for (const name of names) demand(name in value, `${what} has no field "${name}".`);
  for (const name of Object.keys(value)) {
    demand(names.includes(name) || optional.includes(name), `${what} has the field ${quoted(name)}, which does not belong there.`);
  }
  return value;
}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Demand that the value is one of the given texts.
export function oneOf(value, what, texts) {
  demand(typeof value === "string" && texts.includes(value), `${what} is none of ${texts.map((t) => `"${t}"`).join(", ")}.`);
  return value;
}
