"""The format of a file, by its name and its first bytes."""

from __future__ import annotations

import re
from pathlib import PurePath

FORMATS = ("libsvm", "csv", "tsv", "parquet", "arrow", "npz", "idx", "store")

_SUFFIXES = {
    ".svm": "libsvm",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".npz": "npz",
}
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"PK\x03\x04": "npz"}
_ENTRY = re.compile(rb"(?:^|[ \t])(?:\d+|qid):[-+.\dnNiI]")


def guess_format(path: str, head: bytes) -> str:
    """The format of a file: binary formats by their first bytes, then the name, then the look of the text.

    >>> guess_format("iris.csv.gz", b"a,b\\n1,2\\n"), guess_format("-", b"+1 3:0.5\\n"), guess_format("x", b"1\\t2\\n")
    ('csv', 'libsvm', 'tsv')
    """
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    if (
        head[:2] == b"\0\0"
        and len(head) > 4
        and head[2] in (0x08, 0x09, 0x0B, 0x0C, 0x0D, 0x0E)
        and 1 <= head[3] <= 4
    ):
        return "idx"
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    while suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    if suffixes and suffixes[-1] in _SUFFIXES:
        return _SUFFIXES[suffixes[-1]]
    lines = [
        line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip() and line[:1] != b"#"
    ]
    first = lines[0] if lines else b""
    if _ENTRY.search(first):
        return "libsvm"
    if b"\t" in first:
        return "tsv"
    return "csv" if b"," in first else "libsvm"
