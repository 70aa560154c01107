"""The commands by which anybody checks a model that is in a file, for the answer of `fit` and for the report."""

from __future__ import annotations

import re
from pathlib import Path

from separatrix.cli.files import find_certificates, stem
from separatrix.cli.inputs import Table
from separatrix.report.commands import check_commands

#: Formats that the stand-alone checker reads as they are.
_PLAIN = ("libsvm",)
#: Labels that LIBSVM text can hold.
_WORD = re.compile(r"[^\s#:]+")


def commands_for(model: str, table: Table, certificate: Path | None = None) -> list[tuple[str, str]]:
    """Commands and what each does, for a model file and the table that it was fitted to.

    ``certificate`` is where the proof was written; None looks beside the model, under its name.
    """
    found = certificate_beside(model) if certificate is None else certificate
    several = find_certificates(str(found)) if found is not None else []
    return check_commands(
        table.file,
        str(several[0]) if several else None,
        model,
        export=None if table.format in _PLAIN else _export_name(table),
        several=len(several),
    )


def _export_name(table: Table) -> str:
    """A file for the encoded rows, in the folder of whoever checks: LIBSVM text, or CSV where a label has spaces."""
    import numpy as np

    words = all(_WORD.fullmatch(str(label)) for label in np.unique(table.y).tolist())
    return f"{stem(table.file)}.rows{'.svm' if words else '.csv'}"


def certificate_beside(model: str) -> Path | None:
    """The certificate, or the folder of them, that `separatrix fit` wrote beside a model; None where there is none."""
    path = Path(model)
    name = path.name.removesuffix(".safetensors").removesuffix(".model")
    places = (path.parent / f"{name}.certificate.json.gz", path.parent / f"{name}.certificates")
    return next((place for place in places if place.exists()), None)
