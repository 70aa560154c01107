"""The rows a_i = y_i (x_i, 1) of a problem, or of some of them, as a second-order solver reads them.

    margins  A z = y (X w + b)          pull  A^T c = sum_i c_i y_i (x_i, 1)          normal  A^T Theta A

Few rows are copied once into the form that is fastest to multiply: a dense float64 array or, where entries
are few, CSR. Many are read from the data block by block and widened there, so that the extra memory is bounded; so are
rows that are dense float64 already, and all rows that are to be left in place. Products with such rows are the compiled
core's, which widens them in registers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from separatrix import _core
from separatrix.problem import Problem, is_mapped, row_blocks, rows_between, scores, weighted_sum
from separatrix.solvers.compiled import compiled_rows
from separatrix.solvers.interior_point.tuning import RowTuning
from separatrix.solvers.loop.deadline import look_at_the_clock
from separatrix.threads import large_product, thread_limit
from separatrix.types import Vector

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
_TUNING = RowTuning()


class SignedRows:
    """A (n, D), y (n,), R (D,): D = d without a bias, d + 1 with one. ``in_place``: no row is ever copied."""

    def __init__(
        self,
        problem: Problem,
        rows: Rows | None = None,
        *,
        in_place: bool = False,
        tuning: RowTuning = _TUNING,
    ) -> None:
        self.tuning = tuning
        self.d = problem.n_columns
        self.has_bias, self.free_bias = problem.bias != "none", problem.bias == "free"
        self.D = self.d + self.has_bias
        self.R = np.ones(self.D)
        if self.free_bias:
            self.R[-1] = 0.0
        self.y = problem.y if rows is None else problem.y[rows]
        self.n = len(self.y)
        self._X: Any = problem.X if rows is None else problem.X[rows]  # as given, without signs or bias
        self.entries = int(self._X.nnz if sparse.issparse(self._X) else self._X.size)
        self._A: Any = None  # dense or CSR; None where rows are read from the data
        self._pairs: PairProducts | None = None
        self._view = compiled_rows(self._X)
        height = max(1, min(self.n, tuning.block_bytes // (8 * self.D)))
        self.scratch = np.empty((height, self.D))
        if not in_place:
            self._copy(tuning.copied_bytes)
        # Products of NumPy's with A, block by block, of the core's with rows in memory.
        self._compiled = self._view if self._A is None and not is_mapped(problem.X) else None
        # If the core makes the normal matrix: its rows, and whether they lack the column of the bias.
        self._short: tuple[_core.Rows, bool] | None = None
        if tuning.few_columns >= self.D and isinstance(self._A, np.ndarray):
            self._short = compiled_rows(self._A), False
        elif tuning.few_columns >= self.D and self._compiled is not None and isinstance(self._X, np.ndarray):
            self._short = self._compiled, self.has_bias

    def _copy(self, allowed: int) -> None:
        """A in the form that is fastest to multiply, if that takes no more bytes than are allowed."""
        if isinstance(self._X, np.ndarray):
            if 8 * self.n * self.D <= allowed and self._X.dtype != np.float64:
                self._A = self._dense(self._X)
        elif 12 * pair_count(self._X.indptr) <= allowed and self._has_few_pairs():
            self._A = self._signed_csr(self._X)
            self._pairs = PairProducts(self._A)
        elif 8 * self.n * self.D <= allowed:
            self._A = self._dense(self._X)

    def _has_few_pairs(self) -> bool:
        pairs = pair_count(self._X.indptr) + self.n * self.has_bias
        return self.tuning.pair_cost * pairs <= self.n * self.D**2 and self.n > self.D

    def _dense(self, X: Any) -> Array:
        A = np.empty((X.shape[0], self.D))
        for span, block in row_blocks(X):
            A[span, : self.d] = block if isinstance(block, np.ndarray) else block.toarray()
        A[:, self.d :] = 1.0
        A *= self.y[:, None]
        return A

    def _signed_csr(self, X: Any) -> Any:
        A = X.astype(np.float64)
        if not A.has_sorted_indices:
            A.sort_indices()
        if self.has_bias:
            A = sparse.hstack([A, sparse.csr_array(np.ones((self.n, 1)))], format="csr")
        A.data *= np.repeat(self.y, np.diff(A.indptr))
        return A

    @property
    def spans(self) -> list[slice]:
        """All rows, some at a time: what is computed for each of them is then in the cache, not in memory."""
        size = self.tuning.span
        return [slice(begin, min(self.n, begin + size)) for begin in range(0, self.n, size)]

    def margins(self, z: Vector, span: slice | None = None) -> Vector:
        """A z, shape (n,), or of the rows in a span."""
        span = slice(0, self.n) if span is None else span
        if self._A is not None:
            product: Vector = rows_between(self._A, span.start, span.stop) @ z
            return product
        if self._compiled is not None:
            f = np.empty(span.stop - span.start)
            self._compiled.scores(z[: self.d], f, begin=span.start)
        else:
            f = scores(rows_between(self._X, span.start, span.stop), z[: self.d])
        if self.has_bias:
            f += z[-1]
        f *= self.y[span]
        return f

    def pull(self, c: Vector, span: slice | None = None) -> Vector:
        """A^T c, shape (D,), over all rows or over those in a span, with as many coefficients."""
        span = slice(0, self.n) if span is None else span
        if self._A is not None:
            return weighted_sum(rows_between(self._A, span.start, span.stop), c)
        yc = self.y[span] * c
        if self._compiled is not None:
            v = np.empty(self.d)
            self._compiled.weighted_sum(yc, v, begin=span.start)
        else:
            v = weighted_sum(rows_between(self._X, span.start, span.stop), yc)
        return np.append(v, np.sum(yc)) if self.has_bias else v

    def take(self, rows: Rows) -> Array:
        """Some rows of A as a dense array."""
        if isinstance(self._A, np.ndarray):
            return self._A[rows]
        X = self._X[rows]
        A = np.empty((len(rows), self.D))
        A[:, : self.d] = X if isinstance(X, np.ndarray) else X.toarray()
        A[:, self.d :] = 1.0
        A *= self.y[rows, None]
        return A

    def normal_matrix(self, theta: Vector) -> Array:
        """R + A^T Theta A, lower triangle, Fortran order, shape (D, D)."""
        if self._pairs is not None:
            M = np.asfortranarray(self._pairs.weighted(theta))
        elif self._short is not None:
            M = np.zeros((self.D, self.D), order="F")
            short, ones = self._short
            for begin in range(0, self.n, self.tuning.span):
                look_at_the_clock()
                some = theta[begin : begin + self.tuning.span]
                short.add_normal_matrix(some, M, ones=ones, n_threads=thread_limit(), begin=begin)
        else:
            M = np.zeros((self.D, self.D), order="F")
            for begin in range(0, self.n, len(self.scratch)):
                look_at_the_clock()
                span = slice(begin, min(self.n, begin + len(self.scratch)))
                block = self._scaled(span, np.sqrt(theta[span]))
                with large_product(0.5 * block.size * self.D):
                    M = linalg.blas.dsyrk(1.0, block.T, beta=1.0, c=M, overwrite_c=1, lower=1)
        M[np.diag_indices(self.D)] += self.R
        return M

    def move_normal_matrix(self, M: Array, C: Vector, slack: Vector, active: NDArray[np.bool_]) -> Array:
        """R + 2 A_I^T C_I A_I, lower triangle, for the rows I of ``slack`` > 0, from M, the same for ``active``.

        Only the rows that crossed are read. M may be changed, ``active`` is.
        """
        if self._short is not None:
            short, ones = self._short
            for begin in range(0, self.n, self.tuning.span):
                look_at_the_clock()
                span = slice(begin, begin + self.tuning.span)
                short.move_normal_matrix(
                    C[span], slack[span], active[span], M, ones=ones, n_threads=thread_limit(), begin=begin
                )
            return M
        on, height = slack > 0, len(self.scratch)
        for sign, crossed in ((1.0, on & ~active), (-1.0, active & ~on)):
            index = np.flatnonzero(crossed)
            root = np.sqrt(2.0 * C[index])
            for begin in range(0, len(index), height):
                look_at_the_clock()
                span = slice(begin, begin + height)
                block = self._scaled(index[span], root[span])
                with large_product(0.5 * block.size * self.D):
                    M = linalg.blas.dsyrk(sign, block.T, beta=1.0, c=M, overwrite_c=1, lower=1)
        active[:] = on
        return M

    def squared_hinge(self, z: Vector, C: Vector, slack: Vector) -> tuple[float, float, Vector]:
        """The sums of C_i max(0, s_i)^2 and of alpha_i = 2 C_i max(0, s_i), and A^T alpha; s = 1 - A z is written."""
        loss, total, v = 0.0, 0.0, np.zeros(self.D)
        for begin in range(0, self.n, self.tuning.span):
            look_at_the_clock()
            span = slice(begin, begin + self.tuning.span)
            some = self._view.squared_hinge(
                self.y[span],
                C[span],
                z,
                slack[span],
                v,
                ones=self.has_bias,
                n_threads=thread_limit(),
                begin=begin,
            )
            loss, total = loss + some[0], total + some[1]
        return loss, total, v

    def _scaled(self, rows: slice | Rows, factors: Vector) -> Array:
        """Some rows of A, at most as many as ``scratch`` holds, up to their signs; row i times factor i."""
        block, by = self.scratch[: len(factors)], factors[:, None]
        if isinstance(self._A, np.ndarray):
            np.multiply(self._A[rows], by, out=block)
            return block
        X = rows_between(self._X, rows.start, rows.stop) if isinstance(rows, slice) else self._X[rows]
        np.multiply(X if isinstance(X, np.ndarray) else X.toarray(), by, out=block[:, : self.d])
        block[:, self.d :] = by
        return block

    def gram(self) -> Array:
        """Q = A_w A_w^T, with the column of the bias unless it is free; shape (n, n), both triangles."""
        if isinstance(self._A, np.ndarray):
            part = self._A[:, : self.d] if self.free_bias else self._A
            with large_product(0.5 * self.n * part.size):
                return np.asarray(part @ part.T, order="F")
        Q = np.zeros((self.n, self.n), order="F")
        if sparse.issparse(self._X):
            for span, block in row_blocks(self._X):
                Q[:, span] = (self._X @ block.T).toarray()
        else:
            width = max(1, self.tuning.copied_bytes // (8 * self.n))
            for begin in range(0, self.d, width):
                part = np.asarray(self._X[:, begin : begin + width], dtype=np.float64, order="F")
                with large_product(0.5 * self.n * part.size):
                    Q = linalg.blas.dsyrk(1.0, part, beta=1.0, c=Q, overwrite_c=1, lower=1)
            Q += np.tril(Q, -1).T
        if self.has_bias and not self.free_bias:
            Q += 1.0
        Q *= self.y[:, None] * self.y
        return Q


def pair_count(indptr: NDArray[np.integer]) -> int:
    """Number of products that the rows of a CSR matrix have."""
    lengths = np.diff(indptr).astype(np.int64)
    return int(np.sum(lengths * (lengths + 1) // 2))


class PairProducts:
    """A^T Theta A for sparse rows: M_jk = sum_i theta_i a_ij a_ik, from products a_ij a_ik laid out once.

    Row i has k_i (k_i + 1) / 2 products with j >= k. Stored as a sparse matrix P (n, D^2), they make M the product
    P^T theta: a scatter of all pairs, much less than D^2 n where rows have few entries. ``A`` is CSR, indices sorted.

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
