"""separatrix verify: does a certificate prove its claim for these data?"""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix.cli.inputs import (
    DataFile,
    Json,
    Quiet,
    Table,
    TableOptions,
    kernel_matrix,
    read,
    reads_tables,
)
from separatrix.cli.output import CommandError, ExitCode, Line, Output, counted, wrapped

_FEW = 8  # certificates that are checked exactly, about a second each at most, where nobody says how


@reads_tables
def verify(
    certificate: Annotated[
        str,
        typer.Argument(
            metavar="CERTIFICATE",
            help="A certificate, .json or .json.gz; a folder of them; or a model, which has its own inside.",
            show_default=False,
        ),
    ],
    data: DataFile,
    *,
    tables: TableOptions,
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact/--no-exact",
            help="In exact arithmetic, or in floating point. [default: exact where that takes some seconds at most]",
            show_default=False,
        ),
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Reject a proof of another problem: C=1, rows=all, kernel=rbf, loss=hinge, gap=0.001, ...",
            show_default=False,
        ),
    ] = None,
    max_bytes: Annotated[
        int | None, typer.Option(min=1, help="The largest text of a certificate to read.", show_default=False)
    ] = None,
    verified: Annotated[
        bool,
        typer.Option(
            "--verified",
            help="By separatrix-check, the program that is proved in Coq (make verified builds it).",
        ),
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Does a certificate prove its claim for these data? The solver that made it is not trusted.

    With --no-exact in rigorous floating point: a claim passes only if it holds whatever the rounding.
    Exit code 0 if proved, 2 if proved only on a condition, which is named, 3 if rejected.

    \b
    Examples:
      separatrix verify data.certificate.json.gz data.svm
      separatrix verify data.certificate.json.gz data.svm --exact
      separatrix verify data.certificate.json.gz data.svm --expect C=1 --expect rows=all
      separatrix verify data.certificate.json.gz data.svm --verified
      python -m separatrix.checker data.certificate.json.gz data.svm    (standard library only)
    """
    from separatrix.checker.expectations import parse_expectations
    from separatrix.cli.files import (
        certificates_of,
        columns_of,
        find_certificates,
        is_model,
        load_certificate,
        load_model,
    )

    output, began = Output(as_json, quiet), time.perf_counter()
    if verified:
        from separatrix.cli import proved_program

        if exact is not None or expect or tables.missing != "refuse":
            raise CommandError(
                "--verified goes with none of --exact, --no-exact, --expect and --missing.",
                "read the sentence that it proves",
            )
        found = proved_program.check(certificate, data, tables.format, tables.label, max_bytes)
        seconds = time.perf_counter() - began
        record = {"data": {"file": data}, **_summary([found], seconds)}
        output.answer("verify", record, _lines([found], seconds))
        return _CODES[found["outcome"]]
    try:
        expected = parse_expectations(expect or [])
    except ValueError as error:
        raise CommandError(str(error)) from None
    table = None
    if is_model(Path(certificate)):
        model = load_model(certificate)
        claims: dict[str, Any] = dict(certificates_of(model))
        known = columns_of(model)
    else:
        claims = {file.name: load_certificate(file, max_bytes) for file in find_certificates(certificate)}
        known = {"n_columns": _width(claims)}
        table = _read_like_the_fit(certificate, data, quiet) if tables == TableOptions() else None
    table = table or read(data, tables, quiet, **known)
    if any(map(_of_a_kernel_matrix, claims.values())):
        table = kernel_matrix(table)
    table = _in_single(table, claims)
    if table.left_out:
        claims = dict.fromkeys(
            claims, f"The file has {table.left_out:,} entries that the model has no place for."
        )
    if exact is None and len(claims) > _FEW:
        exact = False
    results = [_check(name, claim, table, exact, expected) for name, claim in claims.items()]
    seconds = time.perf_counter() - began
    record = {"data": table.record(), **_summary(results, seconds)}
    output.answer("verify", record, _lines(results, seconds))
    return _CODES[record["outcome"]]


def _read_like_the_fit(certificate: str, data: str, quiet: bool) -> Table | None:
    """Return the table as the model in the same folder read it; None where there is none, or of another table.

    Nothing of the model is trusted: rows that are not those of the fit have another fingerprint, and are rejected.
    """
    from separatrix.checker.text import DataError
    from separatrix.cli.files import columns_of, is_model, load_model

    name = re.sub(r"\.certificates?(\.json)?(\.gz)?/?$", "", certificate)
    place = Path(f"{name}.model.safetensors")
    if name == certificate or not is_model(place):
        return None
    model = load_model(str(place), certificates=False)
    if (getattr(model, "data_encoding_", None) or {}).get("format") != "table":
        return None
    try:
        return read(data, TableOptions(), quiet, **columns_of(model))
    except DataError:  # another table, such as the rows that `separatrix convert` has exported
        return None


#: What a check of several certificates ends in: the worst of their outcomes.
_CODES = {
    "rejected": ExitCode.REJECTED,
    "conditional": ExitCode.NOT_PROVED,
    "proved": ExitCode.DONE,
}


def _summary(results: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    outcome = next(each for each in _CODES if any(result["outcome"] == each for result in results))
    return {
        "outcome": outcome,
        "proved": outcome == "proved",
        "seconds": seconds,
        "certificates": results,
    }


def _width(claims: dict[str, Any]) -> int | None:
    """Return the number of columns in the certificates, which LIBSVM text does not say; None for a kernel matrix."""
    if any(map(_of_a_kernel_matrix, claims.values())):
        return None
    widths = [claim.data.columns for claim in claims.values() if not isinstance(claim, str)]
    first = widths[0] if widths else None
    return first if type(first) is int and first < 1 << 32 and all(each == first for each in widths) else None


def _in_single(table: Any, claims: dict[str, Any]) -> Any:
    """Round the numbers of a text to single precision, if the certificates are about such numbers."""
    import numpy as np

    kinds = [claim.data.type for claim in claims.values() if not isinstance(claim, str)]
    if table.format not in ("libsvm", "csv", "tsv") or not kinds or any(kind != "float32" for kind in kinds):
        return table
    with np.errstate(over="ignore"):  # infinity is refused by the check
        X = table.X.astype(np.float32)
    wide, single = (table.X.data, X.data) if hasattr(X, "indptr") else (table.X, X)
    changed = wide[(wide != single) & (wide == np.rint(wide))]
    if changed.size:
        raise CommandError(
            f"The certificate speaks of numbers of single precision; {table.file} holds "
            f"{changed.flat[0]:.0f}, which is none, and integers are not rounded.",
            "give the file of the fit",
        )
    return replace(table, X=X)


def _of_a_kernel_matrix(claim: Any) -> bool:
    kernel = None if isinstance(claim, str) else claim.problem.get("kernel")
    return isinstance(kernel, dict) and kernel.get("name") == "precomputed"


def _check(name: str, claim: Any, table: Any, exact: bool | None, expected: dict[str, Any]) -> dict[str, Any]:
    from separatrix.checker.check import Verification
    from separatrix.proof.verify import verify as check_claim

    if isinstance(claim, str):
        found, said = Verification("rejected", claim, "unknown"), None
    else:
        found = check_claim(claim, table.X, table.y, exact, expect=expected)
        said = claim.claim
    return {
        "name": name,
        "outcome": found.outcome,
        "proved": found.proved,
        "reason": found.reason,
        "kind": found.kind,
        "arithmetic": found.arithmetic,
        "primal": found.primal,
        "dual": found.dual,
        "gap": found.gap,
        "claim": said,
    }


def _lines(results: list[dict[str, Any]], seconds: float) -> list[Line]:
    taken = ("time", f"{seconds:.2f} s")
    if len(results) == 1:
        return [*wrapped("verdict", _said(results[0])), taken]
    good = sum(result["proved"] for result in results)
    out: list[Line] = [("verdict", f"{good} of {counted(len(results), 'certificate')} proved")]
    for result in results:
        out += wrapped("", f"{result['name']}: {_said(result)}")
    return [*out, taken]


def _said(result: dict[str, Any]) -> str:
    """The whole statement and the arithmetic that proved it, or why it is not proved.

    What a rejected certificate claims is not repeated: it may be anything.
    """
    return f"Rejected: {result['reason']}" if result["outcome"] == "rejected" else result["reason"]
