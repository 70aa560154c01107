"""The public function `separability`: checks of the input, two classes and many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.errors import with_hint
from separatrix.problem import is_sparse, row_blocks
from separatrix.problem.conversion import refuse_rounding
from separatrix.proof.fingerprint import Fingerprint
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability.outcomes import joint_question, ordinal_question
from separatrix.separability.overlap import decide
from separatrix.separability.verdict import Data, Separability, answer, record
from separatrix.types import Index

#: Entries and columns up to which an exact verdict takes a moment only.
_CHEAP_ENTRIES, _CHEAP_COLUMNS = 50_000, 60


Classes = Literal["pairs", "joint", "ordinal"]


@overload
def separability(
    X: Any, y: Any, bias: bool = True, classes: Classes = "pairs", sample_weight: Any = None
) -> Separability: ...
@overload
def separability(
    X: Any,
    y: Any,
    bias: bool = True,
    classes: Literal["pairs"] = "pairs",
    sample_weight: Any = None,
    *,
    multi_class: Literal["ovr", "ovo"],
) -> Mapping[Any, Separability]: ...
def separability(
    X: Any,
    y: Any,
    bias: bool = True,
    classes: Classes = "pairs",
    sample_weight: Any = None,
    *,
    multi_class: Literal["ovr", "ovo"] | None = None,
) -> Separability | Mapping[Any, Separability]:
    """Decide exactly whether a hyperplane separates the classes, with a proof either way.

        separable         some (w, b) has every y_i (w.x_i + b) > 0                       (complete separation)
        quasi-separable   not that, but some (w, b) has every product >= 0 and some > 0    (quasi-complete separation)
        inseparable       neither                                                         (overlap)

    `Separability.estimates` then says of every coefficient of the logistic regression whether its estimate is finite.

    Parameters
    ----------
    X
        (n, d) numbers, dense or sparse. Every number is taken as it is, without rounding. The columns of a data frame
        keep their names.
    y
        (n,) labels. With two classes the second, in sorted order, is +1. Or (n, 2) counts of a binomial outcome,
        successes and failures: then row i of the answer are the successes of row i, and row n + i its failures, with
        labels 1 and 0 (see `binomial_rows`).
    bias
        Whether b may differ from zero.
    classes
        "pairs": two classes. "joint": all classes at once, as in multinomial logistic regression. "ordinal": ordered
        classes with one w, as in cumulative link, adjacent-category and continuation-ratio models, whose answers are
        the same. Their order is that of an ordered pandas Categorical, or that of numbers.
    sample_weight
        (n,) weights, none below zero. A row of weight zero takes no part; other weights change no answer. Nor does an
        offset: it adds a constant to w.x_i + b, and what decides is how the product with a row grows.
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
    >>> separability(X[:, :1], [0, 1, 1, 1]).estimates
    {'(intercept)': 'finite', 'x1': '+inf'}

    References
    ----------
    P. Gordan, Ueber die Aufloesung linearer Gleichungen mit reellen Coefficienten, Math. Annalen 6 (1873).
    A. Albert, J. A. Anderson, On the existence of maximum likelihood estimates in logistic regression
    models, Biometrika 71 (1984).
    """
    if classes not in ("pairs", "joint", "ordinal"):
        raise ValueError(f"classes must be 'pairs', 'joint' or 'ordinal'; got {classes!r}.")
    if multi_class not in (None, "ovr", "ovo") or (multi_class and classes != "pairs"):
        raise ValueError(
            f"multi_class must be None, 'ovr' or 'ovo', the latter two with classes='pairs'; got {multi_class!r}."
        )
    names = _column_names(X)
    matrix = _checked_matrix(X)
    labels = _checked_labels(y, matrix.shape[0])
    weights = _checked_weights(sample_weight, matrix.shape[0])
    if labels.ndim == 2:
        matrix, labels, weights = binomial_rows(matrix, labels, weights)
    part = np.arange(len(labels)) if weights is None else np.flatnonzero(weights)
    order = _ordered_labels(y, labels) if classes == "ordinal" else np.unique(labels[part])
    order = order[np.isin(order, labels[part])]
    if len(order) < 2:
        raise ValueError(f"Two classes are needed to ask for a separation; y holds only {order.tolist()}.")
    members = part if len(part) < len(labels) else None
    if classes != "pairs":
        return _many_classes(matrix, labels, order, members, bool(bias), classes, names)

    def two(plus: list[Any], minus: list[Any]) -> Separability:
        sides = part[np.isin(labels[part], [*plus, *minus])]
        some = None if len(sides) == len(labels) else sides
        positive = np.isin(labels, plus)
        return two_sides(matrix, labels, positive, tuple(plus), tuple(minus), some, bias, columns=names)

    if multi_class is None:
        if len(order) > 2:
            raise ValueError(
                f"y holds {len(order)} classes; pass classes='joint' (all at once) or 'ordinal' (in order), "
                "multi_class='ovr' (each class against the rest) or multi_class='ovo' (every pair)."
            )
        return two([order[1]], [order[0]])
    if multi_class == "ovr":
        return {_plain(c): two([c], list(np.delete(order, k))) for k, c in enumerate(order)}
    return {(_plain(a), _plain(b)): two([b], [a]) for a, b in combinations(order, 2)}


def binomial_rows(X: Any, counts: Any, weights: Any = None) -> tuple[Any, NDArray[np.int64], NDArray[Any]]:
    """Rows, labels and weights of a binomial outcome: X (n, d) twice, the successes (label 1) and the failures (0).

    ``counts`` (n, 2) holds both numbers of each row; those of a row are multiplied by its weight.
    """
    values = np.asarray(counts)
    stacked = sparse.csr_array(sparse.vstack([X, X])) if is_sparse(X) else np.vstack([X, X])
    factor = 1 if weights is None else np.asarray(weights)[:, None]
    return stacked, np.repeat([1, 0], len(values)), (values * factor).T.ravel()


def matched_rows(X: Any, y: Any, sets: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Rows and labels for conditional logistic regression: within each set, every case less every control.

    The conditional likelihood of a set never falls along w if and only if w.(x_case - x_control) >= 0 for every pair
    in it, so ``separability(*matched_rows(X, y, sets), bias=False)`` decides. Every other difference is negated and
    labelled 0, so that both labels occur. The second label of y, in sorted order, is a case.

    >>> matched_rows([[1, 5], [3, 5], [2, 0]], [1, 0, 0], ["a", "a", "a"])
    (array([[-2.,  0.],
           [ 1., -5.]]), array([1, 0]))
    """
    matrix = np.asarray(_checked_matrix(X), dtype=np.float64)
    labels, groups = _checked_labels(y, len(matrix)), np.asarray(sets)
    case = labels == np.unique(labels)[-1]
    if groups.shape != (len(matrix),) or len(np.unique(labels)) != 2:
        raise ValueError(f"Two labels, and one set for each of the {len(matrix)} rows, are needed.")
    order = np.argsort(groups, kind="stable")
    pairs = [
        (i, j)
        for rows in np.split(order, np.flatnonzero(groups[order][1:] != groups[order][:-1]) + 1)
        for i in rows[case[rows]].tolist()
        for j in rows[~case[rows]].tolist()
    ]
    if not pairs:
        raise ValueError("No set has a case and a control.")
    pairs *= 2 if len(pairs) == 1 else 1  # a second label
    one, other = matrix[[i for i, _ in pairs]], matrix[[j for _, j in pairs]]
    out = one - other
    # Knuth's sum: the error of each difference, exactly.
    back = out - one
    if np.any((one - (out - back)) - (other + back)):
        raise with_hint(
            ValueError, "A difference of two rows is no float64 number.", "units with whole numbers"
        )
    signs = np.where(np.arange(len(pairs)) % 2, -1.0, 1.0)
    return out * signs[:, None], (signs > 0).astype(np.int64)


def _many_classes(
    X: Any,
    y: NDArray[Any],
    order: NDArray[Any],
    members: Index | None,
    bias: bool,
    classes: Literal["joint", "ordinal"],
    names: tuple[str, ...] | None,
) -> Separability:
    labels = tuple(map(_plain, order))
    data = Data(X, y, labels, (), members, columns=names)
    part, own = (X, y) if members is None else (X[members], y[members])
    codes = np.zeros(len(own), dtype=np.intp)
    for code, label in enumerate(order):
        codes[own == label] = code
    if classes == "joint":
        question = joint_question(part, codes, labels, bias, data.column_names())
    elif bias:
        question = ordinal_question(part, codes, labels, data.column_names())
    else:
        raise with_hint(
            ValueError, "Ordered classes have thresholds, which are biases; got bias=False.", "bias=True"
        )
    return answer(question, decide(question.rows), data)


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
    columns: tuple[str, ...] | None = None,
) -> Separability:
    """Decide on rows of X (n, d) with ``positive`` (n,) against the others, among ``members`` (None: all).

    y (n,) holds the labels as given, ``plus`` and ``minus`` those of the two sides; they name the proof. ``known``
    gives the fingerprint that the proof is to have where it is not that of X and y, ``columns`` are the names of the
    columns of X.
    """
    signs = np.where(positive, 1.0, -1.0)
    part = X if members is None else X[members]
    rows = SignedRows(part, signs if members is None else signs[members], bool(bias))
    sides = tuple(map(_plain, plus)), tuple(map(_plain, minus))
    data = Data(X, y, *sides, members, known=known, columns=columns)
    return record(rows, decide(rows), data)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _column_names(X: Any) -> tuple[str, ...] | None:
    """Names of the columns of a data frame, None for anything else; a name that is there twice is numbered."""
    columns = getattr(X, "columns", None)
    if columns is None or callable(columns):
        return None
    names, seen = list(map(str, columns)), set[str]()
    for j, name in enumerate(names):
        number = 2
        while names[j] in seen:
            names[j], number = f"{name} ({number})", number + 1
        seen.add(names[j])
    return tuple(names)


def _ordered_labels(y: Any, labels: NDArray[Any]) -> NDArray[Any]:
    """The classes in their order: that of an ordered categorical, or of numbers."""
    kind = getattr(y, "dtype", None)
    if getattr(kind, "ordered", False):
        return np.asarray(getattr(kind, "categories"))  # noqa: B009  # a pandas type, known by what it has
    if labels.dtype.kind not in "biuf":
        raise with_hint(
            ValueError,
            f"Ordered classes must be numbers or an ordered categorical; got labels of type {labels.dtype}.",
            "pandas.Categorical(y, categories=[...], ordered=True)",
        )
    return np.unique(labels)


def _checked_weights(sample_weight: Any, n: int) -> NDArray[Any] | None:
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight)
    if weights.shape != (n,) or weights.dtype.kind not in "biuf":
        raise ValueError(f"sample_weight must hold one number for each of the {n} rows.")
    _refuse_negative(weights[:, None], "sample_weight")
    return weights


def _refuse_negative(values: NDArray[Any], name: str) -> None:
    wrong = np.flatnonzero(~np.all(np.isfinite(values) & (values >= 0), axis=1))
    if len(wrong):
        row = int(wrong[0])
        raise ValueError(
            f"{name} must hold finite numbers not below 0; row {row} has {values[row].tolist()}."
        )


def _checked_labels(y: Any, n: int) -> NDArray[Any]:
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.shape == (n, 2) and labels.dtype.kind in "biuf":
        _refuse_negative(labels, "y, two counts for each row,")
        return labels
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
            f"X must hold finite numbers; row {rows.start + int(row)}, column {int(column)} has {block[row, column]}."
        )
