"""A partition on a worker: loading it, checking it, and describing it to the client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.problem.conversion import canonical_csr, check_finite, contiguous
from separatrix.types import Matrix, Vector

#: Distinct labels, and each row's place among them.
Labels = tuple[NDArray[Any], NDArray[np.uint32]]


def given_partition(X: Any, y: Any, weight: Any) -> tuple[Any, Any, Any]:
    """(X, y or None, weights or None) together, so that one worker has them."""
    return X, y, weight


def read_partition(path: str, with_labels: bool, weight: Any) -> tuple[Any, Any, Any]:
    """Read a file's rows and, if wanted, its labels."""
    from separatrix.data.read import read  # readers of tables are slow to load, and optional

    data = read(path)
    if with_labels and data.y is None:
        raise ValueError(f"{path} holds no labels; give y.")
    return data.X, data.y if with_labels else None, weight


@dataclass(frozen=True, eq=False)
class Description:
    """Sizes, labels and weights of a worker's partitions, for the client."""

    rows: list[int]  #: of each partition
    columns: int
    names: list[str] | None  #: of the columns, where the partitions are data frames
    labels: list[Labels] | None
    weights: list[Vector] | None
    entries: int  #: stored entries of X
    square: float  #: sum of their squares
    bytes: int
    dtype: np.dtype[Any]  #: holds the numbers of every partition


def describe(
    parts: list[Matrix], names: list[str] | None, labels: list[Labels] | None, weights: list[Vector] | None
) -> Description:
    """Describe some partitions, with their labels and weights."""
    values = [X.data if sparse.issparse(X) else X.ravel() for X in parts]
    return Description(
        rows=[int(X.shape[0]) for X in parts],
        columns=int(parts[0].shape[1]),
        names=names,
        labels=labels,
        weights=weights,
        entries=sum(int(part.size) for part in values),
        square=sum(float(np.dot(part, part)) for part in values),
        bytes=sum(_n_bytes(X) for X in parts),
        dtype=np.result_type(*(part.dtype for part in values)),
    )


def checked_rows(X: Any) -> Matrix:
    """X contiguous or canonical CSR, without a copy where that is possible; every value finite."""
    matrix: Matrix = canonical_csr(X) if sparse.issparse(X) else contiguous(X)
    if matrix.ndim != 2:
        raise ValueError(f"A partition of X must have two dimensions; got shape {matrix.shape}.")
    check_finite(matrix)
    return matrix


def column_names(X: Any) -> list[str] | None:
    """Column names of a data frame; None for anything else."""
    columns = getattr(X, "columns", None)
    return None if columns is None else [str(name) for name in columns]


def distinct_labels(y: Any) -> Labels:
    """Distinct values of y (n,) or (n, 1), and the code of each row.

    >>> distinct_labels(["b", "a", "b"])
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1], dtype=uint32))
    """
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    values, codes = np.unique(labels, return_inverse=True)
    return values, codes.reshape(-1).astype(np.uint32)


def _n_bytes(X: Any) -> int:
    if isinstance(X, np.ndarray):
        return int(X.nbytes)
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
