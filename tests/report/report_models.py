"""Models to report on, by name: every kind that a page must cope with."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from separatrix import SVC, InseparableError, Perceptron, report, separability

RNG = np.random.default_rng(4)
X = RNG.standard_normal((90, 2)) + 0.4
WIDE = np.hstack([X, RNG.standard_normal((90, 4))])
SPARSE = sparse.csr_array(np.where(np.abs(WIDE) > 0.8, WIDE, 0.0))
TWO = np.where(X[:, 0] + X[:, 1] + 0.5 * RNG.standard_normal(90) > 0.5, "yes", "no")
APART = np.where(WIDE[:, 0] - WIDE[:, 3] > 0.1, 1, 0)
THREE = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.6)]
MANY = np.arange(90) % 18


def inseparable() -> tuple[Any, Any, Any]:
    try:
        SVC(C=float("inf")).fit(X, TWO)
    except InseparableError as error:
        return error, X, TWO
    raise AssertionError("these rows are inseparable")


MODELS: dict[str, Callable[[], tuple[Any, Any, Any]]] = {
    "linear": lambda: (SVC().fit(WIDE, TWO), WIDE, TWO),
    "kernel": lambda: (SVC(kernel="rbf", C=3.0).fit(X, TWO), X, TWO),
    "kernel wide": lambda: (SVC(kernel="rbf").fit(WIDE, THREE), WIDE, THREE),
    "many": lambda: (SVC().fit(X, THREE), X, THREE),
    "pairs": lambda: (SVC(multi_class="ovo").fit(X, THREE), X, THREE),
    "joint": lambda: (SVC(multi_class="crammer-singer").fit(X, THREE), X, THREE),
    "crowd": lambda: (Perceptron(max_epochs=3).fit(WIDE, MANY), WIDE, MANY),
    "sparse": lambda: (SVC(loss="squared_hinge").fit(SPARSE, TWO), SPARSE, TWO),
    "hard": lambda: (SVC(C=float("inf")).fit(WIDE, APART), WIDE, APART),
    "inseparable": inseparable,
    "separable": lambda: (separability(WIDE, APART), WIDE, APART),
    "perceptron": lambda: (Perceptron().fit(WIDE, APART), WIDE, APART),
    "perceptron inseparable": lambda: (Perceptron(max_epochs=120).fit(X, TWO), X, TWO),
    "perceptron kernel": lambda: (Perceptron(kernel="rbf", max_epochs=5).fit(X, THREE), X, THREE),
    "perceptron voted": lambda: (Perceptron(output="voted", max_epochs=3).fit(X, TWO), X, TWO),
    "online": lambda: (Perceptron().partial_fit(X, TWO), X, TWO),
    "precomputed": lambda: (SVC(kernel="precomputed").fit(X @ X.T, TWO), X @ X.T, TWO),
    "one column": lambda: (SVC().fit(X[:, :1], TWO), X[:, :1], TWO),
    "stopped": lambda: (
        SVC(C=1e4, solver="coordinate-descent", max_iter=1, tol=1e-9).fit(WIDE, TWO),
        WIDE,
        TWO,
    ),
}


@cache
def reported(name: str) -> report.Report:
    """The report on the model of that name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return report.make(*MODELS[name]())
