// Readers of data files: LIBSVM and CSV texts become the data that the checker takes.
// A number is ASCII decimal and stands for the nearest number of the type that the certificate records.

import { demand, quoted, refuse } from "./refusal.js";

const NUMBER = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const INTEGER = /^[+-]?[0-9]+$/;

export function isNumber(token) {
  return NUMBER.test(token);
}

// ---- Numbers

// The nearest binary64 number to a decimal number, for "float32" the nearest single to that.
export function parseNumber(token, type) {
  if (!NUMBER.test(token)) refuse(`${quoted(token)} is no number.`);
  const nearest = Number(token);
  const value = type === "float32" ? Math.fround(nearest) : nearest;
  if (!Number.isFinite(value)) refuse(`${quoted(token)} is too large for ${type}.`);
  if (INTEGER.test(token) && (value === 0 || Math.abs(value) >= 16777216)) {
    const digits = token.replace(/^[+-]?0*/, "");
    const same = digits.length <= 310 && BigInt(digits || "0") === BigInt(Math.abs(value));
    demand(same, `The integer ${quoted(token)} is no ${type} number.`);
  }
  return value;
}

// The label text of section 3 of a label in a file.
function labelText(written, header) {
  if (header.labels === "text") return written;
  const token = written.trim();
  const lower = token.toLowerCase();
  if (lower === "true") return "1";
  if (lower === "false") return "0";
  if (INTEGER.test(token) && token.length <= 1000) return BigInt(token.replace("+", "")).toString();
  const value = parseNumber(token, "float64");
  return Number.isInteger(value) ? BigInt(value).toString() : realText(value);
}

// A Number in the form of section 2.
export function realText(value) {
  const sign = value < 0 ? "-" : "";
  if (value === 0) return "0x0.0p+0";
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0).toString(16).padStart(16, "0");
  const field = parseInt(bits.slice(0, 3), 16);
  const exponent = Math.max(field, 1) - 1023;
  return `${sign}0x${field === 0 ? 0 : 1}.${bits.slice(3)}p${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
}

// ---- Files

function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return refuse("The data are no UTF-8 text.");
  }
}

// The data of a LIBSVM file. `header` is the header of the certificate, which tells the columns, the type and the labels.
export function readLibsvm(bytes, header, { zeroBased = false } = {}) {
  const rows = [];
  const y = [];
  let base = zeroBased ? 0 : 1;
  decode(bytes).split("\n").forEach((whole, number) => {
    const comment = whole.indexOf("#");
    const line = (comment < 0 ? whole : whole.slice(0, comment)).replace(/^[ \t\r]+|[ \t\r]+$/g, "");
    if (line === "") return;
    try {
      const tokens = line.split(/[ \t\r]+/);
      y.push(labelText(tokens[0], header));
      const entries = [];
      for (let t = 1; t < tokens.length; t++) {
        if (t === 1 && /^qid:[0-9]+$/.test(tokens[t])) continue;
        const match = /^([0-9]{1,10}):(.*)$/.exec(tokens[t]);
        if (match === null) refuse(`${quoted(tokens[t])} is no index:value.`);
        const index = Number(match[1]);
        if (index === 0) base = 0;
        entries.push([index, parseNumber(match[2], header.type)]);
      }
      entries.sort((a, b) => a[0] - b[0]);
      for (let t = 1; t < entries.length; t++) {
        if (entries[t][0] === entries[t - 1][0]) refuse(`The index ${entries[t][0]} occurs twice.`);
      }
      rows.push(entries);
    } catch (error) {
      refuse(`Line ${number + 1} of the data: ${error.message}`);
    }
  });
  const X = rows.map((entries) => [entries.map(([index]) => index - base), entries.map(([, value]) => value)]);
  return { columns: header.columns, X, labels: header.labels, y };
}

// The records of a CSV text, quoted as RFC 4180 says, each a list of fields. Empty lines are left out.
export function csvRecords(text, delimiter) {
  const records = [];
  let record = [];
  let at = 0;
  while (at < text.length) {
    let field;
    if (text[at] === '"') {
      const pieces = [];
      for (;;) {
        const end = text.indexOf('"', at + 1);
        demand(end >= 0, `A quote in record ${records.length + 1} of the data has no end.`);
        pieces.push(text.slice(at + 1, end));
        at = end + 1;
        if (text[at] !== '"') break;
      }
      field = pieces.join('"');
    } else {
      const start = at;
      while (at < text.length && text[at] !== delimiter && text[at] !== "\n" && text[at] !== "\r") {
        if (text[at] === '"') refuse(`Record ${records.length + 1} of the data has a quote inside a field.`);
        at++;
      }
      field = text.slice(start, at);
      if (at === start && record.length === 0 && (text[at] === "\n" || text.startsWith("\r\n", at))) {
        at = text.indexOf("\n", at) + 1;
        continue;
      }
    }
    record.push(field);
    if (text[at] === delimiter) {
      at++;
      if (at < text.length) continue;
      record.push("");
    } else if (text[at] === "\r" && text[at + 1] === "\n") at += 2;
    else if (text[at] === "\n") at++;
    else demand(at >= text.length, `Record ${records.length + 1} of the data has something behind a field.`);
    records.push(record);
    record = [];
  }
  return records;
}

// The data of a CSV file.
export function readCsv(bytes, header, { delimiter = ",", labelColumn } = {}) {
  const records = csvRecords(decode(bytes), delimiter);
  demand(records.length > 0, "The data are empty.");
  const first = records[0];
  let label = first.length - 1;
  if (labelColumn !== undefined) {
    label = first.indexOf(labelColumn);
    const once = label >= 0 && first.indexOf(labelColumn, label + 1) < 0;
    demand(once, `The first record does not name the column ${quoted(labelColumn)} once.`);
    records.shift();
  } else if (first.some((field, index) => index !== label && !isNumber(field.trim()))) records.shift();
  const X = [];
  const y = [];
  records.forEach((record, number) => {
    try {
      demand(record.length === first.length, `It has ${record.length} fields instead of ${first.length}.`);
      y.push(labelText(record[label], header));
      const row = [];
      for (let t = 0; t < record.length; t++) if (t !== label) row.push(parseNumber(record[t].trim(), header.type));
      X.push(row);
    } catch (error) {
      refuse(`Row ${number} of the data: ${error.message}`);
    }
  });
  return { columns: first.length - 1, X, labels: header.labels, y };
}
