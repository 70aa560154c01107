"""Products of a worker's rows with a vector, by the functions of one machine, with little memory beside the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.dask.reduce import join_bounded, join_plain
from separatrix.problem import rows_between, scores, weighted_sum
from separatrix.proof.rigorous import bounded_scores, bounded_weighted_sum
from separatrix.proof.sliced import join_sliced, sliced_scores, sliced_weighted_sum
from separatrix.types import Matrix, Vector

Picks = list[NDArray[np.intp]]  #: some rows of each partition
_SPAN = 1 << 15  # rows whose products are computed together
#: Entries copied at a time. Bounds on rounding hold for blocks of half as many: with fewer, more would be claimed here
#: than can be proved on the collected rows.
_COPIED = 1 << 19
_BY_ROW: dict[str, tuple[Callable[..., Any], int]] = {  # with how many numbers a row it gives
    "scores": (scores, 1),
    "bounded_scores": (bounded_scores, 2),
    "sliced_scores": (sliced_scores, 3),
}
_SUMS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "weighted_sum": (weighted_sum, join_plain),
    "bounded_weighted_sum": (bounded_weighted_sum, join_bounded),
    "sliced_weighted_sum": (sliced_weighted_sum, join_sliced),
}


def product(parts: list[Matrix], name: str, vector: Vector, picks: Picks | None) -> Any:
    """A product of all rows, or of those picked, with a vector (d,), by row; or their sum with coefficients (n,).

    >>> product([np.eye(2), np.ones((1, 2))], "scores", np.array([1.0, 5.0]), None)
    array([1., 5., 6.])
    >>> product([np.eye(2), np.ones((1, 2))], "weighted_sum", np.array([2.0]), [np.array([1]), np.array([], int)])
    array([0., 2.])
    """
    if name in _BY_ROW:
        function, numbers = _BY_ROW[name]
        n = sum(X.shape[0] for X in parts) if picks is None else sum(map(len, picks))
        out = np.empty((numbers, n))
        for span, X in _pieces(parts, picks, _SPAN):
            out[:, span] = function(X, vector)
        return out[0] if numbers == 1 else tuple(out)
    function, join = _SUMS[name]
    pieces = [function(X, vector[span]) for span, X in _pieces(parts, picks, None)]
    return pieces[0] if len(pieces) == 1 else join(pieces)


def _pieces(parts: list[Matrix], picks: Picks | None, most: int | None) -> Iterator[tuple[slice, Matrix]]:
    """All rows in order, or those picked, at most so many at a time, and where they are among all.

    Nothing is a piece too: of each part there is one. Picked rows are copies, so that there are few at a time.
    """
    begin = 0
    for number, X in enumerate(parts):
        n = int(X.shape[0])
        count, step = n, max(1, n)
        if picks is not None:
            entries = X.size if isinstance(X, np.ndarray) else X.nnz
            count, step = len(picks[number]), max(1, _COPIED * n // max(1, entries))
        for first in range(0, max(1, count), step if most is None else min(step, most)):
            last = min(count, first + (step if most is None else min(step, most)))
            rows = rows_between(X, first, last) if picks is None else X[picks[number][first:last]]
            yield slice(begin + first, begin + last), rows
        begin += count
