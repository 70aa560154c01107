"""What other systems do with rows on several machines, for the hinge without a bias; each step is one round.

    min 1/2 ||w||^2 + C sum_i max(0, 1 - y_i w.x_i)

- ``average once``: every machine solves its own rows to the end, with C times the number of machines, and the answers
  are averaged. One round. Zinkevich, Weimer, Li, Smola: Parallelized stochastic gradient descent. NIPS 2010.
- ``average every epoch``: w goes out, every machine makes one epoch of stochastic subgradient steps from it on its own
  rows, the results are averaged (local SGD). An epoch is `SGDClassifier.partial_fit`, as dask-ml's `Incremental` makes
  it, with its own step lengths 1 / (lambda (t0 + t)), lambda = 1 / (C n).
- ``gradients``: w goes out, subgradients come back and are added up, L-BFGS takes the step, as Spark's LinearSVC does
  (there OWL-QN). A round for each gradient.

They prove nothing: they are judged by the true distance of their objective from the optimum, which is less than a gap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize
from sklearn.linear_model import SGDClassifier

import separatrix

Pieces = list[tuple[Any, np.ndarray]]


def objective(pieces: Pieces, C: float, w: np.ndarray) -> float:
    return 0.5 * float(w @ w) + C * sum(float(np.maximum(0.0, 1.0 - y * (X @ w)).sum()) for X, y in pieces)


def average_once(pieces: Pieces, C: float, _rounds: int) -> list[float]:
    """The objective of the mean of the local solutions."""
    found = [separatrix.SVC(C=C * len(pieces), bias="none", tol=1e-4).fit(X, y).coef_[0] for X, y in pieces]
    return [objective(pieces, C, np.mean(found, axis=0))]


def average_every_epoch(pieces: Pieces, C: float, rounds: int) -> list[float]:
    """The objective after every round."""
    n, d = sum(len(y) for _, y in pieces), pieces[0][0].shape[1]
    machines = [
        SGDClassifier(loss="hinge", alpha=1.0 / (C * n), fit_intercept=False, random_state=k)
        for k in range(len(pieces))
    ]
    w, values = np.zeros(d), []
    for _ in range(rounds):
        for machine, (X, y) in zip(machines, pieces, strict=True):
            if values:
                machine.coef_ = w[None, :].copy()
            machine.partial_fit(X, y, classes=[-1.0, 1.0])
        w = np.mean([machine.coef_[0] for machine in machines], axis=0)
        values.append(objective(pieces, C, w))
    return values


def gradients(pieces: Pieces, C: float, rounds: int) -> list[float]:
    """The objective at every w whose gradient was asked for; the best so far counts."""
    values: list[float] = []

    def value_and_gradient(w: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = 0.5 * float(w @ w), w.copy()
        for X, y in pieces:
            short = 1.0 - y * (X @ w)
            value += C * float(short[short > 0].sum())
            gradient -= C * (X.T @ (y * (short > 0)))
        values.append(min([value, *values[-1:]]))
        return value, gradient

    start = np.zeros(pieces[0][0].shape[1])
    optimize.minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", options={"maxfun": rounds})
    return values[:rounds]


METHODS = {
    "average once": average_once,
    "average every epoch": average_every_epoch,
    "gradients (L-BFGS)": gradients,
}
