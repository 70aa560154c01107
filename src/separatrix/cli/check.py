"""separatrix check: are the classes separable? An exact three-way verdict with its proof."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from separatrix.cli.errors import ExitCode
from separatrix.cli.inputs import DataFile, Force, Format, Json, LabelColumn, Missing, Quiet, Reading, read
from separatrix.cli.output import Output


def check(
    data: DataFile,
    label: LabelColumn = None,
    format: Format = None,
    missing: Missing = "refuse",
    bias: Annotated[bool, typer.Option(help="Whether the hyperplane may miss the origin.")] = True,
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Many classes: every pair, instead of each class against the rest."),
    ] = False,
    max_time: Annotated[
        float | None, typer.Option(help="Seconds; undecided problems mean exit code 2.", min=0.0)
    ] = None,
    certificate: Annotated[
        str | None,
        typer.Option(
            "--certificate", "-o", help="Save the proof here; for many classes, in a folder of this name."
        ),
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Are the classes separable by a hyperplane? Decided exactly, with a proof.

    \b
    separable         a hyperplane has every row strictly on its side
    quasi-separable   one has no row on the wrong side, but some on itself
    inseparable       neither: at most d + 2 rows contradict each other

    \b
    Examples:
      separatrix check data.svm
      separatrix check data.csv --label species --json
      separatrix check data.svm -o data.verdict.json.gz
    """
    from pathlib import Path

    from separatrix.cli import certificates, output_paths, verdicts

    output = Output(as_json, quiet)
    place = None if certificate is None else Path(certificate)
    if place is not None and output_paths.claim(place, output_paths.is_certificate, force, "--certificate"):
        output.note(f"The certificate {place} is replaced.")
    table = read(data, Reading(label, format, missing, quiet=quiet))
    found = verdicts.decide(table.X, table.y, "ovo" if pairs else "ovr", bias, max_time)
    record: dict[str, Any] = {"data": table.record(), "separability": found.record(), "certificate": None}
    lines = [*table.lines(), *verdicts.lines(found)]
    if place is not None and found.found:
        proofs = {name: answer.certificate for name, answer in found.found.items()}
        certificates.save(proofs, place)
        record["certificate"] = str(place)
        lines.append(("certificate", str(place)))
    lines.append(("time", f"{found.seconds:.2f} s"))
    output.answer("check", record, lines)
    return ExitCode.NOT_PROVED if found.undecided else ExitCode.DONE


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(short_help="Are the classes separable? An exact verdict.")(check)
