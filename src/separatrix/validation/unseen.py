"""Calibration must not see training rows: what a fitted model still knows of them is compared.

An `SVC` keeps its support vectors, and a calibration row equal to one of them is refused. Training rows that are no
support vectors leave no trace in the model: pass ``training=X_train`` and every row is compared.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.errors import with_hint


def check_unseen(model: Any, X: Any, training: Any = None) -> None:
    """Raise a sentence if rows of X are known to have been trained on.

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
    is_sparse = bool(sparse.issparse(X))
    digests = []
    if is_sparse:
        csr = sparse.csr_array(X)
        csr.sum_duplicates()
        csr.eliminate_zeros()
        for start, stop in zip(csr.indptr[:-1], csr.indptr[1:], strict=True):
            digests.append(_digest(csr.indices[start:stop], csr.data[start:stop]))
        return digests
    dense = np.asarray(X, dtype=np.float64)
    for row in dense:
        columns = np.flatnonzero(row)
        digests.append(_digest(columns, row[columns]))
    return digests


def _digest(columns: Any, values: Any) -> bytes:
    content = np.asarray(columns, dtype=np.int64).tobytes() + np.asarray(values, dtype=np.float64).tobytes()
    return hashlib.blake2b(content, digest_size=16).digest()
