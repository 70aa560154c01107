// The checker on the command line, for Node:
//
//   node main.mjs CERTIFICATE DATA [--format auto|libsvm|csv] [--label-column NAME] [--delimiter D] [--zero-based]
//
// The verdict goes to the standard output. The exit code is 0 (proved), 2 (conditional), 3 (rejected) or 1 (bad usage, or data that
// cannot be read).

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { check, load, readHeader } from "./check.js";
import { readCsv, readLibsvm } from "./files.js";

const USAGE = "usage: node main.mjs CERTIFICATE DATA [--format auto|libsvm|csv] [--label-column NAME] [--delimiter D] [--zero-based]";
const CODES = { proved: 0, conditional: 2, rejected: 3 };
const FAILED = 1;

function fail(message) {
  process.stderr.write(message + "\n");
  process.exitCode = FAILED;
}

function parseCommand() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      format: { type: "string", default: "auto" },
      "label-column": { type: "string" },
      delimiter: { type: "string" },
      "zero-based": { type: "boolean", default: false },
    },
  });
  if (positionals.length !== 2) throw new Error("A certificate and a data file are needed.");
  if (!["auto", "libsvm", "csv"].includes(values.format)) throw new Error(`There is no format "${values.format}".`);
  const [certificate, file] = positionals;
  const tabs = /\.tsv$/i.test(file);
  const format = values.format !== "auto" ? values.format : tabs || /\.csv$/i.test(file) ? "csv" : "libsvm";
  const delimiter = values.delimiter === "\\t" ? "\t" : values.delimiter ?? (tabs ? "\t" : ",");
  if (delimiter.length !== 1 || '"\r\n'.includes(delimiter)) throw new Error("The delimiter is not one character.");
  return { certificate, file, format, delimiter, labelColumn: values["label-column"], zeroBased: values["zero-based"] };
}

function report(verdict) {
  process.stdout.write(`${verdict.outcome}: ${verdict.reason}\n`);
  process.exitCode = CODES[verdict.outcome];
}

async function main() {
  let command;
  try {
    command = parseCommand();
  } catch (error) {
    fail(`${error.message}\n${USAGE}`);
    return;
  }
  let text;
  let bytes;
  try {
    text = await load(readFileSync(command.certificate));
    bytes = readFileSync(command.file);
  } catch (error) {
    fail(error.message);
    return;
  }
  const { header, verdict } = readHeader(text);
  if (verdict !== undefined) {
    report(verdict);
    return;
  }
  let data;
  try {
    data = command.format === "csv" ? readCsv(bytes, header, command) : readLibsvm(bytes, header, command);
  } catch (error) {
    fail(`The data cannot be read. ${error.message}`);
    return;
  }
  report(check(text, data));
}

await main();
