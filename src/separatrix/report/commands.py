"""The commands that check a certificate, written so that they can be pasted into a shell as they are."""

from __future__ import annotations

import shlex


def check_commands(
    data: str,
    certificate: str | None,
    model: str | None = None,
    *,
    export: str | None = None,
    several: int = 1,
) -> list[tuple[str, str]]:
    """Commands and what each does.

    ``model`` is the model file, which holds the certificates and how the table was read. The stand-alone checker reads
    numbers only: the rows are first written to the file ``export``, if that is named, as it reads them. ``several`` is
    the number of certificates, of which ``certificate`` is one.

    >>> for command, _ in check_commands("my data.csv", "c.json", "m.safetensors", export="rows.svm"): print(command)
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
    if export is not None and model is not None:
        rows = export
        out.append(
            (
                f"separatrix convert {shlex.quote(data)} {shlex.quote(rows)} --like {shlex.quote(model)}",
                "Writes the rows as the model reads them, in numbers, for the program below",
            )
        )
    words = "Checks it with Python's standard library alone, without the program that found it"
    if several > 1:
        words += f"; this is one of {several:,} certificates, the others are checked likewise"
    out.append((f"python -m separatrix.checker {shlex.quote(certificate)} {shlex.quote(rows)}", words))
    return out
