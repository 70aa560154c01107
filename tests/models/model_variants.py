"""Fitted models of every kind that a model file must hold, by name; small enough to fit in milliseconds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from separatrix import SVC, Perceptron, calibrate, kernels

RNG = np.random.default_rng(3)
X = RNG.standard_normal((48, 3))
TWO = np.where(X[:, 0] + 0.5 * X[:, 1] + 0.4 * RNG.standard_normal(48) > 0, 1, -1)
APART = np.where(X[:, 0] > 0.0, "right", "left")
THREE = np.array(["a", "bb", "ccc"])[(X[:, 0] > -0.3).astype(int) + (X[:, 1] > 0.3)]
SPARSE = sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
NEW = np.vstack([RNG.standard_normal((40, 3)), X[:5]])


def svc(X_: Any = X, y: Any = TWO, **parameters: Any) -> Callable[[], Any]:
    return lambda: SVC(**parameters).fit(X_, y)


def perceptron(X_: Any = X, y: Any = APART, **parameters: Any) -> Callable[[], Any]:
    return lambda: Perceptron(**{"max_epochs": 30, **parameters}).fit(X_, y)


def weighted() -> Any:
    weights = np.ones(48)
    weights[::7] = 0.0
    return SVC(class_weight={1: 2.0, -1: 0.5}).fit(X, TWO, sample_weight=weights)


def calibrated(make: Callable[[], Any], y: Any, method: str) -> Callable[[], Any]:
    return lambda: calibrate(make(), X + 0.1, y, method)


def online(*batches: Any, **parameters: Any) -> Callable[[], Any]:
    def make() -> Any:
        model = Perceptron(**parameters)
        for rows, labels in batches:
            model.partial_fit(rows, labels)
        return model

    return make


def fit_then_online(**parameters: Any) -> Callable[[], Any]:
    return lambda: Perceptron(max_epochs=5, **parameters).fit(X, THREE).partial_fit(X[:20], THREE[:20])


VARIANTS: dict[str, Callable[[], Any]] = {
    "svc": svc(),
    "svc squared hinge": svc(loss="squared_hinge", bias="augmented"),
    "svc no bias": svc(bias="none", C=0.1),
    "svc bool classes": svc(y=TWO > 0),
    "svc float classes": svc(y=TWO.astype(np.float32)),
    "svc object classes": svc(y=APART.astype(object)),
    "svc sparse": svc(SPARSE),
    "svc float32": svc(X.astype(np.float32)),
    "svc scaled": svc(100.0 * X + 7.0, scaling="standard"),
    "svc scaled rbf": svc(y=THREE, scaling="range", kernel="rbf", multi_class="ovo"),
    "svc scaled sparse": svc(SPARSE, scaling="standard", kernel="poly", degree=2),
    "svc scaled joint": svc(y=THREE, scaling="standard", multi_class="crammer-singer"),
    "svc calibrated": calibrated(svc(scaling="range"), TWO, "sigmoid"),
    "svc calibrated isotonic": calibrated(svc(y=THREE, kernel="rbf"), THREE, "isotonic"),
    "svc calibrated venn-abers": calibrated(svc(y=THREE), THREE, "venn-abers"),
    "svc ovr": svc(y=THREE),
    "svc ovo": svc(y=THREE, multi_class="ovo"),
    "svc two classes ovo": svc(multi_class="ovo"),
    "svc hard margin": svc(y=APART, C=float("inf")),
    "svc balanced": svc(class_weight="balanced", random_state=np.random.RandomState(0)),
    "svc weighted": weighted,
    "svc weighted ovo": svc(y=THREE, multi_class="ovo", class_weight={"a": 2.0}),
    "svc rbf": svc(kernel="rbf"),
    "svc poly": svc(SPARSE, kernel="poly", degree=2, coef0=1.0, loss="squared_hinge"),
    "svc laplacian ovr": svc(y=THREE, kernel="laplacian", bias="augmented"),
    "svc rbf ovo": svc(X.astype(np.float32), y=THREE, kernel="rbf", multi_class="ovo"),
    "svc sum of kernels": svc(
        kernel=0.5 * kernels.Rbf("scale") + kernels.Linear() * kernels.Poly(2, "auto", 1.0)
    ),
    "svc linear object": svc(kernel=kernels.Linear()),
    "svc precomputed": svc(X @ X.T, kernel="precomputed"),
    "svc weighted rbf": lambda: SVC(kernel="rbf").fit(X, THREE, sample_weight=np.arange(48) % 3),
    "svc two weights rbf ovo": lambda: SVC(kernel="rbf", multi_class="ovo").fit(X, TWO, np.arange(48) % 4),
    "svc crammer-singer": svc(y=THREE, multi_class="crammer-singer"),
    "svc crammer-singer rbf": lambda: SVC(kernel="rbf", multi_class="crammer-singer").fit(
        X, THREE, np.arange(48) % 3
    ),
    "perceptron": perceptron(),
    "perceptron radius": perceptron(bias="radius", order="shuffle", random_state=1),
    "perceptron averaged": perceptron(output="averaged", y=TWO),
    "perceptron pocket": perceptron(output="pocket", y=TWO),
    "perceptron voted": perceptron(output="voted", y=TWO),
    "perceptron dual": perceptron(form="dual", bias="none"),
    "perceptron rbf": perceptron(kernel="rbf", y=TWO),
    "perceptron poly voted": perceptron(kernel="poly", output="voted", y=TWO),
    "perceptron laplacian averaged": perceptron(SPARSE, kernel="laplacian", output="averaged", y=TWO),
    "perceptron precomputed": perceptron(X @ X.T, kernel="precomputed"),
    "perceptron gradient": perceptron(algorithm="gradient", step="line-search"),
    "perceptron kesler": perceptron(y=THREE),
    "perceptron kesler voted": perceptron(y=THREE, output="voted"),
    "perceptron kesler rbf": perceptron(y=THREE, kernel="rbf", gamma=0.7),
    "perceptron budget": perceptron(kernel="rbf", y=TWO, budget=4),
    "perceptron ovr": perceptron(y=THREE, multi_class="ovr", output="averaged"),
    "perceptron inseparable": perceptron(
        np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0]), max_epochs=200
    ),
    "online": online((X[:20], TWO[:20]), (X[20:], TWO[20:])),
    "online one class": online((X[:1], TWO[:1])),
    "online growing": online((X[:8], THREE[:8]), (X, THREE), output="averaged"),
    "online pocket ovr": online((X, THREE), output="pocket", multi_class="ovr"),
    "online rbf": online((X, THREE), kernel="rbf", output="averaged"),
    "online sparse rbf": online((SPARSE, TWO), kernel="rbf"),
    "online budget": online((X, THREE), kernel="rbf", budget=5),
    "fit then online": fit_then_online(),
}


def fitted(name: str) -> Any:
    """The model of that name; those that stop at a limit say so, which is no news here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return VARIANTS[name]()


def rows_for(model: Any) -> Any:
    """Rows that the model can predict."""
    columns = model.n_features_in_
    return NEW if columns == 3 else RNG.standard_normal((30, columns))
