"""The command line of the stand-alone checker: ``python -m separatrix.checker certificate data``."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from typing import Any

from separatrix.checker.check import Verification, check
from separatrix.checker.data import Labels
from separatrix.checker.document import load
from separatrix.checker.expectations import parse_expectations
from separatrix.checker.fingerprint import encode, fingerprint_labels, fingerprint_rows, parse_label
from separatrix.checker.numbers import Rejected
from separatrix.checker.text import DataError, Layout, read_table

BAD_INPUT = 1
EXIT_CODES = {"proved": 0, "conditional": 2, "rejected": 3}

_DESCRIPTION = """\
Check a certificate against the data it speaks of, in exact arithmetic, with the standard library alone.

The verdict goes to standard output. Exit codes: 0 proved, 1 bad usage or unreadable input, 2 proved only on a
condition that is named, 3 rejected.
"""

_EXAMPLES = """\
examples:
  python -m separatrix.checker cert.json a9a.txt
  python -m separatrix.checker cert.json.gz train.libsvm.xz --json
  python -m separatrix.checker cert.json iris.csv --label-column species
  python -m separatrix.checker cert.json a9a.txt --expect C=1 --expect rows=all --expect kernel=linear
  python -m separatrix.checker cert.json table.data --format csv --delimiter ';' --label-column 0
"""

_HINT = "hint: if LIBSVM indices start at 0, give --zero-based; rows must come in the order of the fit"
ROUNDED = "Decimal fractions in the file were read as the nearest numbers of {} precision."


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        """Report bad usage with exit code 1; argparse's own 2 means "proved on a condition" here."""
        self.print_usage(sys.stderr)
        print(f"error: {message}", file=sys.stderr)
        raise SystemExit(BAD_INPUT)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m separatrix.checker",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("certificate", help="certificate, .json or .json.gz")
    parser.add_argument("data", help="LIBSVM text or CSV; also .gz, .bz2, .xz")
    parser.add_argument(
        "--expect",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="reject a proof of another problem: C=1, rows=all, kernel=rbf, loss=hinge, positive=a,b, gap=0.001, ...",
    )
    parser.add_argument(
        "--format", choices=["auto", "libsvm", "csv"], default="auto", help="default: by name"
    )
    parser.add_argument(
        "--label-column", help="CSV column of the labels: a name or a number; default: the last"
    )
    parser.add_argument("--delimiter", help="CSV delimiter; default: comma, or tab for .tsv")
    parser.add_argument(
        "--zero-based",
        action="store_true",
        default=None,
        help="LIBSVM indices start at 0; default: if one is 0",
    )
    parser.add_argument("--max-bytes", type=int, help="largest text of a certificate to read")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the checker; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        expect = parse_expectations(options.expect)
    except ValueError as error:
        parser.error(str(error))
    try:
        verification, rounded = _verify(options, expect)
    except (OSError, DataError) as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    if options.json:
        print(json.dumps({**dataclasses.asdict(verification), "gap": verification.gap, "rounded": rounded}))
    else:
        print(
            f"Rejected: {verification.reason}" if verification.outcome == "rejected" else verification.reason
        )
        if rounded:
            print(rounded)
    if "X are not those" in verification.reason:
        print(_HINT, file=sys.stderr)
    return EXIT_CODES[verification.outcome]


def _verify(options: argparse.Namespace, expect: dict[str, Any]) -> tuple[Verification, str]:
    """The verdict, and what was done to the numbers of the file."""
    try:
        document = load(options.certificate, options.max_bytes)
    except Rejected as rejection:
        return Verification("rejected", str(rejection), "unknown"), ""
    claimed = document["data"] if isinstance(document["data"], dict) else {}
    columns, single = claimed.get("columns"), claimed.get("type") == "float32"
    layout = Layout(
        format=options.format,
        label_column=options.label_column,
        delimiter=options.delimiter,
        zero_based=options.zero_based,
        n_columns=columns if type(columns) is int else None,
        single=single,
    )
    table, tokens = read_table(options.data, layout)
    rounded = ROUNDED.format("single" if single else "double") if table.rounded else ""
    kind = "number" if claimed.get("labels") == "number" else "text"
    try:
        classes, codes = encode(parse_label(token, kind) for token in tokens)
        labels, X = Labels(kind, classes, codes), fingerprint_rows(table)
        y = fingerprint_labels(kind, classes, codes)
    except (Rejected, OverflowError, ValueError) as error:
        return Verification("rejected", str(error), str(document["kind"])), rounded
    return check(document, table, labels, X, y, expect or None), rounded


if __name__ == "__main__":
    raise SystemExit(main())
