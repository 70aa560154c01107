"""What each library says about its answer, and how good the answer is: the table in the README.

    python -m benchmarks.silence

Wisconsin breast cancer, 569 x 30, as published (unscaled), hinge loss, no bias, C = 1 (and free bias for
libraries that have one). Settings are each library's defaults, except where the table says otherwise.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

X, LABELS = load_breast_cancer(return_X_y=True)
Y = np.where(LABELS == 1, 1.0, -1.0)


def primal(w: Any, b: float = 0.0) -> float:
    w = np.asarray(w, dtype=float).ravel()
    return 0.5 * float(w @ w) + float(np.maximum(0.0, 1.0 - Y * (X @ w + b)).sum())


def linear_svc() -> float:
    from sklearn.svm import LinearSVC

    return primal(LinearSVC(loss="hinge", fit_intercept=False, random_state=0).fit(X, Y).coef_)


def liblinear() -> float:
    from liblinear import liblinearutil
    from scipy import sparse

    model = liblinearutil.train(liblinearutil.problem(Y, sparse.csr_matrix(X)), "-s 3 -q")
    w = np.array(model.w[: X.shape[1]])
    return primal(w if model.label[0] == 1 else -w)


def snapml(**settings: Any) -> float:
    from snapml import SupportVectorMachine

    model = SupportVectorMachine(regularizer=1.0, random_state=0, **settings)
    return primal(model.fit(X.astype(np.float32), Y.astype(np.float32)).coef_)


def rehline() -> float:
    from rehline import plqERM_Ridge

    return primal(plqERM_Ridge(loss={"name": "svm"}, C=1.0).fit(X, Y).coef_)


def libsvm() -> float:
    from sklearn.svm import SVC

    model = SVC(kernel="linear").fit(X, Y)
    return primal(model.coef_, float(model.intercept_[0]))


def ours(bias: str) -> float:
    from separatrix import SVC

    model = SVC(bias=bias).fit(X, Y)
    warnings.warn(f"{model.status_}, gap_ = {max(0.0, model.gap_):.0e}, certificate_", stacklevel=1)
    return primal(model.coef_, float(model.intercept_[0]))


def optimum(bias: str) -> float:
    from separatrix import SVC

    return float(SVC(bias=bias, tol=1e-9).fit(X, Y).dual_)


def main() -> None:
    lowest = {bias: optimum(bias) for bias in ("none", "free")}
    runs: list[tuple[str, str, Callable[[], float]]] = [
        ("scikit-learn LinearSVC", "none", linear_svc),
        ("liblinear -s 3 -q", "none", liblinear),
        ("snapml", "none", snapml),
        ("snapml, tol=1e-10, max_iter=100000", "none", lambda: snapml(tol=1e-10, max_iter=100_000)),
        ("rehline", "none", rehline),
        ("scikit-learn SVC(kernel='linear')", "free", libsvm),
        ("separatrix", "none", lambda: ours("none")),
        ("separatrix", "free", lambda: ours("free")),
    ]
    print("| library | bias | above the optimum | seconds | what it says |\n|---|---|---|---|---|")
    for name, bias, fit in runs:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                fit()  # pays for imports
            except ImportError as error:
                print(f"{name} left out: {error}")
                continue
            said.clear()
            began = time.perf_counter()
            value = fit()
            seconds = time.perf_counter() - began
        words = "; ".join(str(warning.message).splitlines()[0] for warning in said) or "nothing"
        print(f"| {name} | {bias} | {value / lowest[bias] - 1:.1e} | {seconds:.2f} | {words} |", flush=True)


if __name__ == "__main__":
    main()
