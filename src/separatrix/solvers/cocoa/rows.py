"""The rows of a block, in one part or several, computed with a span of them at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix import _core
from separatrix.problem.losses import Loss
from separatrix.solvers.cocoa.tuning import Tuning
from separatrix.solvers.compiled import compiled_rows
from separatrix.types import Matrix, Vector

_SPAN = 1 << 13  # rows that are computed with together: their directions share the second-level cache


@dataclass(frozen=True)
class Span:
    """Some rows of one part: which part, where they are among all rows, and where they begin in that part."""

    part: int
    rows: slice
    begin: int

    def __len__(self) -> int:
        return int(self.rows.stop - self.rows.start)


class BlockRows:
    """Rows X_k (n_k, d) of each part, signs y (n,) of any type and costs C (n,) of all.

    >>> from separatrix.problem import HINGE
    >>> rows = BlockRows([np.eye(2), np.ones((1, 2))], np.array([1, -1, 1], np.int8), np.ones(3), HINGE, 1)
    >>> [span.rows for span in rows.spans()], rows.loss_at(np.array([1.0, 0.0]), 0.5)
    ([slice(0, 2, None), slice(2, 3, None)], 1.5)
    """

    def __init__(
        self, parts: Sequence[Matrix], y: NDArray[Any], C: Vector, loss: Loss, n_threads: int
    ) -> None:
        self.y, self.C, self.loss, self.n_threads = y, C, loss, n_threads
        self.columns = int(parts[0].shape[1])
        ends = np.cumsum([0, *(X.shape[0] for X in parts)]).tolist()
        self._parts = [slice(begin, end) for begin, end in pairwise(ends)]
        self._compiled = [compiled_rows(X) for X in parts]

    def descents(self, sigma: float, kappa: float, seed: int) -> list[_core.Descent]:
        """Coordinate descent on the rows of each part, with costs sigma C."""
        return [
            rows.descent(
                self.y[span].astype(np.float64),
                sigma * self.C[span],
                tuning=Tuning(),
                squared=self.loss.squared,
                kappa=kappa,
                seed=seed + part,
            )
            for part, (rows, span) in enumerate(zip(self._compiled, self._parts, strict=True))
        ]

    def spans(self) -> Iterator[Span]:
        """All rows, some at a time."""
        for part, whole in enumerate(self._parts):
            for begin in range(whole.start, whole.stop, _SPAN):
                yield Span(part, slice(begin, min(whole.stop, begin + _SPAN)), begin - whole.start)

    def upper(self, span: Span) -> Vector | float:
        """The upper bounds of some alphas."""
        return np.inf if self.loss.squared else self.C[span.rows]

    def sums(self, span: Span, alpha: Vector) -> tuple[float, float]:
        """sum alpha_i y_i and sum dual_term(alpha_i) over some rows."""
        return float(alpha @ self.y[span.rows]), self.loss.dual_total(alpha, self.C[span.rows])

    def room(self, span: Span, alpha: Vector) -> float:
        """The sum of the distances of some alphas to their nearer bound."""
        return float(np.sum(alpha if self.loss.squared else np.minimum(alpha, self.C[span.rows] - alpha)))

    def loss_at(self, w: Vector, b: float) -> float:
        """sum_i C_i loss(y_i (w.x_i + b)) over all rows."""
        total = 0.0
        for span in self.spans():
            margins = np.empty(len(span))
            self._compiled[span.part].scores(w, margins, self.n_threads, span.begin)
            margins += b
            margins *= self.y[span.rows]
            total += float(self.C[span.rows] @ self.loss.values(margins))
        return total

    def add(self, span: Span, image: Vector, places: NDArray[np.intp], change: Vector) -> None:
        """image (d,) += sum change_i y_i x_i over some rows of a span, by their places in it."""
        signed = change * self.y[span.rows][places]
        self._compiled[span.part].add_rows(places + span.begin, signed, image)
