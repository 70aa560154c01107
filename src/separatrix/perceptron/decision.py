"""Scores of new rows by a fitted perceptron: one small rule for each kind of output.

planes     W x + b                                                   last, averaged and pocket in the primal
expansion  sum_i beta_i (k(x_i, x) + c^2)                            the same in the dual
votes      sum_k survival_k sign f_k(x)                              voted: every weight vector of the run
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.predicting import raw_scores
from separatrix.problem.kernels import Kernel
from separatrix.types import Vector

# Products in memory at a time while votes are counted: 16 MiB.
_CHUNK = 1 << 21


class Rule(Protocol):
    """Scores of new rows: (m, 1) for two classes, positive for the second; (m, k) for many."""

    def scores(self, X: Any) -> NDArray[np.float64]:
        """One column a plane."""
        ...


@dataclass(frozen=True, eq=False)
class PlaneRule:
    """W (p, d) and b (p,)."""

    W: NDArray[np.float64]
    b: Vector

    def scores(self, X: Any) -> NDArray[np.float64]:
        """W x + b."""
        return raw_scores(X, self.W, self.b)


@dataclass(frozen=True, eq=False)
class ExpansionRule:
    """Support rows with coefficients beta (s, p); ``places`` are their numbers among the training rows."""

    kernel: Kernel
    support: Any
    places: NDArray[np.intp]
    beta: NDArray[np.float64]
    gain: float

    def scores(self, X: Any) -> NDArray[np.float64]:
        """sum_i beta_i (k(x_i, x) + c^2)."""
        block = kernel_block(self.kernel, X, self.support, self.places)
        total: NDArray[np.float64] = block @ self.beta
        return np.asarray(total + self.gain * self.beta.sum(axis=0))


def kernel_block(kernel: Kernel, X: Any, support: Any, places: NDArray[np.intp]) -> NDArray[np.float64]:
    """k(x, x_i) for the support rows, shape (m, s); a precomputed X has a column for every training row."""
    if kernel.name == "precomputed":
        return kernel.matrix(X, support)[:, places]
    return kernel.matrix(X, support)


@dataclass(frozen=True, eq=False)
class VoteRule:
    """Every weight vector of the run, as the updates that made them.

    Update k adds ``amounts[k]`` times support row ``rows[k]`` to plane ``gains[k]`` and, with many classes, takes
    it from plane ``losses[k]``; the vector it makes then survives ``survivals[k]`` rows. Freund and Schapire (1999).
    """

    kernel: Kernel
    support: Any
    places: NDArray[np.intp]
    gain: float
    rows: NDArray[np.intp]
    amounts: Vector
    gains: NDArray[np.intp]
    losses: NDArray[np.intp]
    survivals: Vector
    planes: int

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Votes divided by the number of rows visited: within [-1, 1] for two classes, [0, 1] for many."""
        out = np.zeros((X.shape[0], self.planes))
        height = max(1, _CHUNK // max(1, len(self.rows) + len(self.places)))
        for start in range(0, X.shape[0], height):
            block = (
                kernel_block(self.kernel, X[start : start + height], self.support, self.places) + self.gain
            )
            out[start : start + height] = self._two(block) if self.planes == 1 else self._many(block)
        return out / max(1.0, float(self.survivals.sum()))

    def _two(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = np.cumsum(block[:, self.rows] * self.amounts, axis=1)
        return np.asarray(np.sign(scores) @ self.survivals)[:, None]

    def _many(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        scores, votes = np.zeros((len(block), self.planes)), np.zeros((len(block), self.planes))
        each = np.arange(len(block))
        for row, amount, up, down, survival in zip(
            self.rows, self.amounts, self.gains, self.losses, self.survivals, strict=True
        ):
            scores[:, up] += amount * block[:, row]
            scores[:, down] -= amount * block[:, row]
            votes[each, scores.argmax(axis=1)] += survival
        return votes
