"""The attributes of a fitted SVC, in scikit-learn's layouts, from the results of its problems.

                    two classes      ovr, k classes     ovo, k classes     crammer-singer
    coef_           (1, d)           (k, d)             (k (k-1)/2, d)     (k, d)
    intercept_      (1,)             (k,)               (k (k-1)/2,)       (k,)
    alpha_          (n,)             (k, n)             (k-1, n)           (k, n), |A|
    slack_          (n,)             (k, n)             (k-1, n)           (n,)
    dual_coef_      (1, n_support)   (k, n_support)     (k-1, n_support)   (k, n_support), A itself

Rows of the third column: for a training row of class i, its alphas against the other classes in order, as in
scikit-learn's (LIBSVM's) ``dual_coef_``. Support vectors are grouped by class. Of a joint problem |A| says what
each row weighs in each class, and coef_ = dual_coef_ @ support_vectors_.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from separatrix.fitting.parameters import Settings
from separatrix.fitting.predicting import Surface
from separatrix.fitting.results import BinaryFit, Deferred, JointFit, JointProblems, Problems
from separatrix.fitting.training import Task, TrainingData, check_dual
from separatrix.problem import Status
from separatrix.problem.scaling import Scaling
from separatrix.types import Vector

_KINDS = np.array(["", "margin", "slack"])
_SHORT = np.iinfo(np.uint16).max  # codes of so many classes are sorted in linear time, as short numbers
_FULL = 1.0 - 1e-9  # share of C_i from which a joint weight is at its bound: balancing may take its last bits
_SEVERITY = [Status.INTERRUPTED, Status.MAX_TIME, Status.MAX_ITER, Status.INSEPARABLE, Status.CONVERGED]


@dataclass(frozen=True, eq=False)
class Support:
    """The rows with an alpha above zero in some problem, grouped by class."""

    rows: NDArray[np.intp]  #: (n_support,)
    counts: NDArray[np.int32]  #: of each class
    coefficients: Vector  #: (lines of alpha, n_support) y * alpha
    kinds: NDArray[np.str_]  #: "margin" or "slack"; "" where a row supports another problem only


@dataclass(frozen=True, eq=False)
class FittedSVC:
    """Everything that a fit gives a model; arrays in the layouts above."""

    problems: Problems | JointProblems
    classes: NDArray[Any]
    coef: Vector | None  #: None with a kernel
    intercept: Vector
    intercept_interval: Vector
    alpha: Vector
    slack: Vector
    support: Deferred[Support]
    support_vectors: Deferred[Any]
    pairwise: bool  #: True where predictions count the votes of pairs
    surface: Surface | None = None  #: what a kernel model predicts with
    scaling: Scaling | None = None  #: of the columns, before anything else


class FittedAttributes:
    """The fitted attributes of an SVC, on one machine or on a cluster."""

    _surface: Surface | None = None
    _support: Deferred[Support]
    _support_vectors: Deferred[Any]

    def _assign(self, fitted: FittedSVC) -> None:
        """Take over everything that a fit has found."""
        self.__dict__.pop("calibration_", None)  # of an earlier fit
        self.__dict__.pop("held_out_", None)
        results = _results(fitted.problems)
        one, single = results[0], len(results) == 1
        self.problems_: Mapping[Any, Any] = fitted.problems
        self.classes_ = fitted.classes
        self.scaling_: Scaling | None = fitted.scaling
        self.intercept_ = fitted.intercept
        self.intercept_interval_ = fitted.intercept_interval
        self.alpha_, self.slack_ = fitted.alpha, fitted.slack
        self.margin_: Any = one.margin if single else np.array([result.margin for result in results])
        self.slab_width_: Any = 2.0 * self.margin_
        self.primal_ = float(sum(result.primal for result in results))
        self.dual_ = float(sum(result.dual for result in results))
        self.gap_ = float(max(result.gap for result in results))
        self.status_ = min((result.status for result in results), key=_SEVERITY.index)
        self.n_iter_ = max(result.n_iter for result in results)
        if fitted.coef is not None:
            self.coef_ = fitted.coef
        self._support, self._support_vectors = fitted.support, fitted.support_vectors
        self._surface, self._pairwise = fitted.surface, fitted.pairwise

    @property
    def coef_(self) -> NDArray[np.float64]:
        """w, one row for each binary problem; only where w is a vector of the space of X."""
        if self._surface is not None:
            raise AttributeError(
                "coef_ exists for kernel='linear' only: in the space of another kernel w is a sum over the "
                "support vectors, with coefficients dual_coef_."
            )
        check_is_fitted(self, "_coef")
        return self._coef

    @coef_.setter
    def coef_(self, value: NDArray[np.float64]) -> None:
        self._coef = value

    @property
    def history_(self) -> Any:
        """Time, iteration, primal, dual, gap, solver and note of each step; a dict of them for many problems."""
        return self._by_problem("history")

    @property
    def certificate_(self) -> Any:
        """The proof of the gap; with many classes, a dict with one for each binary problem."""
        return self._by_problem("certificate")

    def _by_problem(self, name: str) -> Any:
        """An attribute of the one problem, or of each of many by its key."""
        check_is_fitted(self)
        values = [getattr(result, name) for result in _results(self.problems_)]
        return values[0] if len(values) == 1 else dict(zip(self.problems_, values, strict=True))

    @property
    def C_hard_(self) -> Any:  # noqa: N802  # C is the name of the subject
        """With C = inf: the smallest C for which the soft margin (hinge) has the same solution."""
        check_is_fitted(self)
        results = [r for r in self.problems_.values() if isinstance(r, BinaryFit)]
        values = [result.C_hard.get() for result in results if result.C_hard is not None]
        if not values:
            raise AttributeError("C_hard_ belongs to the hard margin: fit with C=float('inf').")
        return values[0] if len(values) == 1 else np.array(values)

    def _found_support(self) -> Support:
        check_is_fitted(self, "_support")
        return self._support.get()

    @property
    def support_(self) -> NDArray[np.intp]:
        """The training rows with an alpha above zero, grouped by class."""
        return self._found_support().rows

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors of each class."""
        return self._found_support().counts

    @property
    def dual_coef_(self) -> Vector:
        """y * alpha of the support vectors."""
        return self._found_support().coefficients

    @property
    def support_kind_(self) -> NDArray[np.str_]:
        """The kind of each support vector: "margin" or "slack"."""
        return self._found_support().kinds

    @property
    def support_vectors_(self) -> Any:
        """The rows ``support_`` of the training data, as dense or sparse as those were.

        Empty, shape (0, 0), where the kernel is precomputed: there the rows were never seen.
        """
        check_is_fitted(self, "_support_vectors")
        return self._support_vectors.get()


def _results(problems: Mapping[Any, Any]) -> list[BinaryFit | JointFit]:
    return [problems.joint] if isinstance(problems, JointProblems) else list(problems.values())


def fitted_binary(data: TrainingData, todo: list[Task], problems: Problems, settings: Settings) -> FittedSVC:
    """The record of a model whose problems are binary."""
    results = list(problems.values())
    one, binary = results[0], len(results) == 1
    pairwise = not binary and todo[0].negative is not None
    alpha, slack = _by_row(data, todo, results, pairwise)
    support = Deferred(lambda: _support(data, alpha, _signs(todo, data.kept, pairwise), one.squared))
    intercept = np.array([result.intercept for result in results])
    surface = None
    vectors = Deferred(lambda: _support_vectors(data, todo, results, settings, support.get().rows))
    if settings.kernel is not None:
        found = support.get()
        coefficients = _by_pair(data, todo, results, found.rows) if pairwise else found.coefficients.T
        surface = _surface(data, settings, found.rows, coefficients, intercept)
        vectors = Deferred(surface.support_vectors)
    return FittedSVC(
        problems=problems,
        classes=data.classes[data.kept],
        coef=np.stack([result.coef for result in results]) if surface is None else None,
        intercept=intercept,
        intercept_interval=np.array(
            one.intercept_interval if binary else [result.intercept_interval for result in results]
        ),
        alpha=alpha[0] if binary else alpha,
        slack=slack[0] if binary else slack,
        support=support,
        support_vectors=vectors,
        pairwise=pairwise,
        surface=surface,
        scaling=data.scaling,
    )


def fitted_joint(data: TrainingData, problems: JointProblems, settings: Settings) -> FittedSVC:
    """The record of a model whose classes share one problem."""
    joint, n, k = problems.joint, data.X.shape[0], len(data.kept)
    A, slack = np.zeros((k, n)), np.zeros(n)
    A[:, joint.rows], slack[joint.rows] = joint.A.T, joint.slack
    rows = np.flatnonzero(A.any(axis=0))
    rows = rows[np.argsort(data.codes[rows], kind="stable")]
    codes = np.searchsorted(data.kept, data.codes[rows])
    full = A[codes, rows] >= data.cost[rows] * _FULL
    counts, kinds = np.bincount(codes, minlength=k).astype(np.int32), np.where(full, "slack", "margin")
    found = Support(rows, counts, A[:, rows], kinds)
    surface = None
    vectors = Deferred(lambda: data.X[rows])
    if settings.kernel is not None:
        surface = _surface(data, settings, rows, A[:, rows].T, joint.intercept)
        vectors = Deferred(surface.support_vectors)
    return FittedSVC(
        problems=problems,
        classes=data.classes[data.kept],
        coef=joint.coef if surface is None else None,
        intercept=joint.intercept,
        intercept_interval=np.stack([joint.intercept, joint.intercept], axis=1),
        alpha=np.abs(A),
        slack=slack,
        support=Deferred(lambda: found),
        support_vectors=vectors,
        pairwise=False,
        surface=surface,
        scaling=data.scaling,
    )


def _surface(
    data: TrainingData, settings: Settings, rows: NDArray[np.intp], coefficients: Vector, intercept: Vector
) -> Surface:
    """A copy of the support vectors, and their coefficients (n_support, n_problems)."""
    assert settings.kernel is not None
    vectors = None if settings.kernel.name == "precomputed" else data.X[rows]
    coefficients = np.ascontiguousarray(coefficients)
    return Surface(settings.kernel, vectors, rows, coefficients, intercept, settings.n_threads)


def _by_row(
    data: TrainingData, todo: list[Task], results: list[BinaryFit], pairwise: bool
) -> tuple[Vector, Vector]:
    """alpha and slack of all n training rows, zero where a row takes no part; one result of all rows shares its own."""
    if not pairwise and len(data.rows) == len(data.codes):  # every row, in order
        if len(results) == 1:
            return _shared(results[0].alpha), _shared(results[0].slack)
        return np.array([result.alpha for result in results]), np.array([result.slack for result in results])
    shape = (len(data.kept) - 1 if pairwise else len(results), data.X.shape[0])
    alpha, slack = np.zeros(shape), np.zeros(shape)
    for index, (task, result) in enumerate(zip(todo, results, strict=True)):
        line: Any = index
        if pairwise:
            # A row of class i keeps its alpha against class j in line j, or j - 1 where j > i.
            i, j = np.searchsorted(data.kept, [task.positive, task.negative or 0])
            line = np.where(data.codes[result.rows] == task.positive, j - 1, i)
        alpha[line, result.rows] = result.alpha
        slack[line, result.rows] = result.slack
    return alpha, slack


def _shared(values: Vector) -> Vector:
    """The same memory as a line that cannot be written to: a certificate that is built later reads it too."""
    line = values[np.newaxis]
    line.flags.writeable = False
    return line


def _signs(todo: list[Task], kept: NDArray[np.intp], pairwise: bool) -> Vector:
    """y of the rows of each class that is kept in each line of alpha: +1 on the positive side, else -1."""
    if pairwise:
        positive = np.arange(len(kept) - 1)[:, np.newaxis] >= np.arange(len(kept))
    else:
        positive = np.array([[task.positive] for task in todo]) == kept
    return np.where(positive, 1.0, -1.0)


def _support(data: TrainingData, alpha: Vector, signs: Vector, squared: bool) -> Support:
    """The support vectors of alpha (lines, n) and their coefficients; ``signs`` are y of each class in each line."""
    rows, counts = _support_rows(data, alpha)
    columns = alpha[:, rows]
    kinds = _support_kinds(columns, None if squared else data.cost[rows])
    coefficients = columns * np.repeat(signs, counts, axis=1)
    return Support(rows, counts.astype(np.int32), coefficients, kinds[0] if len(alpha) == 1 else kinds)


def _support_rows(data: TrainingData, alpha: Vector) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows with an alpha above zero in some problem, class by class; how many of each class that is kept."""
    used = alpha[0] > 0 if len(alpha) == 1 else alpha.any(axis=0)
    if len(data.classes) == 2:
        sides = [np.flatnonzero(used & (data.codes == code)) for code in (0, 1)]
        return np.concatenate(sides), np.array([len(side) for side in sides])
    rows = np.flatnonzero(used)
    codes = data.codes[rows]
    order = (codes.astype(np.uint16) if len(data.classes) <= _SHORT else codes).argsort(kind="stable")
    return rows[order], np.bincount(codes, minlength=len(data.classes))[data.kept]


def _support_kinds(columns: Vector, cost: Vector | None) -> NDArray[np.str_]:
    """The kind of each alpha of the support vectors; a cost of None means the squared hinge, where all use slack."""
    if cost is None and len(columns) == 1:
        return np.broadcast_to(_KINDS[2:], columns.shape)  # words take more memory than all the numbers
    supporting = columns > 0
    slacking = supporting if cost is None else columns >= cost
    return _KINDS[np.add(supporting, supporting & slacking, dtype=np.intp)]


def _support_vectors(
    data: TrainingData,
    todo: list[Task],
    results: list[BinaryFit],
    settings: Settings,
    support: NDArray[np.intp],
) -> Any:
    """The training rows ``support``, once the dual values they give are found to be those of the fit."""
    for task, result in zip(todo, results, strict=True):
        problem, _ = task.problem(data, settings)
        check_dual(problem, result.alpha, result.dual, result.primal)
    return data.X[support]


def _by_pair(
    data: TrainingData, todo: list[Task], results: list[BinaryFit], support: NDArray[np.intp]
) -> Vector:
    """y alpha of the support vectors in each problem of a pair of classes, shape (n_support, n_problems)."""
    place = np.full(data.X.shape[0], -1)
    place[support] = np.arange(len(support))
    coefficients = np.zeros((len(support), len(todo)))
    for column, (task, result) in enumerate(zip(todo, results, strict=True)):
        used = result.alpha > 0
        rows = result.rows[used]
        sign = np.where(data.codes[rows] == task.positive, 1.0, -1.0)
        coefficients[place[rows], column] = sign * result.alpha[used]
    return coefficients
