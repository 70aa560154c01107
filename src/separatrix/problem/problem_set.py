"""Several binary problems on the same rows: one for each class or pair of classes, one for each C or fold.

signs (k, n)    +1 and -1, and 0 where a row takes no part in a problem
C     (k, n)    cost of each row in each problem; 0 where it takes no part
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.problem.kernels import Kernel
from separatrix.problem.losses import Loss
from separatrix.problem.problem import Problem
from separatrix.problem.spaces import OnRows
from separatrix.types import Bias, Matrix, Vector


@dataclass(frozen=True, eq=False)
class ProblemSet(OnRows):
    """k problems on rows X (n, d) that share loss, bias and kernel (None: linear).

    >>> from separatrix.problem.losses import HINGE
    >>> X, signs = np.array([[1.0], [-1.0], [3.0]]), np.array([[1, -1, 0], [-1, -1, 1]], dtype=np.int8)
    >>> problems = ProblemSet(X, signs, 2.0 * np.abs(signs), HINGE, "free")
    >>> len(problems), problems[0].y, problems[1].C
    (2, array([ 1., -1.]), array([2., 2., 2.]))
    """

    X: Matrix
    signs: NDArray[np.int8]
    C: Vector
    loss: Loss
    bias: Bias
    kernel: Kernel | None = None

    def __len__(self) -> int:
        return len(self.signs)

    def rows(self, index: int) -> NDArray[np.intp]:
        """The rows that take part in one of the problems."""
        return np.flatnonzero(self.signs[index])

    def __getitem__(self, index: int) -> Problem:
        rows, whole = (
            self.rows(index),
            Problem(
                self.X, self.signs[index].astype(np.float64), self.C[index], self.loss, self.bias, self.kernel
            ),
        )
        return whole if len(rows) == self.n_rows else whole.take(rows)
