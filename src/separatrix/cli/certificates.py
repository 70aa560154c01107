"""Certificates on disk: one file for one problem, a folder of them for many."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from separatrix.cli.errors import Refused

if TYPE_CHECKING:
    from separatrix.proof.certificate import Certificate

SUFFIXES = (".json", ".json.gz")


def save(certificates: Mapping[str, Certificate], path: Path) -> list[Path]:
    """Write one certificate to ``path``, or several into the folder ``path``, each under its problem's name."""
    if len(certificates) == 1:
        next(iter(certificates.values())).save(path)
        return [path]
    path.mkdir(parents=True, exist_ok=True)
    files = []
    for place, (name, certificate) in enumerate(certificates.items(), 1):
        file = path / f"{place:03d}-{safe_name(name)}.json.gz"
        certificate.save(file)
        files.append(file)
    return files


def of_model(model: Any) -> dict[str, Certificate]:
    """The certificates of a fitted model by the names of their problems.

    Raises ValueError with the reason where it has none: a perceptron that was stopped, most kernels.
    """
    found = model.certificate_
    named = found if isinstance(found, dict) else {"": found}
    return {_problem_name(key): proof for key, proof in named.items()}


def _problem_name(key: Any) -> str:
    return f"{key[0]} against {key[1]}" if isinstance(key, tuple) else f"{key} against the rest"


def safe_name(name: str) -> str:
    """A name as part of a file's name.

    >>> safe_name("'>50K' against the rest")
    '50K-against-the-rest'
    """
    return re.sub(r"[^A-Za-z0-9.+-]+", "-", name).strip("-")[:60] or "problem"


def find(path: str) -> list[Path]:
    """The certificate files that a path means: itself, or those in the folder."""
    place = Path(path)
    if not place.is_dir():
        return [place]
    files = sorted(file for file in place.iterdir() if file.name.endswith(SUFFIXES))
    if not files:
        raise Refused(
            f"The folder {path} holds no certificates.", f"they are files that end in {' or '.join(SUFFIXES)}"
        )
    return files


def load(path: Path, max_bytes: int | None = None) -> Any:
    """The certificate in a file, or the sentence why it is none."""
    from separatrix.proof.certificate import Certificate, CertificateError

    try:
        return Certificate.load(path, max_bytes)
    except CertificateError as error:
        return str(error)
