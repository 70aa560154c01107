"""Model files for the command line: written with the names of the columns, recognised before they are replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from separatrix.cli.errors import Refused
from separatrix.cli.inputs import Table


def save_model(model: Any, path: Path, table: Table) -> None:
    """Write a fitted model with what is needed to read the next file as this one was read."""
    from separatrix.models.file import save

    save(model, path, columns=table.columns, encoding=table.encoding)


def load_model(path: str, certificates: bool = True) -> Any:
    """The model in a file, or a sentence why there is none."""
    from separatrix.models.file import load

    if not Path(path).exists():
        raise Refused(
            f"There is no model file {path}.",
            "separatrix fit DATA writes DATA's name with .model.safetensors",
        )
    return load(path, certificates=certificates)


def is_model(path: Path) -> bool:
    """Whether a file is a model of ours."""
    from safetensors import SafetensorError, safe_open

    from separatrix.models.tensors import FORMAT

    try:
        with safe_open(path, framework="numpy") as file:
            return FORMAT in (file.metadata() or {})
    except (SafetensorError, OSError):
        return False
