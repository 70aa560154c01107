"""The public function `separability`: checks of the input, two classes and many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.problem import row_blocks
from separatrix.problem.conversion import refuse_rounding
from separatrix.proof.arrays import is_sparse
from separatrix.proof.fingerprint import Fingerprint
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability.overlap import decide
from separatrix.separability.verdict import Data, Separability, record
from separatrix.types import Index

#: Entries and columns up to which an exact verdict takes a moment only.
_CHEAP_ENTRIES, _CHEAP_COLUMNS = 50_000, 60


@overload
def separability(X: Any, y: Any, bias: bool = True) -> Separability: ...
@overload
def separability(
    X: Any, y: Any, bias: bool = True, *, multi_class: Literal["ovr", "ovo"]
) -> Mapping[Any, Separability]: ...
def separability(
    X: Any, y: Any, bias: bool = True, *, multi_class: Literal["ovr", "ovo"] | None = None
) -> Separability | Mapping[Any, Separability]:
    """Decide exactly whether a hyperplane separates the classes, with a proof either way.

        separable         some (w, b) has every y_i (w.x_i + b) > 0
        quasi-separable   not that, but some (w, b) has every product >= 0 and some > 0
        inseparable       neither

    Parameters
    ----------
    X
        (n, d) numbers, dense or sparse. Every number is taken as it is, without rounding.
    y
        (n,) labels. With two classes the second, in sorted order, is +1.
    bias
        Whether b may differ from zero.
    multi_class
        None for two classes. "ovr": each class against the rest, a mapping by class. "ovo": each pair, a
        mapping by (first, second) in sorted order; the second is +1.

    Example
    -------
    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> separability(X, [0, 0, 0, 1]).verdict
    'separable'
    >>> xor = separability(X, [0, 1, 1, 0])
    >>> xor.verdict, xor.rows.tolist(), [str(weight) for weight in xor.weights]
    ('inseparable', [0, 1, 2, 3], ['1/4', '1/4', '1/4', '1/4'])

    References
    ----------
    P. Gordan, Ueber die Aufloesung linearer Gleichungen mit reellen Coefficienten, Math. Annalen 6 (1873).
    A. Albert, J. A. Anderson, On the existence of maximum likelihood estimates in logistic regression
    models, Biometrika 71 (1984).
    """
    matrix = _checked_matrix(X)
    labels = _checked_labels(y, matrix.shape[0])
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"Two classes are needed to ask for a separation; y holds only {classes.tolist()}.")
    if multi_class is None:
        if len(classes) > 2:
            raise ValueError(
                f"y holds {len(classes)} classes; pass multi_class='ovr' (each class against the rest) "
                "or multi_class='ovo' (every pair)."
            )
        return two_sides(matrix, labels, codes == 1, (classes[1],), (classes[0],), None, bias)
    if multi_class == "ovr":
        return {
            _plain(c): two_sides(matrix, labels, codes == k, (c,), tuple(np.delete(classes, k)), None, bias)
            for k, c in enumerate(classes)
        }
    if multi_class == "ovo":
        out = {}
        for j, k in combinations(range(len(classes)), 2):
            members = np.flatnonzero((codes == j) | (codes == k))
            name = _plain(classes[j]), _plain(classes[k])
            out[name] = two_sides(
                matrix,
                labels,
                codes == k,
                (classes[k],),
                (classes[j],),
                members if len(classes) > 2 else None,
                bias,
            )
        return out
    raise ValueError(f"multi_class must be None, 'ovr' or 'ovo'; got {multi_class!r}.")


def is_cheap(X: Any) -> bool:
    """True if an exact verdict on X takes a moment only."""
    return bool((X.nnz if is_sparse(X) else X.size) <= _CHEAP_ENTRIES and X.shape[1] <= _CHEAP_COLUMNS)


def two_sides(
    X: Any,
    y: Any,
    positive: NDArray[np.bool_],
    plus: tuple[Any, ...],
    minus: tuple[Any, ...],
    members: Index | None,
    bias: bool,
    known: Callable[[], Fingerprint] | None = None,
) -> Separability:
    """Decide on rows of X (n, d) with ``positive`` (n,) against the others, among ``members`` (None: all).

    y (n,) holds the labels as given, ``plus`` and ``minus`` those of the two sides; they name the proof. ``known``
    gives the fingerprint that the proof is to have where it is not that of X and y.
    """
    signs = np.where(positive, 1.0, -1.0)
    part = X if members is None else X[members]
    rows = SignedRows(part, signs if members is None else signs[members], bool(bias))
    data = Data(X, y, tuple(map(_plain, plus)), tuple(map(_plain, minus)), members, known)
    return record(rows, decide(rows), data)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _checked_labels(y: Any, n: int) -> NDArray[Any]:
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1 or len(labels) != n:
        raise ValueError(f"y must hold one label for each of the {n} rows; got shape {labels.shape}.")
    if labels.dtype.kind == "f" and not np.all(np.isfinite(labels)):
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise ValueError(f"Labels must be finite; row {row} has {labels[row]}.")
    return labels


def _checked_matrix(X: Any) -> Any:
    """X as a C-contiguous float32 or float64 array or canonical CSR, every number unchanged."""
    if is_sparse(X):
        X = sparse.csr_array(X)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        matrix: Any = X
        values = matrix.data
    else:
        matrix = values = np.asarray(X)
        if matrix.ndim != 2:
            raise ValueError(f"X must have two dimensions (rows, columns); got {matrix.ndim}.")
    if min(matrix.shape) < 1:
        raise ValueError(f"X must have at least one row and one column; got shape {matrix.shape}.")
    if values.dtype.kind in "cmMV":
        raise ValueError(f"X must hold real numbers; got {values.dtype}.")
    if values.dtype not in (np.float32, np.float64):
        try:
            matrix = matrix.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"X must hold real numbers; got {values.dtype}.") from None
    refuse_rounding(X, matrix.data if is_sparse(matrix) else matrix)
    _refuse_nonfinite(matrix)
    return matrix if is_sparse(matrix) else np.ascontiguousarray(matrix)


def _refuse_nonfinite(matrix: Any) -> None:
    for rows, block in row_blocks(matrix):
        values = block.data if is_sparse(block) else block
        if np.all(np.isfinite(values)):
            continue
        if is_sparse(block):
            block = block.toarray()
        row, column = np.argwhere(~np.isfinite(block))[0]
        raise ValueError(
            f"X must hold finite numbers; row {rows.start + int(row)}, column {int(column)} has "
            f"{block[row, column]}."
        )
