"""Where results are written: beside the data unless told otherwise, whole or not at all, and never over a stranger."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from separatrix.cli.errors import Refused

_PACKED = {".gz", ".bz2", ".xz", ".zst"}
_FORMATS = {".svm", ".libsvm", ".svmlight", ".txt", ".dat", ".csv", ".tsv", ".parquet", ".arrow", ".feather"}
_FORMATS |= {".npz", ".store", ".data"}


def stem(data: str) -> str:
    """The name of a data file without what tells its format and compression.

    >>> stem("folder/a9a.t.bz2"), stem("train.csv.gz"), stem("iris")
    ('a9a.t', 'train', 'iris')
    """
    name = Path(data).name or Path(data).resolve().name
    for known in (_PACKED, _FORMATS):
        base, suffix = os.path.splitext(name)
        if suffix.lower() in known and base:
            name = base
    return name


def beside(data: str, ending: str) -> Path:
    """The default place of a result: beside the data, under its name."""
    return Path(data).parent / f"{stem(data)}{ending}"


def claim(path: Path, is_ours: Callable[[Path], bool], force: bool, option: str) -> bool:
    """Make sure that a result may be written to ``path``; returns whether something of ours is replaced.

    A file that separatrix wrote is replaced, and the caller says so. Any other file is left alone.
    """
    folder = path.parent
    if not folder.is_dir():
        raise Refused(
            f"The folder {folder} does not exist.", f"make it, or choose another place with {option}"
        )
    if not os.access(folder, os.W_OK):
        raise Refused(f"The folder {folder} cannot be written to.", f"choose another place with {option}")
    if not path.exists():
        return False
    if not force and not is_ours(path):
        raise Refused(
            f"{path} exists and was not written by separatrix; it was left as it is.",
            f"choose another place with {option}, or overwrite it with --force",
        )
    return True


def is_certificate(path: Path) -> bool:
    """Whether a file is a certificate of ours, or a folder of nothing else."""
    from separatrix.proof.certificate import Certificate, CertificateError

    if path.is_dir():
        return all(is_certificate(file) for file in path.iterdir())
    try:
        Certificate.load(path)
    except CertificateError:
        return _begins_as_a_certificate(path)
    except OSError:
        return False
    return True


def _begins_as_a_certificate(path: Path) -> bool:
    """Whether a file that is no certificate of the present format was written as one of an earlier."""
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
