"""separatrix audit: how far is somebody else's model from the optimum of its own problem?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix.cli.inputs import (
    DataFile,
    Force,
    Json,
    ProofFile,
    Quiet,
    TableOptions,
    class_weights,
    read,
    reads_tables,
)
from separatrix.cli.output import ExitCode, Output


@reads_tables
def audit(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="A model file of LIBSVM, LIBLINEAR or separatrix.", show_default=False
        ),
    ],
    data: DataFile,
    *,
    tables: TableOptions,
    cost: Annotated[
        float | None, typer.Option("--cost", "-c", help="C it was trained with; LIBSVM's files do not say.")
    ] = None,
    weights: Annotated[
        list[str] | None,
        typer.Option("--weight", "-w", help="LABEL=WEIGHT: class weights it was trained with."),
    ] = None,
    max_time: Annotated[
        float, typer.Option(help="Seconds for the search of a better bound.", min=0.0)
    ] = 60.0,
    tol: Annotated[float, typer.Option(help="Relative gap at which the search ends.", min=0.0)] = 1e-9,
    certificate: ProofFile = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """How far is a fitted model from the optimum of the problem that it claims to solve?

    Exit code 2 if no bound was found within the time.

    \b
    Examples:
      separatrix audit heart_scale.model heart_scale -c 1
      separatrix audit a9a.model a9a.bz2 -c 0.1 --json
    """
    from separatrix.audit import audit as measure
    from separatrix.cli.files import claim_certificate, save_certificates

    output = Output(as_json, quiet)
    place = claim_certificate(certificate, force, output)
    table = read(data, tables, quiet)
    found = measure(
        _model(model),
        table.X,
        table.y,
        C=cost,
        class_weight=class_weights(weights, table.y),
        max_time=max_time,
        tol=tol,
    )
    record: dict[str, Any] = {"data": table.record(), "verdict": found.verdict, "gap": found.gap}
    record["audit"] = found.to_dict()
    lines = [("", text) for text in str(found).splitlines()]
    if place is not None:
        proofs = _proofs(found)
        if proofs:
            save_certificates(proofs, place)
            lines += [("", ""), ("", f"  certificate    {place}")]
        else:
            output.note("There is no certificate: bounds of kernel models hold up to rounding only.")
    record["certificate"] = str(place) if place is not None and place.exists() else None
    output.answer("audit", record, [(text, "") for _, text in lines])
    return ExitCode.DONE if found.gap is not None else ExitCode.NOT_PROVED


def _model(path: str) -> Any:
    """A model of ours, or the path of another's; what kind that is, the audit finds out."""
    from separatrix.cli.files import is_model, load_model

    Path(path).open("rb").close()  # a missing file raises OSError
    return load_model(path) if is_model(Path(path)) else path


def _proofs(found: Any) -> dict[str, Any]:
    from separatrix.audit.record import Audit

    audits = {"model": found} if isinstance(found, Audit) else {str(key): each for key, each in found.items()}
    proofs = {name: each.certificate for name, each in audits.items()}
    return {name: proof for name, proof in proofs.items() if proof is not None}
