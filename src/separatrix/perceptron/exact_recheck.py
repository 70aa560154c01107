"""Is a pass without mistakes really clean? Rows too close to call in floating point are decided exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from separatrix.perceptron.state import LabelledRows, core, dense_row, matrix_arguments
from separatrix.types import Vector


def misclassified(rows: LabelledRows, w: Vector, b: float, n_threads: int = 1) -> NDArray[np.intp]:
    """Rows with y_i (w.x_i + b) <= 0 exactly, among those that rounding leaves in doubt.

    Every row that is not in doubt is taken to have been found correct already.

    >>> rows = LabelledRows(np.array([[0.1, 0.2], [1.0, 1.0]]), np.array([1, 1], dtype=np.int8), constant=0.0)
    >>> misclassified(rows, np.array([0.2, -0.1]), 0.0)
    array([0])
    """
    norm = float(np.linalg.norm(w)) * (1.0 + 1e-12)
    X, signs = rows.X, rows.labels
    doubtful = core.doubtful_rows(*matrix_arguments(X), signs, w, b, norm, rows.reach, n_threads)
    weights = None
    wrong = []
    for row in doubtful:
        weights = [Fraction(value) for value in w] if weights is None else weights
        x = dense_row(X, int(row))
        used = np.flatnonzero(x)
        score = Fraction(b) + sum((Fraction(float(x[j])) * weights[j] for j in used), Fraction())
        if int(signs[row]) * score <= 0:
            wrong.append(int(row))
    return np.array(wrong, dtype=np.intp)
