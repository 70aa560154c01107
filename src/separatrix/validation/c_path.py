"""Predictions along a path of C on the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from separatrix.validation.folds import Folds, Split


def path_predictions(
    model: Any, X: Any, y: Any, Cs: Sequence[float], splits: Sequence[Split]
) -> list[NDArray[Any]]:
    """For each split (train, test) the predictions of the test rows by every C, shape (len(Cs), len(test)).

    >>> import numpy as np
    >>> from separatrix import SVC
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> split = (np.array([0, 3]), np.array([1, 2]))
    >>> path_predictions(SVC(), X, y, [0.1, 10.0], [split])
    [array([[0, 1],
           [0, 1]])]
    """
    return Folds(X, y, splits).table(model, Cs).predicted
