"""Products of a worker's rows with a vector by the functions of one machine, and sums of such products.

What rounding may have done in adding up several workers' shares is bounded and added to the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import rows_between, scores, weighted_sum
from separatrix.proof.rigorous import (
    TINY,
    UNIT,
    bounded_scores,
    bounded_weighted_sum,
    join_sliced,
    sliced_scores,
    sliced_weighted_sum,
    two_sum,
)
from separatrix.types import Matrix, Vector

Picks = list[NDArray[np.intp]]  #: some rows of each partition
#: Rows whose products are computed together.
_ROWS_AT_ONCE = 1 << 15
#: Entries copied at a time. Bounds on rounding hold for blocks of half as many: with fewer, more would be claimed here
#: than can be proved on the collected rows.
_ENTRIES_COPIED = 1 << 19


def join_plain(parts: Sequence[Vector]) -> Vector:
    """Add up vectors (d,)."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def join_bounded(parts: Sequence[tuple[Vector, Vector]]) -> tuple[Vector, Vector]:
    """Add up vectors (d,) each known to within an error (d,), and bound the error of the sum.

    Rounding errors of the additions are kept (TwoSum); what is lost in adding those up is bounded.

    >>> value, error = join_bounded([(np.array([1e16]), np.zeros(1)), (np.array([1.0]), np.zeros(1)),
    ...                              (np.array([-1e16]), np.zeros(1))])
    >>> value, bool(0 < error[0] < 1e-14)
    (array([1.]), True)
    """
    total, lost, size, error = np.zeros((4, len(parts[0][0])))
    for value, bound in parts:
        total, away = two_sum(total, value)
        lost = lost + away
        size = size + np.abs(away)
        error = error + bound
    result = total + lost
    count = len(parts) + 8
    # Every sum above has at most `count` terms, none of them negative in the last two.
    grown = (1.0 + 4 * count * UNIT) * (error + 2 * count * UNIT * size + 4 * UNIT * np.abs(result))
    return result, grown + TINY


#: Products by row, with the number of values that each gives for a row.
BY_ROW: dict[str, tuple[Callable[..., Any], int]] = {
    "scores": (scores, 1),
    "bounded_scores": (bounded_scores, 2),
    "sliced_scores": (sliced_scores, 3),
}
#: Sums over rows, with the function that joins the sums of several places.
SUMS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "weighted_sum": (weighted_sum, join_plain),
    "bounded_weighted_sum": (bounded_weighted_sum, join_bounded),
    "sliced_weighted_sum": (sliced_weighted_sum, join_sliced),
}


def product(parts: list[Matrix], name: str, vector: Vector, picks: Picks | None) -> Any:
    """Product of all rows, or of those picked, with a vector (d,), by row; or their sum with coefficients (n,).

    >>> product([np.eye(2), np.ones((1, 2))], "scores", np.array([1.0, 5.0]), None)
    array([1., 5., 6.])
    >>> product([np.eye(2), np.ones((1, 2))], "weighted_sum", np.array([2.0]), [np.array([1]), np.array([], int)])
    array([0., 2.])
    """
    if name in BY_ROW:
        function, numbers = BY_ROW[name]
        n = sum(X.shape[0] for X in parts) if picks is None else sum(map(len, picks))
        out = np.empty((numbers, n))
        for span, X in _pieces(parts, picks, _ROWS_AT_ONCE):
            out[:, span] = function(X, vector)
        return out[0] if numbers == 1 else tuple(out)
    function, join = SUMS[name]
    pieces = [function(X, vector[span]) for span, X in _pieces(parts, picks, None)]
    return pieces[0] if len(pieces) == 1 else join(pieces)


def _pieces(parts: list[Matrix], picks: Picks | None, most: int | None) -> Iterator[tuple[slice, Matrix]]:
    """Yield all rows in order, or those picked, at most ``most`` at a time, with their places among all.

    Each part yields at least one piece, which may be empty. Picked rows are copies, so there are few at a time.
    """
    begin = 0
    for number, X in enumerate(parts):
        n = int(X.shape[0])
        count, step = n, max(1, n)
        if picks is not None:
            entries = X.size if isinstance(X, np.ndarray) else X.nnz
            count, step = len(picks[number]), max(1, _ENTRIES_COPIED * n // max(1, entries))
        step = step if most is None else min(step, most)
        for first in range(0, max(1, count), step):
            last = min(count, first + step)
            rows = rows_between(X, first, last) if picks is None else X[picks[number][first:last]]
            yield slice(begin + first, begin + last), rows
        begin += count
