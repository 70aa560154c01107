"""Every library as one class: what it takes, the sweep over its own accuracy setting, and one fit.

``prepare`` puts the data into the form the library reads fastest; its time is not counted. ``fit`` is
what is timed, and returns (w, b). Settings run from loose to tight. Each library is imported in
``prepare``, inside the process that measures it, so that a missing one costs a sentence and not the run.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from benchmarks.problems import Case

Setting = dict[str, Any]
_TOLERANCES = (10.0, 3.0, 1.0, 0.3, 0.1, 3e-2, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
_ROUNDS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000)


class Method:
    """One library in one configuration."""

    name: ClassVar[str]
    counted: ClassVar[bool] = True  #: whether it enters "best peer"

    def __init__(self, case: Case) -> None:
        self.case = case

    @classmethod
    def takes(cls, case: Case) -> bool:
        return case.bias == "none"

    def settings(self) -> Iterator[Setting]:
        raise NotImplementedError

    def prepare(self, X: Any, y: np.ndarray) -> None:
        self.X, self.y = X, y

    def fit(self, setting: Setting) -> tuple[np.ndarray, float]:
        raise NotImplementedError


class _Separatrix(Method):
    dtype: ClassVar[Any]
    solver = "auto"

    @classmethod
    def takes(cls, case: Case) -> bool:
        return True

    def settings(self) -> Iterator[Setting]:
        yield from ({"tol": tol} for tol in (0.1, 0.03, 1e-2, 3e-3, 1e-3, 1e-5, 3e-6, 1e-6))

    def prepare(self, X: Any, y: np.ndarray) -> None:
        import separatrix

        self.SVC, self.X, self.y = separatrix.SVC, X.astype(self.dtype), y

    def fit(self, setting: Setting) -> tuple[np.ndarray, float]:
        case = self.case
        model = self.SVC(C=case.C, loss=case.loss, bias=case.bias, solver=self.solver, n_threads=1, **setting)
        model.fit(self.X, self.y)
        self.said = {
            "status": str(model.status_),
            "gap": float(model.gap_),
            "solver": model.history_[-1].solver,
            "iterations": int(model.n_iter_),
            "dual": float(model.dual_),
        }
        return model.coef_.ravel(), float(model.intercept_[0])


class SeparatrixFloat32(_Separatrix):
    name = "separatrix f32"
    dtype = np.float32


class SeparatrixFloat64(_Separatrix):
    name = "separatrix f64"
    dtype = np.float64


class LinearSVC(Method):
    """scikit-learn on LIBLINEAR, dual coordinate descent, swept over tol."""

    name = "LinearSVC"
    dual = True

    def settings(self) -> Iterator[Setting]:
        yield from ({"tol": tol, "max_iter": 10_000_000} for tol in _TOLERANCES)

    def prepare(self, X: Any, y: np.ndarray) -> None:
        from sklearn.svm import LinearSVC as Model

        self.Model, self.X, self.y = Model, X, y

    def fit(self, setting: Setting) -> tuple[np.ndarray, float]:
        model = self.Model(
            C=self.case.C, loss=self.case.loss, dual=self.dual, fit_intercept=False, random_state=0, **setting
        )
        model.fit(self.X, self.y)
        return model.coef_.ravel(), 0.0


class LinearSVCRounds(LinearSVC):
    """The same, stopped after a number of epochs: reaches loose accuracies where tol alone runs for ever."""

    name = "LinearSVC max_iter"

    def settings(self) -> Iterator[Setting]:
        yield from ({"tol": 1e-12, "max_iter": rounds} for rounds in _ROUNDS)


class LinearSVCPrimal(LinearSVC):
    """scikit-learn on LIBLINEAR, trust-region Newton on the primal (squared hinge only)."""

    name = "LinearSVC primal"
    dual = False

    @classmethod
    def takes(cls, case: Case) -> bool:
        return case.bias == "none" and case.loss == "squared_hinge"


class Liblinear(Method):
    """LIBLINEAR's own package, its conversion of the data included."""

    name = "liblinear"
    convert = True

    def settings(self) -> Iterator[Setting]:
        solvers = (3,) if self.case.loss == "hinge" else (1, 2)
        yield from ({"s": s, "e": tol} for s in solvers for tol in _TOLERANCES[4:])

    def prepare(self, X: Any, y: np.ndarray) -> None:
        from liblinear import liblinearutil

        self.library, self.X, self.y = liblinearutil, sparse.csr_matrix(X), y
        self.problem = None if self.convert else liblinearutil.problem(self.y, self.X)

    def fit(self, setting: Setting) -> tuple[np.ndarray, float]:
        problem = self.problem or self.library.problem(self.y, self.X)
        options = f"-s {setting['s']} -c {self.case.C!r} -e {setting['e']!r} -q"
        model = self.library.train(problem, options)
        w = np.array(model.w[: self.X.shape[1]])
        return (w if model.label[0] == 1 else -w), 0.0


class LiblinearTrained(Liblinear):
    """The same without its conversion (slow where numba is absent): shown, not counted as best peer."""

    name = "liblinear, training only"
    counted = False
    convert = False


class SnapML(Method):
    """IBM Snap ML, which works in float32."""

    name = "snapml f32"

    def settings(self) -> Iterator[Setting]:
        yield from ({"tol": tol, "max_iter": 1_000_000} for tol in _TOLERANCES[4:])

    def prepare(self, X: Any, y: np.ndarray) -> None:
        from snapml import SupportVectorMachine

        self.Model, self.X, self.y = SupportVectorMachine, X.astype(np.float32), y.astype(np.float32)

    def fit(self, setting: Setting) -> tuple[np.ndarray, float]:
        model = self.Model(
            loss=self.case.loss,
            regularizer=1.0 / self.case.C,
            fit_intercept=False,
            n_jobs=1,
            random_state=0,
            **setting,
        )
        model.fit(self.X, self.y)
        return np.asarray(model.coef_, dtype=float).ravel(), 0.0


class SnapMLRounds(SnapML):
    name = "snapml f32 max_iter"

    def settings(self) -> Iterator[Setting]:
        yield from ({"tol": 1e-12, "max_iter": rounds} for rounds in _ROUNDS)


class ReHLine(Method):
    name = "rehline"

    def settings(self) -> Iterator[Setting]:
        yield from ({"tol": tol, "max_iter": 10_000_000} for tol in _TOLERANCES[2:])

    def prepare(self, X: Any, y: np.ndarray) -> None:
        from rehline import plqERM_Ridge

        self.Model, self.X, self.y = plqERM_Ridge, X, y

    def fit(self, setting: Setting) -> tuple[np.ndarray, float]:
        loss = {"name": "svm" if self.case.loss == "hinge" else "squared svm"}
        model = self.Model(loss=loss, C=self.case.C, **setting)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(self.X, self.y)
        return np.asarray(model.coef_).ravel(), 0.0


class ReHLineRounds(ReHLine):
    name = "rehline max_iter"

    def settings(self) -> Iterator[Setting]:
        yield from ({"tol": 1e-12, "max_iter": rounds} for rounds in _ROUNDS)


class _FreeBias(Method):
    @classmethod
    def takes(cls, case: Case) -> bool:
        return case.bias == "free" and case.loss == "hinge"


class LibSVM(_FreeBias):
    """scikit-learn's SVC(kernel="linear") on LIBSVM."""

    name = "SVC linear"

    def settings(self) -> Iterator[Setting]:
        yield from ({"tol": tol} for tol in _TOLERANCES[4:12])

    def prepare(self, X: Any, y: np.ndarray) -> None:
        from sklearn.svm import SVC

        self.Model, self.X, self.y = SVC, X.toarray() if sparse.issparse(X) else X, y

    def fit(self, setting: Setting) -> tuple[np.ndarray, float]:
        model = self.Model(C=self.case.C, kernel="linear", cache_size=1000, **setting).fit(self.X, self.y)
        return model.coef_.ravel(), float(model.intercept_[0])


class PIQP(_FreeBias):
    """A proximal interior-point QP solver on min 1/2 ||w||^2 + C sum xi, y (X w + b) + xi >= 1, xi >= 0."""

    name = "piqp"
    bias_bound = np.inf  #: 0 leaves the bias out

    def settings(self) -> Iterator[Setting]:
        yield from ({"eps": tol} for tol in _TOLERANCES[6:14])

    def prepare(self, X: Any, y: np.ndarray) -> None:
        import piqp

        n, d = X.shape
        rows = sparse.diags_array(y) @ sparse.csr_matrix(X)
        P = sparse.diags_array(np.concatenate([np.ones(d), np.zeros(n + 1)]), format="csc")
        c = np.concatenate([np.zeros(d + 1), np.full(n, self.case.C)])
        G = sparse.hstack([rows, sparse.csr_matrix(y[:, None]), sparse.eye_array(n)], format="csc")
        bound = [self.bias_bound]
        lower = np.concatenate([np.full(d, -np.inf), np.negative(bound), np.zeros(n)])
        upper = np.concatenate([np.full(d, np.inf), bound, np.full(n, np.inf)])
        self.library, self.d = piqp, d
        self.parts = tuple(sparse.csc_matrix(part) for part in (P, G))
        self.vectors = (c, np.ones(n), lower, upper)

    def fit(self, setting: Setting) -> tuple[np.ndarray, float]:
        solver = self.library.SparseSolver()
        for name in ("eps_abs", "eps_rel", "eps_duality_gap_abs", "eps_duality_gap_rel"):
            setattr(solver.settings, name, setting["eps"])
        (P, G), (c, ones, lower, upper) = self.parts, self.vectors
        solver.setup(P, c, G=G, h_l=ones, x_l=lower, x_u=upper)
        solver.solve()
        x = np.asarray(solver.result.x)
        return x[: self.d], float(x[self.d])


OURS: list[type[Method]] = [SeparatrixFloat32, SeparatrixFloat64]
PEERS: list[type[Method]] = [
    LinearSVC,
    LinearSVCRounds,
    LinearSVCPrimal,
    Liblinear,
    LiblinearTrained,
    SnapML,
    SnapMLRounds,
    ReHLine,
    ReHLineRounds,
    LibSVM,
    PIQP,
]
METHODS = {method.name: method for method in [*OURS, *PEERS]}
