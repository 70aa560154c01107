"""The certificate as a plain record: made with the statement that its checker will write, saved and loaded."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from separatrix.atomic import replacing
from separatrix.checker import document as documents
from separatrix.checker.data import Labels, read_data
from separatrix.checker.document import (
    EXPANSION,
    FIELDS,
    FORMAT,
    TEXT_BYTES,
    VERSION,
    digest_of,
    json_pieces,
)
from separatrix.checker.numbers import Rejected
from separatrix.checker.statement import Claim, complete
from separatrix.problem.scaling import Scaling
from separatrix.proof.writing import write_scaling

_UNWRITTEN = {"known", "scaling"}  # fields of a source that only the maker of a certificate needs


class CertificateError(ValueError):
    """A document that is not a readable certificate, or whose content differs from its digest."""


@dataclass(frozen=True)
class Source:
    """The data a certificate speaks of: shape, type, SHA-256 of X and y, and which labels form the two sides.

    Rows whose label is on neither side take no part (one class against another among many), and neither do
    the rows in ``excluded`` (those of weight 0). A claim about all classes names them all as positive.
    """

    rows: int
    columns: int
    type: str  #: "float64" or "float32": what numbers in text are rounded to
    X: str
    y: str
    labels: str  #: "number" or "text"
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    excluded: tuple[int, ...] = ()
    known: Labels | None = field(default=None, repr=False, compare=False)  #: where a certificate is made
    scaling: Scaling | None = field(
        default=None, repr=False, compare=False
    )  #: likewise; it is in the problem

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        record = {name: value for name, value in self.__dict__.items() if name not in _UNWRITTEN}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in record.items()}

    @staticmethod
    def from_dict(record: Any) -> Source:
        """Read the JSON form as it is; what is wrong with it is found by a check."""
        names = set(Source.__dataclass_fields__) - _UNWRITTEN
        if not isinstance(record, dict) or set(record) != names:
            raise CertificateError(f"The field data must have exactly {', '.join(sorted(names))}.")
        values: dict[str, Any] = dict(record)
        values |= {name: tuple(each) for name, each in record.items() if isinstance(each, list)}
        return Source(**values)


@dataclass(frozen=True)
class Certificate:
    """A claim about data, and the numbers that prove it.

    ``problem`` and ``proof`` hold JSON values only (texts, integers, lists, dictionaries; never a JSON
    float), so that saving and loading cannot change them. Treat them as read-only.
    """

    kind: str
    claim: str
    data: Source
    problem: dict[str, Any]
    proof: dict[str, Any]

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"Certificate(kind={self.kind!r}, claim={self.claim!r})"

    @property
    def digest(self) -> str:
        """SHA-256 of everything else: JSON, ASCII, keys sorted, no spaces."""
        return digest_of(self.body())

    def body(self) -> dict[str, Any]:
        """The document without its digest."""
        values = FORMAT, VERSION, self.kind, self.claim, self.data.to_dict(), self.problem, self.proof
        return dict(zip(FIELDS, values, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """The whole document, digest included, as a copy: changing it changes no certificate."""
        body = deepcopy(self.body())
        return {**body, "digest": digest_of(body)}

    @staticmethod
    def from_dict(document: Any) -> Certificate:
        """Read a document. Raises `CertificateError` if it is malformed or differs from its digest."""
        try:
            record = documents.approve(document)
        except Rejected as rejection:
            raise CertificateError(str(rejection)) from None
        kind, claim, problem, proof = (record[name] for name in ("kind", "claim", "problem", "proof"))
        if not (isinstance(kind, str) and isinstance(claim, str)):
            raise CertificateError("The fields kind and claim must be texts.")
        if not (isinstance(problem, dict) and isinstance(proof, dict)):
            raise CertificateError("The fields problem and proof must be objects.")
        return Certificate(kind, claim, Source.from_dict(record["data"]), problem, proof)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON document, whole or not at all; compressed if the name ends in .gz."""
        with replacing(path) as file:
            if not str(path).endswith(".gz"):
                self._write(file)
                return
            # Level 6: a sixth of level 9's time, a twentieth more bytes.
            size = self._write_packed(file, 6)
            # Packed so well that a reader would refuse it, it is stored.
            if file.seekable() and size > max(TEXT_BYTES, EXPANSION * file.tell()):
                file.seek(0)
                file.truncate()
                self._write_packed(file, 0)

    def _write_packed(self, file: Any, level: int) -> int:
        """Write the document compressed; the same one gives the same bytes, so no name and no time."""
        with gzip.GzipFile("", "wb", level, file, mtime=0) as out:
            return self._write(out)

    def _write(self, out: Any) -> int:
        """Write the document; returns its size."""
        size = 0
        for piece in json_pieces(self.to_dict(), sort_keys=False):
            size += out.write(piece.encode("ascii"))
        return size + int(out.write(b"\n"))

    @staticmethod
    def load(path: str | os.PathLike[str], max_bytes: int | None = None) -> Certificate:
        """Read a document written by `save`. Nothing in it is executed; its text has a budget of bytes.

        The budget is 16 MiB, or 32 times the size of the file where that is more; ``max_bytes`` sets another.
        """
        try:
            return Certificate.from_dict(documents.load(path, max_bytes))
        except Rejected as rejection:
            raise CertificateError(str(rejection)) from None


@dataclass
class Shape:
    """A table of which only the shape is asked, as a statement does."""

    n_rows: int
    n_columns: int

    def rows(self) -> Any:
        """Raise, because there are none."""
        raise NotImplementedError


def make(
    kind: str,
    source: Source,
    problem: dict[str, Any],
    proof: dict[str, Any],
    sentence: Callable[[Claim], str],
) -> Certificate:
    """A certificate with its claim, whose first part is the sentence that the checker of its kind writes."""
    assert source.known is not None
    sides = list(source.positive), list(source.negative), list(source.excluded)
    shape = Shape(source.rows, source.columns)
    data = read_data(*sides, problem["classes"] != "two", shape, source.known)
    if source.scaling is not None:
        problem = {**problem, "scaling": write_scaling(source.scaling)}
    said = complete(sentence(Claim(kind, problem, proof, data)), data, scaled=source.scaling is not None)
    return Certificate(kind, said, source, problem, proof)
