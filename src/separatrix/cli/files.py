"""Files that commands write: models and certificates, beside the data, whole or not at all, never over a stranger."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from separatrix.cli.inputs import Table
from separatrix.cli.output import CommandError, Output

if TYPE_CHECKING:
    from separatrix.proof.certificate import Certificate

_PACKED = {".gz", ".bz2", ".xz", ".zst"}
_FORMATS = {".svm", ".libsvm", ".svmlight", ".txt", ".dat", ".csv", ".tsv", ".parquet", ".arrow", ".feather"}
_FORMATS |= {
    ".npz",
    ".npy",
    ".store",
    ".data",
    ".jsonl",
    ".ndjson",
    ".json",
    ".arff",
    ".xlsx",
    ".xls",
    ".ods",
}
_CERTIFICATES = (".json", ".json.gz")


def stem(data: str) -> str:
    """Return the name of a data file without what tells its format and compression.

    >>> stem("folder/a9a.t.bz2"), stem("train.csv.gz"), stem("iris"), stem("-")
    ('a9a.t', 'train', 'iris', 'standard-input')
    """
    if data == "-":
        return "standard-input"
    name = Path(data).name or Path(data).resolve().name
    for known in (_PACKED, _FORMATS):
        base, suffix = os.path.splitext(name)
        if suffix.lower() in known and base:
            name = base
    return name


def beside(data: str, ending: str) -> Path:
    """Return the default place of a result: beside the data, under its name."""
    return Path(data).parent / f"{stem(data)}{ending}"


def claim(path: Path, is_ours: Callable[[Path], bool], force: bool, option: str) -> bool:
    """Make sure that a result may be written to ``path``; returns whether something of ours is replaced.

    A file that separatrix wrote is replaced, and the caller says so. Any other file is left alone.
    """
    folder = path.parent
    if not folder.is_dir():
        raise CommandError(
            f"The folder {folder} does not exist.", f"make it, or choose another place with {option}"
        )
    if not os.access(folder, os.W_OK):
        raise CommandError(
            f"The folder {folder} cannot be written to.", f"choose another place with {option}"
        )
    if not path.exists():
        return False
    if not force and not is_ours(path):
        raise CommandError(
            f"{path} exists and was not written by separatrix; it was left as it is.",
            f"choose another place with {option}, or overwrite it with --force",
        )
    return True


def claim_certificate(path: str | None, force: bool, output: Output) -> Path | None:
    """Return the place that ``--certificate`` names, where a certificate may be written; None where it names none."""
    if path is None:
        return None
    place = Path(path)
    if claim(place, is_certificate, force, "--certificate"):
        output.note(f"The certificate {place} is replaced.")
    return place


def save_model(model: Any, path: Path, table: Table) -> None:
    """Write a fitted model with what is needed to read the next file as this one was read."""
    from separatrix.models.file import save

    save(model, path, columns=table.columns, encoding=table.encoding)


def load_model(path: str, certificates: bool = True) -> Any:
    """Return the model in a file, or say in a sentence why there is none."""
    from separatrix.models.file import load

    if not Path(path).exists():
        raise CommandError(
            f"There is no model file {path}.",
            "separatrix fit DATA writes DATA's name with .model.safetensors",
        )
    return load(path, certificates=certificates)


def can_predict(path: Path) -> bool:
    """Tell whether a file is a model of ours, or a model text of LIBSVM or LIBLINEAR."""
    from separatrix.models.libsvm_models import TEXT_BEGINS

    try:
        with path.open("rb") as file:
            return file.read(16).startswith(TEXT_BEGINS) or is_model(path)
    except OSError:
        return False


def is_model(path: Path) -> bool:
    """Tell whether a file is a model of ours."""
    from safetensors import SafetensorError, safe_open

    from separatrix.models.tensors import FORMAT

    try:
        with safe_open(path, framework="numpy") as file:
            return FORMAT in (file.metadata() or {})
    except (SafetensorError, OSError):
        return False


def save_certificates(certificates: Mapping[str, Certificate], path: Path) -> None:
    """Write one certificate to ``path``, or several into the folder ``path``, each under its problem's name."""
    if len(certificates) == 1:
        next(iter(certificates.values())).save(path)
        return
    path.mkdir(parents=True, exist_ok=True)
    for place, (name, certificate) in enumerate(certificates.items(), 1):
        certificate.save(path / f"{place:03d}-{safe_name(name)}.json.gz")


def certificates_of(model: Any) -> dict[str, Certificate]:
    """Return the certificates of a fitted model by the names of their problems.

    Raises ValueError with the reason where it has none: a perceptron that was stopped, most kernels.
    """
    found = model.certificate_
    named = found if isinstance(found, dict) else {"": found}
    return {_problem_name(key): proof for key, proof in named.items()}


def _problem_name(key: Any) -> str:
    return f"{key[0]} against {key[1]}" if isinstance(key, tuple) else f"{key} against the rest"


def safe_name(name: str) -> str:
    """Return a name as part of a file's name.

    >>> safe_name("'>50K' against the rest")
    '50K-against-the-rest'
    """
    return re.sub(r"[^A-Za-z0-9.+-]+", "-", name).strip("-")[:60] or "problem"


def find_certificates(path: str) -> list[Path]:
    """Return the certificate files that a path means: itself, or those in the folder."""
    place = Path(path)
    if not place.is_dir():
        return [place]
    files = sorted(file for file in place.iterdir() if file.name.endswith(_CERTIFICATES))
    if not files:
        raise CommandError(
            f"The folder {path} holds no certificates.",
            f"they are files that end in {' or '.join(_CERTIFICATES)}",
        )
    return files


def load_certificate(path: Path, max_bytes: int | None = None) -> Certificate | str:
    """Return the certificate in a file, or the sentence why it is none."""
    from separatrix.proof.certificate import Certificate, CertificateError

    try:
        return Certificate.load(path, max_bytes)
    except CertificateError as error:
        return str(error)


def is_certificate(path: Path) -> bool:
    """Tell whether a file is a certificate of ours, or a folder of nothing else."""
    if path.is_dir():
        return all(is_certificate(file) for file in path.iterdir())
    try:
        return not isinstance(load_certificate(path), str) or _begins_as_a_certificate(path)
    except OSError:
        return False


def _begins_as_a_certificate(path: Path) -> bool:
    """Tell whether a file that is no certificate of the present format was written as one of an earlier."""
    import gzip
    import zlib

    begin = b'{"format":"separatrix-certificate","version":1,'
    try:
        with open(path, "rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            return (gzip.GzipFile(fileobj=raw) if packed else raw).read(len(begin)) == begin
    except (OSError, EOFError, zlib.error):
        return False
