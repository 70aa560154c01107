"""The command line of the stand-alone checker: ``python -m separatrix.checker certificate data``."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence

from separatrix.checker.certificate import MAX_BYTES, Certificate
from separatrix.checker.check import check_exactly
from separatrix.checker.labels import encode, parse_label
from separatrix.checker.text import DataError, Layout, read_table
from separatrix.checker.verdict import CertificateError, Rejected, Verification

PROVED, BAD_INPUT, REJECTED = 0, 1, 3

_DESCRIPTION = """\
Check a certificate against the data it speaks of, in exact arithmetic, with the standard library alone.

The verdict goes to standard output. Exit codes: 0 proved, 1 bad usage or unreadable input, 3 rejected.
"""

_EXAMPLES = """\
examples:
  python -m separatrix.checker cert.json a9a.txt
  python -m separatrix.checker cert.json.gz train.libsvm.xz --json
  python -m separatrix.checker cert.json iris.csv --label-column species
  python -m separatrix.checker cert.json table.data --format csv --delimiter ';' --label-column 0
  python -m separatrix.checker cert.json rcv1.txt --float32     (the model was fitted to float32 values)
"""

_HINT = (
    "hint: if the fit saw single-precision values give --float32; if LIBSVM indices start at 0, --zero-based"
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        """Report bad usage with exit code 1; argparse's own 2 means "not proved in time" elsewhere."""
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
    parser.add_argument("--float32", action="store_true", help="round every value to single precision")
    parser.add_argument("--max-bytes", type=int, default=MAX_BYTES, help="largest certificate to read")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the checker; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        verification = _verify(options)
    except (OSError, DataError) as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    if options.json:
        print(json.dumps(dataclasses.asdict(verification)))
    else:
        print(verification.reason if verification else f"Rejected: {verification.reason}")
    if "X are not those" in verification.reason:
        print(_HINT, file=sys.stderr)
    return PROVED if verification else REJECTED


def _verify(options: argparse.Namespace) -> Verification:
    try:
        certificate = Certificate.load(options.certificate, options.max_bytes)
    except CertificateError as error:
        return Verification(False, str(error), "unknown")
    layout = Layout(
        format=options.format,
        label_column=options.label_column,
        delimiter=options.delimiter,
        zero_based=options.zero_based,
        n_columns=certificate.data.columns,
        single=options.float32,
    )
    table, tokens = read_table(options.data, layout)
    try:
        classes, codes = encode(parse_label(token, certificate.data.labels) for token in tokens)
    except Rejected as rejection:
        return Verification(False, str(rejection), certificate.kind)
    return check_exactly(certificate, table, classes, codes)


if __name__ == "__main__":
    raise SystemExit(main())
