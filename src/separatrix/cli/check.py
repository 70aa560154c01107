"""separatrix check: are the classes separable? An exact three-way verdict with its proof."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from separatrix.cli.inputs import DataFile, Force, Json, ProofFile, Quiet, TableOptions, read, reads_tables
from separatrix.cli.output import CommandError, ExitCode, Output


@reads_tables
def check(
    data: DataFile,
    *,
    tables: TableOptions,
    bias: Annotated[bool, typer.Option(help="Whether the hyperplane may miss the origin.")] = True,
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Many classes: every pair, instead of each class against the rest."),
    ] = False,
    outcome: Annotated[
        str | None, typer.Option(help="Tables: the column of the outcome of a logistic model.")
    ] = None,
    formula: Annotated[
        str | None,
        typer.Option(
            help="Tables: the terms of a logistic model, as in 'age + C(group)'. [default: all columns]"
        ),
    ] = None,
    max_time: Annotated[
        float | None, typer.Option(help="Seconds; undecided problems mean exit code 2.", min=0.0)
    ] = None,
    certificate: ProofFile = None,
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
      separatrix check trial.csv --outcome died --formula "dose + C(arm)"

    \b
    With --outcome or --formula the answer says which estimates of the logistic
    model are infinite, which columns cause it, and what to do. A certificate
    gets its design beside it: separatrix verify proof.json proof.design.npz.
    A formula is a program of its own: use none that you do not trust.
    """
    from separatrix.cli import verdicts
    from separatrix.cli.files import claim_certificate, save_certificates

    output = Output(as_json, quiet)
    if outcome is not None or formula is not None:
        if pairs or not bias or tables != TableOptions():
            raise CommandError(
                "--outcome and --formula go with neither --no-bias, --pairs nor the options of tables such as --label.",
                "write '0 + ...' in the formula for no intercept",
            )
        from separatrix.cli.check_formula import Question, check_formula

        return check_formula(Question(data, outcome, formula, max_time, certificate, force), output)
    place = claim_certificate(certificate, force, output)
    table = read(data, tables, quiet)
    found = verdicts.decide(table, "ovo" if pairs else "ovr", bias, max_time)
    record: dict[str, Any] = {"data": table.record(), "separability": found.record(), "certificate": None}
    lines = [*table.lines(), *verdicts.lines(found)]
    if place is not None and found.found:
        proofs = {name: answer.certificate for name, answer in found.found.items()}
        save_certificates(proofs, place)
        record["certificate"] = str(place)
        lines.append(("certificate", str(place)))
    lines.append(("time", f"{found.seconds:.2f} s"))
    output.answer("check", record, lines)
    return ExitCode.NOT_PROVED if found.undecided else ExitCode.DONE
