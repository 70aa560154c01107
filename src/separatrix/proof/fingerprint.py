"""SHA-256 of X and y from arrays, block by block, and labels of any type as the texts that are hashed.

The byte layout and the texts are in `separatrix.checker.fingerprint`.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import singledispatch
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker import data
from separatrix.checker.fingerprint import BLOCK_ROWS, X_HEADER, is_sparse_block, label_header, number_text
from separatrix.checker.numbers import Rejected
from separatrix.problem import is_sparse
from separatrix.problem.scaling import Scaling
from separatrix.proof.certificate import Source

_PIECE = 1 << 18  # dense entries widened at a time: the copy stays in the cache


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """The identity of the data, computed once and shared by all certificates about them."""

    rows: int
    columns: int
    type: str  #: of the numbers, "float64" or "float32"
    X: str
    y: str
    labels: Labels
    scaling: Scaling | None = None  #: of the columns, before the problem was posed

    def sides(self, positive: Iterable[Any], negative: Iterable[Any]) -> NDArray[np.int8]:
        """+1, -1 or 0 (takes no part) for each row."""
        plus, minus = set(map(label_text, positive)), set(map(label_text, negative))
        by_class = [(label in plus) - (label in minus) for label in self.labels.classes]
        return np.array(by_class, dtype=np.int8)[self.labels.codes]

    def source(self, positive: Any, negative: Any, excluded: Iterable[int] = ()) -> Source:
        """The data as a certificate names them: labels (as in y) of the two sides, rows that take no part."""
        return Source(
            rows=self.rows,
            columns=self.columns,
            type=self.type,
            X=self.X,
            y=self.y,
            labels=self.labels.kind,
            positive=tuple(map(label_text, positive)),
            negative=tuple(map(label_text, negative)),
            excluded=tuple(map(int, excluded)),
            known=self.labels.plain(),
            scaling=self.scaling,
        )


def fingerprint(X: Any, y: Any) -> Fingerprint:
    """The fingerprint of rows X (n, d), dense or CSR, and labels y (n,).

    >>> from scipy import sparse
    >>> one = fingerprint(np.array([[1.0, 0.0]]), ["a"])
    >>> two = fingerprint(sparse.csr_array(np.array([[1.0, -0.0]], dtype=np.float32)), ["a"])
    >>> one.X == two.X, one.y == two.y
    (True, True)
    """
    labels = read_labels(y)
    kind = "float32" if X.dtype == np.float32 else "float64"
    return Fingerprint(X.shape[0], X.shape[1], kind, fingerprint_rows(X), fingerprint_labels(labels), labels)


def fingerprint_labels(labels: Labels) -> str:
    """The digest of y."""
    total = hashlib.sha256(label_header(labels.kind, labels.classes, len(labels.codes)))
    total.update(_buffer(labels.codes, "<u4"))
    return total.hexdigest()


@singledispatch
def fingerprint_rows(X: Any) -> str:
    """The digest of X (n, d): a dense array, or CSR (canonical or not)."""
    return join_digests(X.shape[0], X.shape[1], block_digests(X))


def block_digests(X: Any) -> Iterator[bytes]:
    """The digest of every 4096 rows of X, the last block shorter."""
    return _sparse_blocks(X) if is_sparse(X) else _dense_blocks(np.asarray(X))


def join_digests(n: int, d: int, digests: Iterable[bytes]) -> str:
    """The digest of X (n, d) from those of its blocks of 4096 rows, in order."""
    if d >= 1 << 32:
        raise ValueError(f"A certificate can name fewer than 2^32 columns; got {d}.")
    total = hashlib.sha256(X_HEADER + struct.pack("<QQ", n, d))
    for digest in digests:
        total.update(digest)
    return total.hexdigest()


def _dense_blocks(X: NDArray[Any]) -> Iterator[bytes]:
    d = X.shape[1]
    for start in range(0, X.shape[0], BLOCK_ROWS):
        block = X[start : start + BLOCK_ROWS]
        if is_sparse_block(len(block), d, int(np.count_nonzero(block))):
            rows, columns = np.nonzero(block)
            counts = np.bincount(rows, minlength=len(block))
            yield _sparse_digest(counts, columns, block[rows, columns])
        else:
            yield _dense_digest(block)


def _dense_digest(block: NDArray[Any]) -> bytes:
    digest = hashlib.sha256(b"D")
    height = max(1, _PIECE // max(1, block.shape[1]))
    for start in range(0, len(block), height):
        # Adding zero turns -0.0 into 0.0 and is exact otherwise.
        digest.update(_buffer(np.add(block[start : start + height], 0.0, dtype=np.float64, order="C"), "<f8"))
    return digest.digest()


def _sparse_blocks(X: Any) -> Iterator[bytes]:
    X = X.tocsr()
    for start in range(0, X.shape[0], BLOCK_ROWS):
        stop = min(X.shape[0], start + BLOCK_ROWS)
        begin, end = X.indptr[start], X.indptr[stop]
        columns, values = X.indices[begin:end], X.data[begin:end]
        counts = np.diff(X.indptr[start : stop + 1])
        if not X.has_canonical_format or not np.all(values):
            block = X[start:stop].copy()
            block.sum_duplicates()
            block.eliminate_zeros()
            columns, values, counts = block.indices, block.data, np.diff(block.indptr)
        if is_sparse_block(stop - start, X.shape[1], len(values)):
            yield _sparse_digest(counts, columns, values)
        else:
            yield _dense_digest(X[start:stop].toarray())


def _sparse_digest(counts: NDArray[Any], columns: NDArray[Any], values: NDArray[Any]) -> bytes:
    digest = hashlib.sha256(b"S")
    for part, kind in ((counts, "<u4"), (columns, "<u4"), (values, "<f8")):
        for start in range(0, len(part), _PIECE):
            digest.update(_buffer(part[start : start + _PIECE], kind))
    return digest.digest()


def _buffer(array: NDArray[Any], kind: str) -> Any:
    return np.ascontiguousarray(array, dtype=kind).view(np.uint8).data


@dataclass(frozen=True, eq=False)
class Labels:
    """Distinct label texts in order of first appearance, and each row's position among them (n,)."""

    kind: str  #: "number" or "text"
    classes: list[str]
    codes: NDArray[np.uint32]

    def plain(self) -> data.Labels:
        """The same for the checker."""
        return data.Labels(self.kind, self.classes, self.codes.tolist())


def read_labels(y: Any) -> Labels:
    """The labels of y, shape (n,): numbers, booleans or texts.

    >>> labels = read_labels(np.array([1.0, -1.0, 1.0]))
    >>> labels.kind, labels.classes, labels.codes.tolist()
    ('number', ['1', '-1'], [0, 1, 0])
    """
    if np.ma.isMaskedArray(y):
        raise Rejected("y is a masked array; a proof speaks of all labels.")
    # NumPy would make texts of numbers in a list with texts, and round integers in a list with floats.
    array = np.asarray(y) if hasattr(y, "dtype") else np.asarray(y, dtype=object)
    if array.dtype.kind not in "biufUSTO":
        raise ValueError(f"Labels must be numbers or texts; got {array.dtype}.")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"y must have one dimension; got shape {array.shape}.")
    if array.dtype == object:
        return _from_objects(array)
    values, codes = np.unique(array, return_inverse=True)
    codes = codes.reshape(-1)
    # np.unique sorts; the fingerprint wants the order of first appearance, which needs no rule for sorting.
    first = np.full(len(values), len(codes), dtype=np.intp)
    np.minimum.at(first, codes, np.arange(len(codes)))
    order = np.argsort(first)
    place = np.empty(len(values), dtype=np.uint32)
    place[order] = np.arange(len(values), dtype=np.uint32)
    items = values[order].tolist()
    kind = "text" if items and isinstance(items[0], str | bytes) else "number"
    return Labels(kind, list(map(label_text, items)), place[codes])


def label_text(label: Any) -> str:
    """The text of one label.

    >>> label_text(np.int64(3)), label_text("setosa"), label_text(0.5)
    ('3', 'setosa', '0x1.0000000000000p-1')
    """
    item = label.item() if isinstance(label, np.generic) else label
    if isinstance(item, str):
        return item
    if isinstance(item, bytes):
        return item.decode("utf-8")
    if isinstance(item, Integral):
        return number_text(int(item))
    if isinstance(item, Real):
        number = float(item)
        if number == item or not math.isfinite(number):  # the latter is refused below with its own sentence
            return number_text(number)
    raise ValueError(f"Labels must be numbers that float64 holds, or texts; got {label!r}.")


def _from_objects(array: NDArray[Any]) -> Labels:
    texts = list(map(label_text, array.tolist()))
    kinds = {"text" if isinstance(label, str | bytes) else "number" for label in array.tolist()}
    if len(kinds) > 1:
        raise ValueError("Labels must be all numbers or all texts; got both.")
    position: dict[str, int] = {}
    codes = np.array([position.setdefault(text, len(position)) for text in texts], dtype=np.uint32)
    return Labels(kinds.pop() if kinds else "number", list(position), codes)
