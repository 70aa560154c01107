"""The commands that check a certificate, written so that they can be pasted into a shell as they are."""

from __future__ import annotations

import shlex

#: Name of the file that the encoded rows are exported to, for a checker that reads text.
EXPORT = "rows.svm"


def check_commands(
    data: str,
    certificate: str | None,
    model: str | None = None,
    *,
    export: bool = False,
    several: int = 1,
) -> list[tuple[str, str]]:
    """Commands and what each does.

    ``model`` is the model file, which holds the certificates and how the table was read. The stand-alone checker reads
    numbers only: with ``export``, the rows are first written as it reads them. ``several`` is the number of
    certificates, of which ``certificate`` is one.

    >>> for command, _ in check_commands("my data.csv", "c.json", "m.safetensors", export=True): print(command)
    separatrix verify m.safetensors 'my data.csv'
    separatrix verify --exact m.safetensors 'my data.csv'
    separatrix convert 'my data.csv' rows.svm --like m.safetensors
    python -m separatrix.checker c.json rows.svm
    """
    out = []
    source = model or certificate
    if source is not None:
        target = f"{shlex.quote(source)} {shlex.quote(data)}"
        out += [
            (f"separatrix verify {target}", "Checks it, in exact arithmetic where that is quick"),
            (f"separatrix verify --exact {target}", "Checks it in exact arithmetic, however long that takes"),
        ]
    if certificate is None:
        return out
    rows = data
    if export and model is not None:
        rows = EXPORT
        out.append(
            (
                f"separatrix convert {shlex.quote(data)} {rows} --like {shlex.quote(model)}",
                "Writes the rows as the model reads them, in numbers, for the program below",
            )
        )
    words = "Checks it with Python's standard library alone, without the program that found it"
    if several > 1:
        words += f"; this is one of {several:,} certificates, the others are checked likewise"
    out.append((f"python -m separatrix.checker {shlex.quote(certificate)} {shlex.quote(rows)}", words))
    return out
