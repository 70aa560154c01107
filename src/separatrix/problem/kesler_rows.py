"""Many classes as two: the rows of Kesler's construction.

    z = (0, .., xt, .., -xt, .., 0):   xt = (x, c) in the block of the row's own class, -xt in a rival's

Weights W of k classes classify every row of X correctly, strictly, if and only if the one long vector of all their
planes has a positive product with every z: a two-class problem through the origin, with n (k - 1) rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def kesler_rows(
    X: Any, codes: NDArray[Any], classes: int, constant: float
) -> tuple[sparse.csr_array, NDArray[np.int64]]:
    """The rows z as CSR and a label for each; every other z is negated and labelled -1, so both labels occur.

    The z of row i against its rivals, in increasing order, are rows (k - 1) i .. (k - 1) (i + 1) - 1.

    >>> Z, labels = kesler_rows(np.array([[2.0]]), np.array([0]), classes=3, constant=0.0)
    >>> Z.toarray(), labels
    (array([[ 2., -2.,  0.],
            [-2.,  0.,  2.]]), array([ 1, -1]))
    """
    n, width = X.shape[0], X.shape[1] + (1 if constant else 0)
    own = np.repeat(np.asarray(codes, dtype=np.int64), classes - 1)
    rivals = np.tile(np.arange(classes - 1), n)
    rivals += rivals >= own
    labels = 1 - 2 * (np.arange(n * (classes - 1)) % 2)
    rows: Any = sparse.csr_array(X).astype(np.float64)
    if constant:
        column: Any = np.full((n, 1), constant)
        rows = sparse.csr_array(sparse.hstack([rows, sparse.csr_array(column)], format="csr"))
    repeated = sparse.csr_array(rows[np.repeat(np.arange(n), classes - 1)])
    counts = np.diff(repeated.indptr)
    shift_own, shift_rival = np.repeat(own * width, counts), np.repeat(rivals * width, counts)
    signs = np.repeat(labels.astype(np.float64), counts)
    row_of = np.repeat(np.arange(len(labels)), counts)
    entries = np.concatenate([signs * repeated.data, -signs * repeated.data])
    columns = np.concatenate([repeated.indices + shift_own, repeated.indices + shift_rival])
    shape = (len(labels), classes * width)
    Z = sparse.csr_array((entries, (np.concatenate([row_of, row_of]), columns)), shape=shape)
    return Z, labels
