"""The certificate as a plain record, and its JSON document.

A document has the fields format, version, kind, claim, data, problem, proof and digest. The digest is the
SHA-256 of the rest in canonical form: it catches accidents. The mathematics, redone by every check, is what
stands against lies. docs/certificate-format.md describes each field.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from separatrix.atomic import replacing
from separatrix.checker.canonical import json_pieces
from separatrix.checker.codec import read_count, read_indices, read_word, read_words
from separatrix.checker.verdict import CertificateError, Rejected

FORMAT = "separatrix-certificate"
VERSION = 1
#: Largest document that `Certificate.load` reads, after decompression, unless told otherwise.
MAX_BYTES = 1 << 29
_PART = 1 << 20


@dataclass(frozen=True)
class Source:
    """The data a certificate speaks of: shape, SHA-256 of X and y, and which labels form the two sides.

    Rows whose label is on neither side take no part (one class against another among many), and neither do
    the rows in ``excluded`` (those of weight 0).
    """

    rows: int
    columns: int
    X: str
    y: str
    labels: str  #: "number" or "text"
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    excluded: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        record = dict(self.__dict__)
        for name in ("positive", "negative", "excluded"):
            record[name] = list(record[name])
        return record

    @staticmethod
    def from_dict(record: Any) -> Source:
        """Read the JSON form; raises `Rejected` where it is malformed."""
        names = {"rows", "columns", "X", "y", "labels", "positive", "negative", "excluded"}
        if not isinstance(record, dict) or set(record) != names:
            raise Rejected(f"The field data must have exactly {', '.join(sorted(names))}.")
        for name in ("X", "y"):
            digest = record[name]
            if not (isinstance(digest, str) and len(digest) == 64 and set(digest) <= set("0123456789abcdef")):
                raise Rejected(f"The fingerprint of {name} must be 64 lower-case hexadecimal digits.")
        rows = read_count(record["rows"], "data.rows")
        return Source(
            rows=rows,
            columns=read_count(record["columns"], "data.columns"),
            X=record["X"],
            y=record["y"],
            labels=read_word(record["labels"], "data.labels", ("number", "text")),
            positive=read_words(record["positive"], "data.positive"),
            negative=read_words(record["negative"], "data.negative"),
            excluded=read_indices(record["excluded"], "data.excluded", rows),
        )


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
        """SHA-256 of the canonical body: JSON, ASCII, keys sorted, no spaces."""
        return _digest(self._body())

    def _body(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "kind": self.kind,
            "claim": self.claim,
            "data": self.data.to_dict(),
            "problem": self.problem,
            "proof": self.proof,
        }

    def to_dict(self) -> dict[str, Any]:
        """The whole document, digest included."""
        body = self._body()
        return {**body, "digest": _digest(body)}

    @staticmethod
    def from_dict(document: Any) -> Certificate:
        """Read a document. Raises `CertificateError` if it is malformed or differs from its digest."""
        names = {"format", "version", "kind", "claim", "data", "problem", "proof", "digest"}
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise CertificateError(f"Not a certificate: the field format must be {FORMAT!r}.")
        if document.get("version") != VERSION or isinstance(document.get("version"), bool):
            raise CertificateError(
                f"This reader knows version {VERSION} of the format; the certificate has version "
                f"{document.get('version')!r}."
            )
        if set(document) != names:
            raise CertificateError(f"A certificate must have exactly the fields {', '.join(sorted(names))}.")
        body = {name: document[name] for name in names - {"digest"}}
        try:
            digest = _digest(body)
        except (TypeError, ValueError, RecursionError):
            raise CertificateError("The certificate holds something that is not plain JSON.") from None
        if document["digest"] != digest:
            raise CertificateError("The certificate was changed: its content differs from its digest.")
        kind, claim, problem, proof = (document[name] for name in ("kind", "claim", "problem", "proof"))
        if not (isinstance(kind, str) and isinstance(claim, str)):
            raise CertificateError("The fields kind and claim must be texts.")
        if not (isinstance(problem, dict) and isinstance(proof, dict)):
            raise CertificateError("The fields problem and proof must be objects.")
        try:
            source = Source.from_dict(document["data"])
        except Rejected as rejection:
            raise CertificateError(str(rejection)) from None
        return Certificate(kind, claim, source, problem, proof)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON document, whole or not at all; compressed if the name ends in .gz."""
        with replacing(path) as file, ExitStack() as stack:
            out: Any = file
            if str(path).endswith(".gz"):
                # The same certificate gives the same bytes, so no name and no time. Level 6: a sixth of level 9's
                # time, a twentieth more bytes.
                out = stack.enter_context(gzip.GzipFile("", "wb", 6, file, mtime=0))
            for piece in json_pieces(self.to_dict(), sort_keys=False):
                out.write(piece.encode("ascii"))
            out.write(b"\n")

    @staticmethod
    def load(path: str | os.PathLike[str], max_bytes: int = MAX_BYTES) -> Certificate:
        """Read a document written by `save`. Nothing in it is executed; at most ``max_bytes`` are read."""
        with open(path, "rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            file: Any = gzip.GzipFile(fileobj=raw) if packed else raw
            parts, left = list[bytes](), max_bytes + 1
            try:
                # Not at once: a reader takes memory for as much as it is asked for.
                while left > 0 and (part := file.read(min(left, _PART))):
                    parts.append(part)
                    left -= len(part)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise CertificateError(f"The compressed certificate cannot be read: {error}.") from None
        if left == 0:
            raise CertificateError(f"The certificate is larger than the limit of {max_bytes} bytes.")
        try:
            document = json.loads(
                _text(parts),
                object_pairs_hook=_unique_names,
                parse_float=_no_float,
                parse_constant=_no_float,
            )
        except CertificateError:
            raise
        except (ValueError, RecursionError) as error:
            raise CertificateError(f"The certificate is not a JSON document: {error}.") from None
        return Certificate.from_dict(document)


def _text(parts: list[bytes]) -> str:
    """The text of a document; the parts are gone afterwards, because its numbers will take their place."""
    content = b"".join(parts)
    parts.clear()
    return content.decode("utf-8")


def _digest(body: dict[str, Any]) -> str:
    total = hashlib.sha256()
    for piece in json_pieces(body):
        total.update(piece.encode("ascii"))
    return total.hexdigest()


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise CertificateError("The certificate names a field twice.")
    return record


def _no_float(text: str) -> float:
    raise CertificateError(f"Numbers in a certificate are hexadecimal texts or integers; got {text[:40]}.")
