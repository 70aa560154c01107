"""The attributes of a fitted SVC, in scikit-learn's layouts, from the results of its binary problems.

                    two classes      ovr, k classes     ovo, k classes
    coef_           (1, d)           (k, d)             (k (k-1)/2, d)
    intercept_      (1,)             (k,)               (k (k-1)/2,)
    alpha_, slack_  (n,)             (k, n)             (k-1, n)
    dual_coef_      (1, n_support)   (k, n_support)     (k-1, n_support)

Rows of the last column: for a training row of class i, its alphas against the other classes in order, as in
scikit-learn's (LIBSVM's) ``dual_coef_``. Support vectors are grouped by class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.binary import BinaryResult
from separatrix.fitting.classes import Task
from separatrix.fitting.deferred import Deferred
from separatrix.fitting.kernel_decision import Surface
from separatrix.fitting.parameters import Settings
from separatrix.fitting.proofs import check_dual
from separatrix.fitting.support import Support
from separatrix.fitting.training import TrainingData
from separatrix.problem import Problem, Status
from separatrix.types import Vector

_KINDS = np.array(["", "margin", "slack"])
_SHORT = np.iinfo(np.uint16).max  # codes of so many classes are sorted in linear time, as short numbers
_SEVERITY = [Status.INTERRUPTED, Status.MAX_TIME, Status.MAX_ITER, Status.INSEPARABLE, Status.CONVERGED]


def attributes(data: TrainingData, todo: list[Task], problems: Mapping[Any, BinaryResult]) -> dict[str, Any]:
    """Every fitted attribute that is an array or a number, by name; ``_support`` stands for those of `HasSupport`."""
    results = list(problems.values())
    one, binary = results[0], len(results) == 1
    pairwise = not binary and todo[0].negative is not None
    alpha, slack = _by_row(data, todo, results, pairwise)
    linear = {} if one.kernel_norm is not None else {"coef_": np.stack([result.coef for result in results])}
    return {
        "classes_": data.classes[data.kept],
        "intercept_": np.array([result.intercept for result in results]),
        "intercept_interval_": np.array(
            one.intercept_interval if binary else [result.intercept_interval for result in results]
        ),
        "alpha_": alpha[0] if binary else alpha,
        "slack_": slack[0] if binary else slack,
        "_support": Deferred(lambda: _support(data, alpha, _signs(todo, data.kept, pairwise), one.squared)),
        "_pairwise": pairwise,
        **linear,
        **summary(problems),
    }


def summary(problems: Mapping[Any, BinaryResult]) -> dict[str, Any]:
    """The attributes that sum up the binary problems, by name."""
    results = list(problems.values())
    one, binary = results[0], len(results) == 1
    return {
        "margin_": one.margin if binary else np.array([result.margin for result in results]),
        "slab_width_": one.slab_width if binary else np.array([result.slab_width for result in results]),
        "primal_": float(sum(result.primal for result in results)),
        "dual_": float(sum(result.dual for result in results)),
        "gap_": float(max(result.gap for result in results)),
        "status_": min((result.status for result in results), key=_SEVERITY.index),
        "n_iter_": max(result.n_iter for result in results),
        "history_": one.history if binary else {key: problems[key].history for key in problems},
    }


def _by_row(
    data: TrainingData, todo: list[Task], results: list[BinaryResult], pairwise: bool
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


def support_vectors(
    data: TrainingData,
    todo: list[Task],
    problems: Mapping[Any, BinaryResult],
    settings: Settings,
    support: NDArray[np.intp],
) -> Any:
    """The training rows ``support``, once the dual values they give are found to be those of the fit."""
    for task in todo:
        result = problems[task.key]
        problem, _ = task.problem(data, settings)
        assert isinstance(problem, Problem), "a kernel model keeps its support vectors"
        check_dual(problem, result.alpha, result.dual, result.primal)
    return data.X[support]


def surface(
    data: TrainingData,
    todo: list[Task],
    problems: Mapping[Any, BinaryResult],
    settings: Settings,
    found: Mapping[str, Any],
) -> Surface:
    """What a kernel model with the attributes ``found`` predicts with: a copy of its support vectors, and their
    coefficients."""
    kernel, known = settings.kernel, found["_support"].get()
    support = known.rows
    assert kernel is not None
    if found["_pairwise"]:
        coefficients = _by_pair(data, todo, problems, support)
    else:
        coefficients = np.ascontiguousarray(known.coefficients.T)
    vectors = None if kernel.name == "precomputed" else data.X[support]
    return Surface(kernel, vectors, support, coefficients, found["intercept_"], settings.n_threads)


def _by_pair(
    data: TrainingData, todo: list[Task], problems: Mapping[Any, BinaryResult], support: NDArray[np.intp]
) -> Vector:
    """y alpha of the support vectors in each problem of a pair of classes, shape (n_support, n_problems)."""
    place = np.full(data.X.shape[0], -1)
    place[support] = np.arange(len(support))
    coefficients = np.zeros((len(support), len(todo)))
    for column, task in enumerate(todo):
        result = problems[task.key]
        used = result.alpha > 0
        rows = result.rows[used]
        sign = np.where(data.codes[rows] == task.positive, 1.0, -1.0)
        coefficients[place[rows], column] = sign * result.alpha[used]
    return coefficients
