"""A second opinion on an optimum: the lowest objective that other solvers find within a time limit.

Each solver runs in a forked child, which is ended when its time is up. Values are primal objectives in
float64, computed here from (w, b), whatever the solver says of itself.
"""

from __future__ import annotations

import multiprocessing
import time
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.methods import PIQP, LibSVM
from benchmarks.problems import Case

_LARGEST_QP = 3_000_000  # stored entries; beyond, factorisations alone exceed any patience


def objective(X: Any, y: np.ndarray, case: Case, w: np.ndarray, b: float) -> float:
    """The primal value at (w, b); an augmented bias is penalised like any weight."""
    slack = np.maximum(0.0, 1.0 - y * (X @ w + b))
    penalty = float(w @ w) + (b * b if case.bias == "augmented" else 0.0)
    return 0.5 * penalty + case.C * float(np.sum(slack if case.loss == "hinge" else slack * slack))


def lowest(X: Any, y: np.ndarray, case: Case, seconds: float) -> tuple[float, str]:
    """(objective, solver) of the best reference; infinity and "none" if nobody finished."""
    context = multiprocessing.get_context("fork")
    inbox, outbox = context.Pipe(duplex=False)
    child = context.Process(target=_attempts, args=(X, y, case, outbox), daemon=True)
    child.start()
    outbox.close()
    best, deadline = (np.inf, "none"), time.monotonic() + seconds
    try:
        while inbox.poll(max(0.0, deadline - time.monotonic())):
            best = min(best, inbox.recv())
    except EOFError:
        pass
    child.kill()
    child.join()
    return best


def _attempts(X: Any, y: np.ndarray, case: Case, outbox: Any) -> None:
    warnings.simplefilter("ignore")
    for name, w, b in _solutions(X, y, case):
        value = objective(X, y, case, np.asarray(w, dtype=float), float(b))
        if np.isfinite(value):
            outbox.send((value, name))
    outbox.close()


def _solutions(X: Any, y: np.ndarray, case: Case) -> Iterator[tuple[str, np.ndarray, float]]:
    entries = X.nnz if sparse.issparse(X) else X.size
    if case.bias != "free":
        yield "LinearSVC", *_linear_svc(X, y, case, 1_000)
    if case.loss == "hinge" and entries <= _LARGEST_QP and find_spec("piqp"):
        yield "piqp", *_piqp(X, y, case)
    if case.bias != "free":
        yield "LinearSVC", *_linear_svc(X, y, case, 10_000_000)
    if case.bias == "free" and case.loss == "hinge":
        method = LibSVM(case)
        method.prepare(X, y)
        for tol in (1e-3, 1e-5):
            yield "SVC linear", *method.fit({"tol": tol})


def _linear_svc(X: Any, y: np.ndarray, case: Case, max_iter: int) -> tuple[np.ndarray, float]:
    from sklearn.svm import LinearSVC

    fit_intercept = case.bias == "augmented"
    model = LinearSVC(
        C=case.C,
        loss=case.loss,
        dual=True,
        fit_intercept=fit_intercept,
        tol=1e-7,
        max_iter=max_iter,
        random_state=0,
    ).fit(X, y)
    return model.coef_.ravel(), float(model.intercept_[0]) if fit_intercept else 0.0


def _piqp(X: Any, y: np.ndarray, case: Case) -> tuple[np.ndarray, float]:
    """The QP of the free bias; the other biases are it on more columns or with b held at zero."""
    if case.bias == "free":
        method = PIQP(case)
        method.prepare(X, y)
        return method.fit({"eps": 1e-9})
    ones = np.ones((X.shape[0], 1))
    wide = (
        X if case.bias == "none" else sparse.hstack([X, ones]) if sparse.issparse(X) else np.hstack([X, ones])
    )
    method = PIQP(case)
    method.bias_bound = 0.0
    method.prepare(wide, y)
    w, _ = method.fit({"eps": 1e-9})
    return (w, 0.0) if case.bias == "none" else (w[:-1], float(w[-1]))
