"""What a finished fit shows of itself: the attributes that cost nothing, and a warning where a limit ended it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from separatrix.perceptron.decision import PlaneRule
from separatrix.perceptron.parameters import Choice
from separatrix.perceptron.run_result import Found
from separatrix.problem import Status


def publish(estimator: Any) -> None:
    """The attributes that cost nothing; the others are properties."""
    results = list(estimator.problems_.values())
    found = [result.found for result in results]
    for name in ("coef_", "intercept_"):
        estimator.__dict__.pop(name, None)
    if found[0].w is not None:
        planes = [published(each) for each in found]
        estimator.coef_ = np.vstack([W for W, _ in planes])
        estimator.intercept_ = np.concatenate([b for _, b in planes])
    estimator.dual_coef_ = np.vstack([each.beta.T for each in found])
    estimator.alpha_ = found[0].counts if len(found) == 1 else np.vstack([each.counts for each in found])
    estimator.n_updates_ = sum(each.updates for each in found)
    estimator.n_epochs_ = max(each.epochs for each in found)
    estimator.status_ = worst_status([result.status for result in results]).value


def published(found: Found) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The planes that coef_ and intercept_ show: those that predict, or the last where votes do."""
    if isinstance(found.rule, PlaneRule):
        return found.rule.W, found.rule.b
    assert found.w is not None
    return found.w, found.b


def warn_of_limits(estimator: Any, choice: Choice) -> None:
    """Warn, in the name of the caller of `fit`, where a limit came before an answer."""
    if estimator.status_ in (Status.MAX_ITER, Status.MAX_TIME):
        limit = f"max_epochs={choice.max_epochs}" if estimator.status_ == Status.MAX_ITER else "max_time"
        warnings.warn(
            f"Perceptron made no pass without mistakes before {limit} came, and the rows were not shown to be "
            "inseparable. The weights so far are kept. Hint: raise the limit, scale the columns, or use "
            "output='averaged' or 'pocket'.",
            ConvergenceWarning,
            stacklevel=3,
        )


def worst_status(statuses: list[Status]) -> Status:
    """How a fit of several problems ended: as badly as the worst of them."""
    ranking = [
        Status.CONVERGED,
        Status.INSEPARABLE,
        Status.MAX_ITER,
        Status.MAX_TIME,
        Status.INTERRUPTED,
    ]
    return max(statuses, key=ranking.index)
