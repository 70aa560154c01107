"""Rows that no model was trained on: a count of errors for the mechanisms, and checks of their parameters."""

from __future__ import annotations

import hashlib
import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.errors import ParameterError, with_hint
from separatrix.proof.fingerprint import fingerprint
from separatrix.validation.ledger import AnyLedger, Entry, Ledger, open_ledger


class BudgetSpentError(RuntimeError):
    """Every look that these held-out data were meant for has been taken."""


class HeldOut:
    """Rows X (n, d) and labels y (n,) that no model was trained on.

    >>> rows = HeldOut(np.eye(2), ["a", "b"])
    >>> rows.errors(["a", "a"])[0]
    1
    """

    def __init__(self, X: Any, y: Any) -> None:
        self.X, self.y = X, np.asarray(y)
        if self.y.ndim != 1 or not len(self.y):
            raise ValueError(f"y must hold one label for each row; got an array of shape {self.y.shape}.")
        self.n = len(self.y)
        self.digest = _fingerprint(X, self.y)  #: SHA-256 of X and y

    def open_ledger(self, ledger: AnyLedger, mechanism: str, rules: Entry) -> Ledger:
        """Open the ledger of the looks at these rows: a path, a `Ledger`, or None for one in memory."""
        header = {"mechanism": mechanism, "rows": self.n, "data": self.digest, **rules}
        return open_ledger(ledger, header)

    def errors(self, model: Any) -> tuple[int, str]:
        """Number of rows that the model gets wrong, and the SHA-256 of its predictions.

        ``model`` is anything with ``predict``, or the predictions (n,) themselves.
        """
        wrong, digest = self.wrong(model)
        return int(np.count_nonzero(wrong)), digest

    def wrong(self, model: Any) -> tuple[NDArray[np.bool_], str]:
        """Rows that the model gets wrong, as a mask (n,), and the SHA-256 of its predictions."""
        predictions = np.asarray(
            model.predict(self.X) if callable(getattr(model, "predict", None)) else model
        )
        if predictions.shape != self.y.shape:
            raise ValueError(
                f"A look needs one prediction for each of the {self.n} held-out rows; got an array of shape "
                f"{predictions.shape}."
            )
        if self.y.dtype.kind in "biuf" and predictions.dtype.kind in "biuf":
            content = np.ascontiguousarray(predictions, dtype=np.float64).tobytes()
        else:
            content = "\n".join(map(repr, predictions.tolist())).encode()
        return np.asarray(predictions != self.y, dtype=bool), hashlib.sha256(content).hexdigest()


def _fingerprint(X: Any, y: NDArray[Any]) -> str:
    """One SHA-256 for X and y together; rows that are not numbers are taken by their text."""
    rows: Any = X if sparse.issparse(X) else np.asarray(X)
    if rows.shape[:1] != y.shape:
        raise ValueError(f"X has {rows.shape[0] if rows.ndim else 0} rows and y has {len(y)} labels.")
    if sparse.issparse(rows) or (rows.ndim == 2 and rows.dtype.kind in "biuf"):
        parts = fingerprint(rows, y)
        return hashlib.sha256(f"{parts.X} {parts.y}".encode()).hexdigest()
    return hashlib.sha256(repr((rows.tolist(), y.tolist())).encode()).hexdigest()


def check_confidence(confidence: float) -> float:
    """The confidence as a float strictly between 0 and 1."""
    if not 0.0 < confidence < 1.0:
        raise ParameterError(f"confidence must be a number between 0 and 1; got {confidence!r}.")
    return float(confidence)


def check_count(name: str, value: Any, least: int = 1) -> int:
    """A whole number of at least ``least``."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}; got {value!r}.")
    return int(value)


class Grid:
    """Counts of errors 0..n rounded to multiples of ``step``, and the counts that an answer leaves open.

    >>> grid = Grid(100, 10)
    >>> grid.cell(14), grid.counts(1), grid.size
    (1, (5, 14), 11)
    """

    def __init__(self, n: int, step: int) -> None:
        self.n, self.step = n, step
        self.size: int = (2 * n + step) // (2 * step) + 1  #: number of different answers

    @staticmethod
    def of(n: int, resolution: float | None) -> Grid:
        """The grid of a resolution, a share of the n rows; None: about sqrt(n) / 2 rows.

        Rounding by half of the error that chance makes anyway costs little, and every answer then says less.
        """
        if resolution is None:
            return Grid(n, max(1, round(0.5 * math.sqrt(n))))
        if not 0.0 <= resolution <= 0.5:
            raise ParameterError(f"resolution must be between 0 (exact) and 0.5; got {resolution!r}.")
        return Grid(n, max(1, round(resolution * n)))

    def cell(self, count: int) -> int:
        """The answer for a count."""
        return (2 * count + self.step) // (2 * self.step)

    def counts(self, cell: int) -> tuple[int, int]:
        """The fewest and the most errors with this answer."""
        middle = 2 * self.step * cell
        fewest, most = (middle - self.step + 1) // 2, (middle + self.step + 1) // 2 - 1
        return max(0, fewest), min(self.n, most)

    def rate(self, cell: int) -> float:
        """The answer as an error rate."""
        return min(self.n, cell * self.step) / self.n


def check_unseen(model: Any, X: Any, training: Any = None) -> None:
    """Raise a sentence if rows of X are known to have been trained on.

    An `SVC` keeps its support vectors, and a row equal to one of them is refused. Training rows that are no support
    vectors leave no trace in the model: pass ``training=X_train`` and every row is compared.

    >>> import separatrix as sx
    >>> model = sx.SVC().fit([[0.0], [1.0]], [0, 1])
    >>> check_unseen(model, [[0.5]])
    >>> check_unseen(model, [[1.0]])
    Traceback (most recent call last):
    ...
    ValueError: 1 of 1 rows (first: row 0) are support vectors of the model, so it was trained on them. ...
    """
    known, what = training, "are among the training rows"
    if known is None:
        known, what = _support_vectors(model), "are support vectors of the model, so it was trained on them"
    if known is None:
        return
    scaling = getattr(model, "scaling_", None)
    if training is None and scaling is not None:  # and so are the support vectors
        X = scaling.apply(X if sparse.issparse(X) else np.asarray(X, dtype=np.float64))
    seen = set(_row_hashes(known))
    rows = _row_hashes(X)
    hits = [place for place, digest in enumerate(rows) if digest in seen]
    if hits:
        raise with_hint(
            ValueError,
            f"{len(hits)} of {len(rows)} rows (first: row {hits[0]}) {what}. Scores of training rows flatter the "
            "model; calibrate on data that it has not seen.",
            "rows that are merely equal by chance, as in data "
            "of few values, may be let through with allow_equal_rows=True",
        )


def _support_vectors(model: Any) -> Any:
    try:
        vectors = model.support_vectors_
    except (AttributeError, ValueError):
        return None
    return vectors if getattr(vectors, "shape", (0, 0))[1] else None


def _row_hashes(X: Any) -> list[bytes]:
    """One digest for each row, of its values as float64; the same for dense and sparse, float32 and float64."""
    rows: Any = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    csr = sparse.csr_array(rows, copy=True)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    columns, values = csr.indices.astype(np.int64), csr.data.astype(np.float64)
    return [
        hashlib.blake2b(columns[a:b].tobytes() + values[a:b].tobytes(), digest_size=16).digest()
        for a, b in pairwise(csr.indptr.tolist())
    ]
