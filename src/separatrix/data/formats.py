"""The format of a file and its compression, by its name and its first bytes; and formats that are not read."""

from __future__ import annotations

import re
from pathlib import PurePath

from separatrix.checker.text import DataError
from separatrix.errors import with_hint

FORMATS = (
    "libsvm", "csv", "tsv", "jsonl", "excel", "arff", "parquet", "arrow", "npz", "npy", "idx", "store",
)  # fmt: skip

_SUFFIXES = {
    ".svm": "libsvm", ".libsvm": "libsvm", ".svmlight": "libsvm",
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl",
    ".xlsx": "excel", ".xlsm": "excel", ".xlsb": "excel", ".xls": "excel", ".ods": "excel",
    ".arff": "arff",
    ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
    ".npz": "npz", ".npy": "npy",
}  # fmt: skip
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"FEA1": "arrow",
    b"\x93NUMPY": "npy",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "excel",
}
_ENTRY = re.compile(rb"(?:^|[ \t])(?:\d+|qid):[-+.\dnNiI]")

_PANDAS = "save it as CSV or Parquet, in pandas with"
_PICKLE = (
    "a pickle",
    f"a pickle can run any program when it is opened, so it is not; {_PANDAS} DataFrame.to_parquet",
)
_R = ("an R data file", "save the table in R with write.csv(table, 'data.csv', row.names = FALSE)")
_ARCHIVE = ("an archive", "unpack it and give the file inside; .gz, .bz2, .xz and .zst are read as they are")
_PAGE = ("a web page", "save the table that it shows as CSV")
_PICTURE = ("a picture", "one row of numbers for each picture is needed: CSV, npz or IDX")
_DOCUMENT = ("a document", "save the table in it as CSV")
_STATA = ("a Stata file", f"{_PANDAS} read_stata(...).to_parquet")
_SPSS = ("an SPSS file", f"{_PANDAS} read_spss(...).to_parquet")
_SAS = ("a SAS file", f"{_PANDAS} read_sas(...).to_parquet")
_HDF = ("an HDF5 file", f"{_PANDAS} read_hdf(...).to_parquet, or its arrays X and y with numpy.savez")
_MATLAB = (
    "a MATLAB file",
    "save its arrays with numpy.savez('data.npz', X=..., y=...) after scipy.io.loadmat",
)
_SQLITE = ("a database", "save the table with: sqlite3 -header -csv FILE 'select * from TABLE' > data.csv")
_MODEL = ("a model", "give the data; MODEL and DATA are two files")
_CERTIFICATE = ("a certificate", "give the data that it is about")

#: Suffixes of files that are not read: what they are, and what to do.
_REFUSED = {
    ".pkl": _PICKLE, ".pickle": _PICKLE, ".joblib": _PICKLE, ".pt": _PICKLE, ".pth": _PICKLE,
    ".rds": _R, ".rda": _R, ".rdata": _R,
    ".zip": _ARCHIVE, ".tar": _ARCHIVE, ".tgz": _ARCHIVE, ".7z": _ARCHIVE, ".rar": _ARCHIVE,
    ".dta": _STATA, ".sav": _SPSS, ".zsav": _SPSS, ".por": _SPSS, ".sas7bdat": _SAS, ".xpt": _SAS,
    ".h5": _HDF, ".hdf5": _HDF, ".hdf": _HDF, ".mat": _MATLAB,
    ".db": _SQLITE, ".sqlite": _SQLITE, ".sqlite3": _SQLITE,
    ".html": _PAGE, ".htm": _PAGE, ".xml": ("XML", "save the table in it as CSV"),
    ".pdf": _DOCUMENT, ".docx": _DOCUMENT, ".doc": _DOCUMENT, ".odt": _DOCUMENT,
    ".png": _PICTURE, ".jpg": _PICTURE, ".jpeg": _PICTURE, ".gif": _PICTURE,
    ".orc": ("an ORC file", f"{_PANDAS} read_orc(...).to_parquet"),
    ".avro": ("an Avro file", "save it as Parquet or JSON lines"),
    ".safetensors": _MODEL, ".onnx": _MODEL,
}  # fmt: skip
_REFUSED_MAGIC = {
    b"SQLite format 3": _SQLITE, b"\x89HDF": _HDF, b"MATLAB 5.0": _MATLAB, b"$FL2": _SPSS, b"$FL3": _SPSS,
    b"<stata_dta>": _STATA, b"RDX2": _R, b"RDX3": _R, b"RDA3": _R, b"X\n\0\0\0": _R, b"7z\xbc\xaf": _ARCHIVE,
    b"Rar!": _ARCHIVE, b"%PDF": _DOCUMENT, b"\x89PNG": _PICTURE, b"\xff\xd8\xff": _PICTURE, b"GIF8": _PICTURE,
    b"ORC": ("an ORC file", f"{_PANDAS} read_orc(...).to_parquet"), b"Obj\x01": _REFUSED[".avro"],
    b'{"format":"separatrix-certificate"': _CERTIFICATE,
}  # fmt: skip


def compression_of(head: bytes) -> str | None:
    """Return the kind of compression that a file's first bytes tell.

    >>> compression_of(b"BZh91AY"), compression_of(b"+1 1:0.5")
    ('bz2', None)
    """
    return next((kind for magic, kind in _COMPRESSIONS.items() if head.startswith(magic)), None)


def guess_format(path: str, head: bytes) -> str:
    """Return the format of a file: binary formats by their first bytes, then by the name, then by the first lines.

    >>> guess_format("iris.csv.gz", b"a,b\\n1,2\\n"), guess_format("-", b"+1 3:0.5\\n"), guess_format("x", b"1\\t2\\n")
    ('csv', 'libsvm', 'tsv')
    """
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    while suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    _refuse(path, suffix, head)
    if head.startswith(b"PK\x03\x04"):
        return _zipped(path, suffix, head)
    if _is_idx(head):
        return "idx"
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    return _look_of_text(head)


def _is_idx(head: bytes) -> bool:
    known = (0x08, 0x09, 0x0B, 0x0C, 0x0D, 0x0E)
    return head[:2] == b"\0\0" and len(head) > 4 and head[2] in known and 1 <= head[3] <= 4


def _zipped(path: str, suffix: str, head: bytes) -> str:
    """npz, Excel and OpenDocument files are archives; any other is refused."""
    if suffix in (".npz", *(each for each, kind in _SUFFIXES.items() if kind == "excel")):
        return _SUFFIXES[suffix]
    if b".npy" in head[:200]:
        return "npz"
    if b"[Content_Types].xml" in head or b"xl/" in head or b"spreadsheet" in head[:200]:
        return "excel"
    raise _refused(path, _ARCHIVE)


def _refuse(path: str, suffix: str, head: bytes) -> None:
    """Raise what a file is and what to do with it, if it is of a format that is not read."""
    for magic, what in _REFUSED_MAGIC.items():
        if head.startswith(magic):
            raise _refused(path, what)
    start = head[:512].lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        raise _refused(path, _PAGE)
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        raise _refused(path, _PICKLE)
    if head[257:262] == b"ustar":
        raise _refused(path, _ARCHIVE)
    if suffix in _REFUSED:
        raise _refused(path, _REFUSED[suffix])


def _refused(path: str, what: tuple[str, str]) -> DataError:
    name, hint = what
    return with_hint(DataError, f"{path} is {name}, which is not read.", hint)


def _look_of_text(head: bytes) -> str:
    lines = [
        line.strip()
        for line in head.removeprefix(b"\xef\xbb\xbf").splitlines()
        if line.strip() and line[:1] != b"#"
    ]
    first = lines[0] if lines else b""
    if any(_ENTRY.search(line) for line in lines[:20]):
        return "libsvm"
    if first.startswith((b"{", b"[{")) or first == b"[":
        return "jsonl"
    if any(line.lower().startswith((b"@relation", b"@attribute")) for line in lines[:50]):
        return "arff"
    if b"\t" in first:
        return "tsv"
    if any(mark in first for mark in (b",", b";", b"|")) or head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "csv"
    blanks = [len(line.split()) for line in lines[:20]]
    return "csv" if blanks and min(blanks) > 1 else "libsvm"
