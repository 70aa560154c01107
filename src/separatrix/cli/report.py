"""separatrix report: one page that shows a model, its proof and the rows that contradict it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix.cli.inputs import DataFile, Force, Json, Quiet, Table, TableOptions, read, reads_tables
from separatrix.cli.output import CommandError, ExitCode, Output
from separatrix.cli.progress import waiting

_KINDS = {".html": "html", ".htm": "html", ".txt": "text", ".json": "json"}
_WORD = re.compile(r"[^\s#:]+")  # labels that LIBSVM text can hold


@reads_tables
def report(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model that separatrix fit saved.", show_default=False)
    ],
    data: DataFile,
    out: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="Where the report goes: .html, .txt or .json. [default: text on stdout]"
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(help="The title of the page.")] = None,
    *,
    tables: TableOptions,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Show a model: the verdict, the certificate and its check, margins, support vectors, errors, weights.

    As a page it is one file that needs no network; without -o it is text on stdout.

    \b
    Examples:
      separatrix report data.model.safetensors data.svm -o report.html
      separatrix report data.model.safetensors data.svm
      separatrix report data.model.safetensors data.svm --json
    """
    from separatrix.atomic import write_atomically
    from separatrix.cli.files import claim, columns_of, is_report, load_model
    from separatrix.models.imported import ImportedModel
    from separatrix.report import make

    output = Output(as_json, quiet)
    kind = "text" if out is None else _KINDS.get(Path(out).suffix.lower())
    if kind is None:
        raise CommandError(f"A report is .html, .txt or .json; got {out}.", "name it so: -o report.html")
    if out is not None and claim(Path(out), is_report, force, "another name for -o"):
        output.note(f"{out} was there before; it is replaced.")
    fitted = load_model(model)
    if isinstance(fitted, ImportedModel):
        raise CommandError(
            f"{model} is a model of LIBSVM or LIBLINEAR, which has no certificate to report on.",
            f"separatrix audit {model} {data} -c COST says how good it is, separatrix predict {model} {data} how "
            "often it is right",
        )
    table = read(data, tables, quiet, **columns_of(fitted))
    if table.left_out:
        output.note(
            f"{table.left_out:,} entries of {data} are of columns or categories that the model has not seen."
        )
    with waiting("report", quiet):
        made = make(
            fitted,
            table.X,
            table.y,
            columns=table.columns,
            title=f"{Path(model).name} on {Path(data).name}" if title is None else title,
            data_file=data,
            row_numbers=table.row_numbers,
            description=table.description,
            commands=commands_for(model, table),
        )
    if out is not None:
        write_atomically(out, _content(made, kind).encode("utf-8"))
    if as_json:
        output.answer("report", {"data": table.record(), "output": out, "report": made.to_json()}, [])
    elif out is None:
        sys.stdout.write(made.text().rstrip("\n") + "\n")
    else:
        output.answer("report", {}, [("report", f"{out} ({Path(out).stat().st_size / 1000:,.0f} kB)")])
    return ExitCode.DONE


def _content(made: Any, kind: str) -> str:
    if kind == "html":
        return str(made.html())
    return str(made.text()) if kind == "text" else json.dumps(made.to_json(), allow_nan=False)


def commands_for(model: str, table: Table, certificate: Path | None = None) -> list[tuple[str, str]]:
    """Return the commands by which anybody checks a model and its proof, each with what it does.

    ``certificate`` is where the proof was written: a file, or a folder of them. None takes the one that `separatrix
    fit` wrote last next to the model under its name, if it is there. The stand-alone checker reads LIBSVM text alone,
    so the rows of any other file are exported first: as LIBSVM text, or as CSV where a label has spaces.
    """
    import numpy as np

    from separatrix.cli.files import find_certificates, stem
    from separatrix.report.commands import check_commands

    if certificate is None:
        path = Path(model)
        name = path.name.removesuffix(".safetensors").removesuffix(".model")
        places = (path.parent / f"{name}.certificate.json.gz", path.parent / f"{name}.certificates")
        there = [place for place in places if place.exists()]
        certificate = max(there, key=lambda place: place.stat().st_mtime_ns, default=None)
    several = [] if certificate is None else find_certificates(str(certificate))
    export = None
    if table.format != "libsvm":
        words = all(_WORD.fullmatch(str(label)) for label in np.unique(table.y).tolist())
        export = f"{stem(table.file)}.rows{'.svm' if words else '.csv'}"
    return check_commands(
        table.file, str(several[0]) if several else None, model, export=export, several=len(several)
    )
