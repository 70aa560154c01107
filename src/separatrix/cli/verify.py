"""separatrix verify: does a certificate prove its claim for these data?"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix.cli.exits import ExitCode
from separatrix.cli.inputs import (
    DataFile,
    Format,
    Json,
    LabelColumn,
    Missing,
    Quiet,
    Reading,
    kernel_matrix,
    read,
)
from separatrix.cli.output import Line, Output, counted, wrapped
from separatrix.cli.timing import Stopwatch


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
    label: LabelColumn = None,
    format: Format = None,
    missing: Missing = "refuse",
    exact: Annotated[
        bool, typer.Option("--exact", help="In rational numbers: slower, and no tolerance anywhere.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Does a certificate prove its claim for these data? The solver that made it is not trusted.

    Without --exact in rigorous floating point: a claim passes only if it holds whatever the rounding.
    Exit code 0 if proved, 3 if rejected.

    \b
    Examples:
      separatrix verify data.certificate.json.gz data.svm
      separatrix verify data.certificate.json.gz data.svm --exact
      python -m separatrix.checker data.certificate.json.gz data.svm    (standard library only)
    """
    from separatrix.cli import certificates
    from separatrix.cli.models import is_model, load_model

    output, watch = Output(as_json, quiet), Stopwatch()
    reading = Reading(label, format, missing, quiet=quiet)
    if is_model(Path(certificate)):
        model = load_model(certificate)
        claims: dict[str, Any] = dict(certificates.of_model(model))
        reading = reading.like(model)
    else:
        claims = {file.name: certificates.load(file) for file in certificates.find(certificate)}
        reading = replace(reading, n_columns=_width(claims))
    table = read(data, reading)
    if any(map(_of_a_kernel_matrix, claims.values())):
        table = kernel_matrix(table)
    if table.left_out:
        claims = dict.fromkeys(
            claims, f"The file has {table.left_out:,} entries that the model has no place for."
        )
    results = [_check(name, claim, table, exact) for name, claim in claims.items()]
    proved = all(result["proved"] for result in results)
    record = {
        "data": table.record(),
        "proved": proved,
        "exact": exact,
        "seconds": watch.total,
        "certificates": results,
    }
    output.answer("verify", record, _lines(results, watch.total))
    return ExitCode.DONE if proved else ExitCode.REJECTED


def _width(claims: dict[str, Any]) -> int | None:
    """The columns that the certificates speak of; LIBSVM text does not tell its own, but a kernel matrix does."""
    if any(map(_of_a_kernel_matrix, claims.values())):
        return None
    widths = {claim.data.columns for claim in claims.values() if not isinstance(claim, str)}
    return widths.pop() if len(widths) == 1 else None


def _of_a_kernel_matrix(claim: Any) -> bool:
    return not isinstance(claim, str) and "precomputed" in str(claim.problem.get("kernel"))


def _check(name: str, claim: Any, table: Any, exact: bool) -> dict[str, Any]:
    from separatrix.proof.verify import verify as check_claim

    if isinstance(claim, str):
        return {"name": name, "proved": False, "reason": claim, "kind": None, "claim": None}
    found = check_claim(claim, table.X, table.y, exact=exact)
    return {"name": name, "claim": claim.claim, **asdict(found)}


def _lines(results: list[dict[str, Any]], seconds: float) -> list[Line]:
    if len(results) == 1:
        result = results[0]
        said = result["reason"] if result["proved"] else f"Rejected: {result['reason']}"
        return [
            *wrapped("verdict", said),
            *wrapped("claim", result["claim"] or "unreadable"),
            ("time", f"{seconds:.2f} s"),
        ]
    good = sum(result["proved"] for result in results)
    out: list[Line] = [("verdict", f"{good} of {counted(len(results), 'certificate')} proved")]
    for result in results:
        word = "proved" if result["proved"] else f"rejected: {result['reason']}"
        out.append(("", f"{result['name']}: {word}"))
    return [*out, ("time", f"{seconds:.2f} s")]


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(short_help="Does a certificate prove its claim?")(verify)
