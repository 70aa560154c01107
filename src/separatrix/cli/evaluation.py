"""Accuracy on rows that the fit has not seen: a test file, a held-out share, or cross-validation."""

from __future__ import annotations

from typing import Any

from separatrix.cli.errors import Refused
from separatrix.cli.output import Line, percent


def held_out_rows(y: Any, share: float, seed: int) -> Any:
    """The rows (m,) to hold out: a share of each class, chosen by the seed."""
    import numpy as np
    from sklearn.model_selection import train_test_split

    if not 0 < share < 1:
        raise Refused(
            f"--holdout must be between 0 and 1; got {share:g}.", "0.2 holds out a fifth of the rows"
        )
    try:
        _, held = train_test_split(np.arange(len(y)), test_size=share, random_state=seed, stratify=y)
    except ValueError as error:
        raise Refused(f"--holdout {share:g} cannot be done: {error}") from None
    return np.sort(held)


def accuracy(model: Any, X: Any, y: Any, source: str) -> dict[str, Any]:
    """How many of the rows are predicted as labelled."""
    import numpy as np

    correct = int(np.count_nonzero(model.predict(X) == y))
    return {"source": source, "rows": len(y), "correct": correct, "accuracy": correct / max(1, len(y))}


def cross_validation(make: Any, X: Any, y: Any, folds: int, seed: int) -> dict[str, Any]:
    """Each row predicted once, by a model that was fitted to the other folds."""
    import numpy as np
    from sklearn.model_selection import StratifiedKFold

    if folds < 2:
        raise Refused(f"-v must be at least 2 folds; got {folds}.")
    if folds > len(y):
        raise Refused(f"-v {folds}: there are only {len(y)} rows.")
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if smallest < folds:
        raise Refused(
            f"-v {folds}: a class has only {smallest} rows, fewer than the folds.",
            f"use -v {max(2, smallest)}",
        )
    shares, proved = [], True
    correct = 0
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y):
        model = make().fit(X[train], y[train])
        right = int(np.count_nonzero(model.predict(X[test]) == y[test]))
        correct += right
        shares.append(right / len(test))
        proved = proved and model.status_ in ("converged", "inseparable")
    return {
        "folds": folds,
        "rows": len(y),
        "correct": correct,
        "accuracy": correct / len(y),
        "each": shares,
        "proved": proved,
    }


def line(found: dict[str, Any]) -> Line:
    """A held-out accuracy in words."""
    return "held out", f"accuracy {percent(found['accuracy'])} on {found['rows']:,} rows of {found['source']}"
