"""Outcomes with more than two classes as signed rows: multinomial (Kesler) and ordinal.

    joint      f_m(x) = w_m.x + b_m, f_0 = 0;  row i of class c against each other class m:  f_c(x_i) - f_m(x_i)
    ordinal    thresholds t_0 < t_1 < ..;  row i of class c:  t_c - w.x_i, unless c is the last class, and
               w.x_i - t_(c-1), unless it is the first

A direction of recession of the log-likelihood is a vector whose product with none of these rows is negative. The
ordinal rows are those of every model with one w: cumulative links (Agresti, Analysis of Ordinal Categorical Data,
2010, chapters 3 and 5), adjacent categories and continuation ratios. The latter two compare a row with more
thresholds than its own two, but every class has a row, so t_0 <= t_1 <= .. along each such direction, and the further
comparisons follow. An offset adds a constant to w.x_i, which changes no direction of recession; nor does a positive
weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.memory import require_memory
from separatrix.problem import is_sparse
from separatrix.problem.kesler_rows import kesler_rows
from separatrix.proof.signed_rows import SignedRows
from separatrix.types import Index

Kind = Literal["two", "joint", "ordinal"]
#: Entries up to which the rows of many classes are written as a dense array.
_DENSE_ENTRIES = 1 << 22


@dataclass(frozen=True, eq=False)
class Question:
    """Signed rows, the coefficients that are their columns, and where both come from.

    ``order`` lists the columns as aliases are sought: intercepts and thresholds first. ``plain`` are the rows of X
    with the bias whose dependent columns are aliased; ``blocks[c]`` are the columns of the question that column c of
    ``plain`` stands for, with a sign where the bias is a threshold.
    """

    kind: Kind
    rows: SignedRows
    plain: SignedRows
    owners: Index  #: row of X (among those that take part) behind each signed row
    rivals: Index | None  #: class against which it is compared; None for two sides
    names: tuple[str, ...]  #: of the columns of the signed rows
    order: Index
    blocks: tuple[tuple[int, ...], ...]

    @property
    def separator(self) -> str:
        """The words for a point that separates the classes."""
        kinds = {"two": "a hyperplane has", "joint": "linear functions, one for each class, have"}
        return kinds.get(self.kind, "a linear function with thresholds has")

    def shaped(self, z: NDArray[Any]) -> tuple[NDArray[Any], Any]:
        """Split numbers for the columns of the signed rows into (w, b) as `Separability` has them."""
        d = self.plain.d
        if self.kind == "ordinal":
            return z[:d], z[d:]
        if self.kind == "two":
            zero, *_ = (0 * z[:1]).tolist()  # a float or a fraction
            return z[:d], z[d:].tolist()[0] if self.rows.bias else zero
        table = z.reshape(-1, self.plain.D)
        table = np.vstack([0 * table[:1], table])
        return table[:, :d], table[:, d] if self.plain.bias else 0 * table[:, 0]

    def columns_written(self) -> list[int]:
        """Numbers that a certificate gives to the columns of the signed rows."""
        if self.kind != "joint":
            return list(range(self.rows.D))
        d, width = self.plain.d, self.plain.D
        k = self.rows.D // width + 1
        return [(k * d + m) if j == d else m * d + j for m in range(1, k) for j in range(width)]

    def places_written(self, index: Index, row_numbers: Index, classes: int) -> list[int]:
        """Numbers that a certificate gives to some of the signed rows; ``row_numbers`` are those of their rows of X."""
        if self.rivals is None:
            return [int(row) for row in row_numbers]
        return [int(place) for place in row_numbers * classes + self.rivals[index]]

    def lifted(self, vector: dict[int, int]) -> list[dict[int, int]]:
        """Null vectors of the signed rows from a null vector {column: entry} of the plain rows."""
        if self.kind == "ordinal":  # x.v + t = 0 for every row: all thresholds move by -t
            return [{c: -a if j == self.plain.d else a for j, a in vector.items() for c in self.blocks[j]}]
        count = len(self.blocks[0])
        return [{self.blocks[j][m]: a for j, a in vector.items()} for m in range(count)]


def two_sides_question(rows: SignedRows, columns: tuple[str, ...]) -> Question:
    """Two classes: a_i = y_i (x_i, 1)."""
    names = (*columns, "(intercept)") if rows.bias else columns
    order = np.r_[rows.d, 0 : rows.d] if rows.bias else np.arange(rows.d)
    blocks = tuple((j,) for j in range(rows.D))
    return Question("two", rows, rows, np.arange(rows.n), None, names, order, blocks)


def joint_question(
    X: Any, codes: NDArray[np.intp], labels: tuple[Any, ...], bias: bool, columns: tuple[str, ...]
) -> Question:
    """All classes at once, against the first: columns are those of class 1 with its intercept, of class 2, ..."""
    n, d, k = X.shape[0], X.shape[1], len(labels)
    width = d + int(bias)
    own = np.repeat(codes, k - 1)
    owners = np.repeat(np.arange(n), k - 1)
    rivals = np.tile(np.arange(k - 1), n)
    rivals += rivals >= own
    shape = n * (k - 1), (k - 1) * width
    signs = np.ones(shape[0])
    if not is_sparse(X) and shape[0] * shape[1] <= _DENSE_ENTRIES:
        points = _with_ones(X, bias)[owners]
        blocks = np.zeros((shape[0], k - 1, width))
        for classes, sign in ((own, 1.0), (rivals, -1.0)):
            used = np.flatnonzero(classes > 0)
            blocks[used, classes[used] - 1] = sign * points[used]
        matrix: Any = blocks.reshape(shape)
    else:
        entries = X.nnz if is_sparse(X) else X.size
        require_memory(60.0 * 2 * (k - 1) * (entries + n), f"The rows of {k} classes at once")
        Z, alternating = kesler_rows(X, codes, k, 1.0 if bias else 0.0)
        matrix, signs = sparse.csr_array(Z[:, width:]), alternating.astype(np.float64)
        matrix.sum_duplicates()
    own_columns = (*columns, "(intercept)") if bias else columns
    names = tuple(f"{label}: {name}" for label in labels[1:] for name in own_columns)
    starts = width * np.arange(k - 1)
    listed = [*(starts + d), *(s + j for s in starts for j in range(d))] if bias else range(shape[1])
    order = np.array(listed, dtype=np.intp)
    blocks_of = tuple(tuple(int(s) + j for s in starts) for j in range(width))
    rows, plain = SignedRows(matrix, signs, False), SignedRows(X, np.ones(n), bias)
    return Question("joint", rows, plain, owners, rivals, names, order, blocks_of)


def ordinal_question(
    X: Any, codes: NDArray[np.intp], labels: tuple[Any, ...], columns: tuple[str, ...]
) -> Question:
    """Ordered classes: columns are those of X, then the thresholds between neighbouring classes."""
    n, d, k = X.shape[0], X.shape[1], len(labels)
    below, above = np.flatnonzero(codes < k - 1), np.flatnonzero(codes > 0)
    owners = np.r_[below, above]
    signs = np.r_[-np.ones(len(below)), np.ones(len(above))]
    cuts = np.r_[codes[below], codes[above] - 1]
    rivals = np.r_[codes[below] + 1, codes[above] - 1]
    if is_sparse(X):
        ones = sparse.csr_array((np.ones(len(cuts)), (np.arange(len(cuts)), cuts)), shape=(len(cuts), k - 1))
        matrix: Any = sparse.csr_array(sparse.hstack([X[owners].astype(np.float64), -ones], format="csr"))
        matrix.sum_duplicates()
    else:
        require_memory(3.0 * 8 * len(owners) * (d + k - 1), "The rows of ordered classes")
        matrix = np.zeros((len(owners), d + k - 1))
        matrix[:, :d] = X[owners]
        matrix[np.arange(len(owners)), d + cuts] = -1.0
    thresholds = tuple(f"{labels[m]}|{labels[m + 1]}" for m in range(k - 1))
    order, blocks = np.r_[d : d + k - 1, 0:d], (*((j,) for j in range(d)), tuple(range(d, d + k - 1)))
    rows, plain = SignedRows(matrix, signs, False), SignedRows(X, np.ones(n), True)
    return Question("ordinal", rows, plain, owners, rivals, (*columns, *thresholds), order, blocks)


def _with_ones(X: Any, bias: bool) -> NDArray[np.float64]:
    out = np.ones((X.shape[0], X.shape[1] + int(bias)))
    out[:, : X.shape[1]] = X
    return out
