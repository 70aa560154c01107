"""separatrix predict: the class of each row, one a line on stdout, or a table with scores and probabilities."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix.cli.inputs import DataFile, Json, Quiet, TableOptions, kernel_matrix, read_rows, reads_tables
from separatrix.cli.output import ExitCode, Output, plain, say, to_stdout

_AT_ONCE = 1 << 14  # rows written at a time
_CSV = "label,score"  # how the header of a table of ours goes on after the identifiers


@reads_tables
def predict(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model that separatrix fit saved.", show_default=False)
    ],
    data: DataFile,
    out: Annotated[
        str | None,
        typer.Argument(
            metavar="[OUT]",
            help="Where the classes go; else stdout. A name in .csv gets a table, as --csv.",
            show_default=False,
        ),
    ] = None,
    table: Annotated[
        bool,
        typer.Option(
            "--csv",
            help="A table: identifiers, label, score, probability, distance to the boundary; a line a row.",
        ),
    ] = False,
    scores: Annotated[
        bool, typer.Option("--scores", help="After each class its decision values, separated by tabs.")
    ] = False,
    *,
    tables: TableOptions,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite OUT even if separatrix did not write it.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Predict the class of each row of a file, in its order; the accuracy goes to stderr where the file has labels.

    MODEL and DATA may be given in svm-predict's order as well.

    \b
    Examples:
      separatrix predict data.model.safetensors new.svm
      separatrix predict data.model.safetensors new.svm answers.csv
      separatrix predict data.model.safetensors new.svm classes.txt
      separatrix predict data.model.safetensors new.svm --scores --json
    """
    from separatrix.atomic import replacing
    from separatrix.cli.files import can_predict, claim, columns_of, load_model
    from separatrix.cli.measuring import known_rows
    from separatrix.cli.predictions import Predictions, predictions

    output = Output(as_json, quiet)
    if can_predict(Path(data)) and not can_predict(Path(model)):
        model, data = data, model
    table = table or (out is not None and out.lower().endswith(".csv"))
    if out is not None:
        claim(Path(out), is_prediction, force, "another name for OUT")
    fitted = load_model(model, certificates=False)
    rows = read_rows(data, tables, quiet, **columns_of(fitted))
    if fitted.kernel == "precomputed":
        rows = kernel_matrix(rows)
    if rows.left_out:
        output.note(
            f"{rows.left_out:,} entries of {data} are of columns or categories that the model has not seen."
        )
    known = None if rows.y is None else known_rows(data, rows.y, fitted.classes_, output)
    found: Predictions = predictions(fitted, rows.X)
    compared = None if known is None else found.compared(rows.y, known)
    if as_json:
        record: dict[str, Any] = {
            "model": model,
            "data": rows.record(),
            "accuracy": None
            if compared is None
            else {"correct": compared.rows - compared.errors, **compared.record()},
            "classes": plain(found.labels),
            "probabilities": plain(found.probabilities),
            "distance": plain(found.distance),
        }
        output.answer("predict", record | ({"scores": plain(found.scores)} if scores else {}), [])
        return ExitCode.DONE
    texts = (
        table_lines(found, rows.identifiers)
        if table
        else lines(found.labels, found.scores if scores else None)
    )
    if out is None:
        to_stdout(texts)
    else:
        with replacing(out) as file:
            file.writelines(line.encode("utf-8") for line in texts)
    if compared is not None and not quiet:
        for sentence in compared.sentences():
            say("note", sentence)
    return ExitCode.DONE


def lines(classes: Any, scores: Any) -> Iterator[str]:
    """A line for each row, many in a text: its class, and its decision values where they are wanted."""
    for start in range(0, len(classes), _AT_ONCE):
        labels = classes[start : start + _AT_ONCE].tolist()
        if scores is None:
            yield "".join(f"{label}\n" for label in labels)
            continue
        values = scores[start : start + _AT_ONCE].reshape(len(labels), -1).tolist()
        rows = zip(labels, values, strict=True)
        yield "".join("\t".join([str(label), *map(repr, row)]) + "\n" for label, row in rows)


def table_lines(found: Any, identifiers: dict[str, list[Any]]) -> Iterator[str]:
    """The predictions as CSV: what names the rows, then the label and the numbers behind it."""
    names, columns = found.columns()
    yield _csv_text([[*identifiers, *names]])
    for start in range(0, len(found.labels), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        cells = [list(values)[part] for values in identifiers.values()]
        cells += [values[part].tolist() for values in columns]
        yield _csv_text(zip(*cells, strict=True))


def _csv_text(rows: Any) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def is_prediction(path: Path) -> bool:
    """Tell whether a file begins as a table that this command wrote."""
    try:
        with path.open(encoding="utf-8") as file:
            header = next(csv.reader([file.readline(1 << 16)]), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        return False
    return _CSV in ",".join(header) and header[-1:] == ["distance"]
