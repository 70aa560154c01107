"""A^T Theta A for sparse rows: the products of each row's entries, laid out once, summed for any weights.

    M_jk = sum_i theta_i a_ij a_ik

Row i has k_i (k_i + 1) / 2 products a_ij a_ik with j >= k. Stored as a sparse matrix P (n, D^2), they make M
the product P^T theta: a scatter of all pairs, much less than D^2 n where rows have few entries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.types import Vector


def pair_count(indptr: NDArray[np.integer]) -> int:
    """How many products the rows of a CSR matrix have."""
    lengths = np.diff(indptr).astype(np.int64)
    return int(np.sum(lengths * (lengths + 1) // 2))


class PairProducts:
    """P for a CSR matrix with sorted indices.

    >>> A = sparse.csr_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> PairProducts(A).weighted(np.array([1.0, 10.0]))
    array([[ 1.,  0.],
           [ 2., 94.]])
    """

    def __init__(self, A: sparse.csr_array) -> None:
        self.columns = int(A.shape[1])
        wide = max(pair_count(A.indptr), self.columns**2) > np.iinfo(np.int32).max
        index: Any = np.int64 if wide else np.int32
        lengths = np.diff(A.indptr)
        starts = np.repeat(A.indptr[:-1], lengths).astype(index)
        # Entry p of a row pairs with the entries from the start of its row up to itself.
        partners = np.arange(1, A.nnz + 1, dtype=index) - starts
        ends = np.cumsum(partners, dtype=index)
        first = np.repeat(np.arange(A.nnz, dtype=index), partners)
        second = np.arange(len(first), dtype=index)
        second -= np.repeat(ends - partners - starts, partners)
        columns = A.indices.astype(index, copy=False)
        codes = (columns * self.columns)[first]
        codes += columns[second]
        values = A.data[first]
        values *= A.data[second]
        offsets = np.concatenate([np.zeros(1, index), ends])[A.indptr]
        self._P = sparse.csr_array((values, codes, offsets), shape=(A.shape[0], self.columns**2))

    def weighted(self, theta: Vector) -> NDArray[np.float64]:
        """M, lower triangle, shape (D, D)."""
        M: NDArray[np.float64] = (self._P.T @ theta).reshape(self.columns, self.columns)
        return M
