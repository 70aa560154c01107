"""separatrix predict: the class of each row, one a line on stdout."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix.cli.inputs import (
    TABLE_DEFAULTS,
    DataFile,
    Json,
    Quiet,
    TableOptions,
    kernel_matrix,
    read_rows,
    reads_tables,
)
from separatrix.cli.output import ExitCode, Output, accuracy, percent, plain, say, to_stdout

_AT_ONCE = 1 << 14  # rows written at a time


@reads_tables
def predict(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model that separatrix fit saved.", show_default=False)
    ],
    data: DataFile,
    out: Annotated[
        str | None,
        typer.Argument(metavar="[OUT]", help="Where the classes go; else stdout.", show_default=False),
    ] = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="After each class its decision values, separated by tabs.")
    ] = False,
    tables: TableOptions = TABLE_DEFAULTS,
    force: Annotated[bool, typer.Option("--force", help="Overwrite OUT if it exists.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Predict the class of each row of a file: one a line on stdout, the accuracy on stderr.

    MODEL and DATA may be given in svm-predict's order as well.

    \b
    Examples:
      separatrix predict data.model.safetensors new.svm
      separatrix predict data.model.safetensors new.svm classes.txt
      separatrix predict data.model.safetensors new.svm --scores --json
    """
    from separatrix.atomic import replacing
    from separatrix.cli.files import claim, is_model, load_model

    output = Output(as_json, quiet)
    if is_model(Path(data)) and not is_model(Path(model)):
        model, data = data, model
    if out is not None:
        claim(Path(out), lambda path: False, force, "another name for OUT")
    fitted = load_model(model, certificates=False)
    table = read_rows(data, tables.settings(quiet).like(fitted))
    if fitted.kernel == "precomputed":
        table = kernel_matrix(table)
    if table.left_out:
        output.note(
            f"{table.left_out:,} entries of {data} are of columns or categories that the model has not seen."
        )
    classes = fitted.predict(table.X)
    values = fitted.decision_function(table.X) if scores else None
    found = None if table.y is None else accuracy(classes, table.y)
    if as_json:
        record: dict[str, Any] = {
            "model": model,
            "data": table.record(),
            "accuracy": found,
            "classes": plain(classes),
        }
        output.answer("predict", record | ({} if values is None else {"scores": plain(values)}), [])
        return ExitCode.DONE
    if out is None:
        to_stdout(lines(classes, values))
    else:
        with replacing(out) as file:
            file.writelines(line.encode("utf-8") for line in lines(classes, values))
    if found is not None and not quiet:
        say(
            "note",
            f"{found['correct']:,} of {found['rows']:,} rows are predicted as labelled: {percent(found['accuracy'])}.",
        )
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
