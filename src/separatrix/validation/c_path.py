"""Predictions along a path of C: on each split every fit starts from the one before, where the model can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def path_predictions(
    model: Any, X: Any, y: Any, Cs: Sequence[float], splits: Sequence[Split]
) -> list[NDArray[Any]]:
    """For each split (train, test) the predictions of the test rows by every C, shape (len(Cs), len(test)).

    >>> from separatrix import SVC
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> split = (np.array([0, 3]), np.array([1, 2]))
    >>> path_predictions(SVC(), X, y, [0.1, 10.0], [split])
    [array([[0, 1],
           [0, 1]])]
    """
    costs, labels = [float(C) for C in Cs], np.asarray(y)
    warm = {"warm_start": True} if "warm_start" in model.get_params() else {}
    tables = []
    for train, test in splits:
        fitted = clone(model).set_params(**warm)
        found = {
            C: fitted.set_params(C=C).fit(X[train], labels[train]).predict(X[test]) for C in sorted(costs)
        }
        tables.append(np.stack([found[C] for C in costs]))
    return tables
