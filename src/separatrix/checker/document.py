"""Certificates as documents: JSON within budgets, a digest against accidents (docs/certificate-format.md, section 1).

A mistake in here can make a checker refuse too much or read something else than was written; it cannot make a check of
what was read succeed that should not.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterator
from typing import Any

from separatrix.checker.numbers import Rejected, fields, shown

FORMAT, VERSION = "separatrix-certificate", 2
FIELDS = ("format", "version", "kind", "claim", "data", "problem", "proof")
TEXT_BYTES = 1 << 24  #: a text of this size is read in any case,
EXPANSION = 32  #: and a larger one if it is at most so many times its file
_PARTS = (
    10_000  # lists, objects and fields: a genuine document has some dozens, a crafted one gigabytes of them
)
_PIECE = 1 << 20  # bytes read at a time
_LIST_PIECE = 1 << 14  # items of a list that are written at a time


def load(path: str | os.PathLike[str], max_bytes: int | None = None) -> dict[str, Any]:
    """Read a document, plain or compressed; ``max_bytes`` replaces the budget of the text."""
    limit = max(TEXT_BYTES, EXPANSION * os.path.getsize(path)) if max_bytes is None else max_bytes
    with open(path, "rb") as file:
        parts, left = list[bytes](), limit + 1
        while left > 0 and (
            part := file.read(min(left, _PIECE))
        ):  # memory is taken for as much as is asked for
            parts.append(part)
            left -= len(part)
    content = b"".join(parts)
    parts.clear()
    if content.startswith(b"\x1f\x8b"):
        unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            content = unpacking.decompress(content, limit + 1)
        except zlib.error as error:
            raise Rejected(f"The compressed certificate cannot be read: {error}.") from None
        if len(content) <= limit and (not unpacking.eof or unpacking.unused_data):
            raise Rejected("The compressed certificate has no end, or something behind it.")
    if len(content) > limit:
        raise Rejected(
            f"The certificate is larger than the budget of {limit} bytes; max_bytes (--max-bytes) sets another."
        )
    return parse(content)


def parse(content: bytes) -> dict[str, Any]:
    """The document in these bytes, once its form and its digest are found right."""
    if sum(map(content.count, (b"[", b"{", b":"))) > _PARTS:
        raise Rejected(f"A certificate has at most {_PARTS} lists, objects and fields.")
    try:
        document = json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_int=_small,
            parse_float=_small,
            parse_constant=_small,
        )
        if b"\\ud" in content.lower():  # an escape that may be half a character
            json.dumps(document, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise Rejected(f"The certificate is not a JSON document: {error}.") from None
    return approve(document)


def approve(document: Any) -> dict[str, Any]:
    """The document itself, once its outer form and its digest are found right."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise Rejected(f"Not a certificate: the field format must be {FORMAT!r}.")
    version = document.get("version")
    if version != VERSION or type(version) is not int:
        raise Rejected(
            f"This checker knows version {VERSION} of the format; the certificate has version {shown(version)}. A "
            "new one is made by fitting again, or by: separatrix audit MODEL DATA --certificate FILE"
        )
    *body, digest = fields(document, "certificate", *FIELDS, "digest")
    try:
        right = digest == digest_of(dict(zip(FIELDS, body, strict=True)))
    except (TypeError, ValueError, RecursionError):
        raise Rejected("The certificate holds something that is not plain JSON.") from None
    if not right:
        raise Rejected("The certificate was changed: its content differs from its digest.")
    return document


def digest_of(body: dict[str, Any]) -> str:
    """SHA-256 of a document without its digest, in the canonical form of section 1."""
    total = hashlib.sha256()
    for piece in json_pieces(body):
        total.update(piece.encode("ascii"))
    return total.hexdigest()


def json_pieces(value: Any, sort_keys: bool = True) -> Iterator[str]:
    """Texts that make up the JSON of ``value``, so that a long list is never a second time in memory as one text.

    >>> "".join(json_pieces({"b": [1, "x"], "a": None}))
    '{"a":null,"b":[1,"x"]}'
    """
    if isinstance(value, dict):
        mark = "{"
        for name in sorted(value) if sort_keys else value:
            yield f"{mark}{json.dumps(name)}:"
            yield from json_pieces(value[name], sort_keys)
            mark = ","
        yield "{}" if mark == "{" else "}"
    elif isinstance(value, list) and len(value) > _LIST_PIECE:
        for start in range(0, len(value), _LIST_PIECE):
            yield ("," if start else "[") + _dumps(value[start : start + _LIST_PIECE], sort_keys)[1:-1]
        yield "]"
    else:
        yield _dumps(value, sort_keys)


def _dumps(value: Any, sort_keys: bool) -> str:
    return json.dumps(value, sort_keys=sort_keys, separators=(",", ":"), allow_nan=False)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise Rejected("The certificate names a field twice.")
    return record


def _small(token: str) -> int:
    if not (token.isascii() and token.isdigit() and len(token) <= 16) or int(token) >= 1 << 53:
        raise Rejected(f"A number in a certificate is an integer from 0 to 2^53 - 1; got {token[:40]}.")
    return int(token)
