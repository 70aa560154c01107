"""Exact leave-one-out: the prediction of each row by the model trained without it.

A row with alpha_i = 0 and no slack changes nothing: without it the same alpha is still feasible, the primal value is
the same and the dual value is the same, so the same gap proves the same (w, b). `removal` makes that an `optimal`
certificate of the problem without the row, for `separatrix.verify`, which reads all rows and leaves that one out.
Only support vectors are refitted, each from the full solution by an active-set method: the row is driven out, a
handful of rows move, and the gap of the reduced problem is recomputed. C_i and the kernel stay those of the fit
(``gamma="scale"`` and ``class_weight="balanced"`` are not worked out again without the row).

A row that is the last of its class counts as an error: without it its class is unknown.
Lachenbruch (1967); Cauwenberghs, Poggio: Incremental and decremental support vector machine learning, NIPS 2000.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import ParameterError, with_hint
from separatrix.fitting.inputs import check_matrix
from separatrix.fitting.predicting import pair_votes
from separatrix.problem import LOSSES, Problem, Solution, Status
from separatrix.problem.problem import relative_gap
from separatrix.proof.certificate import Certificate
from separatrix.proof.fingerprint import fingerprint
from separatrix.proof.optimal import optimal
from separatrix.proof.verify import verify
from separatrix.types import Vector
from separatrix.validation.box_qp import Iterate
from separatrix.validation.dual_view import (
    DualView,
    best_biases,
    fitted_kernel,
    relative_gap_of,
    training_rows,
    view_problem,
)

#: Relative gap that a refit must reach.
_REFIT_GAP = 1e-7
#: Slack, or length of the interval of best biases, up to which it counts as zero.
_NO_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Leave-one-out predictions of every training row."""

    error_rate: float
    errors: NDArray[np.bool_]  #: (n,) rows predicted wrongly by the model without them
    predictions: NDArray[Any]  #: (n,)
    #: (n,) for two classes, else (n, k), as in ``decision_function``; -inf, inf: class unknown.
    scores: Vector
    refits: int  #: models that had to be trained anew; the other rows change nothing
    gap: float  #: the largest relative duality gap among the refits

    def __str__(self) -> str:
        n = len(self.errors)
        return (
            f"leave-one-out error {self.error_rate:.4f} ({int(self.errors.sum())} of {n} rows), exact: {self.refits} "
            f"refits, each to a relative gap of {self.gap:.0e} or better; the other rows change nothing"
        )


def leave_one_out(model: Any, X: Any, y: Any) -> LeaveOneOut:
    """The exact leave-one-out error of a fitted `SVC` on its training data X (n, d), y (n,).

    >>> import separatrix as sx
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [1.6]], [0, 0, 1, 1, 0]
    >>> print(leave_one_out(sx.SVC(C=1.0).fit(X, y), X, y).errors)
    [False False  True  True  True]
    """
    rows, labels = training_rows(model, X), np.asarray(y)
    columns, refits, gap = [], 0, 0.0
    taking_part = np.zeros(len(labels), dtype=bool)
    for key, result in model.problems_.items():
        view = view_problem(model, rows, labels, key)
        left_out = scores_left_out(view)
        column = np.empty(len(labels))
        column[result.rows] = left_out.scores
        others = np.setdiff1d(np.arange(len(labels)), result.rows)
        if len(others):
            kernel = fitted_kernel(model)
            K = kernel.matrix(rows[others], rows if kernel.name == "precomputed" else rows[result.rows])
            K = K[:, result.rows] if kernel.name == "precomputed" else K
            column[others] = K @ (view.alpha * view.y) + view.b
        taking_part[result.rows] = True
        columns.append(column)
        refits, gap = refits + left_out.refits, max(gap, left_out.gap)
    scores = np.column_stack(columns)
    if scores.shape[1] == 1:
        scores, codes = scores[:, 0], (scores[:, 0] > 0).astype(np.intp)
    else:
        finite = np.clip(scores, -1e300, 1e300)
        scores = pair_votes(finite, len(model.classes_)) if model.multi_class == "ovo" else scores
        codes = scores.argmax(axis=1)
    predictions = model.classes_[codes]
    errors = (predictions != labels) & taking_part
    return LeaveOneOut(float(errors[taking_part].mean()), errors, predictions, scores, refits, gap)


@dataclass(frozen=True, eq=False)
class LeftOut:
    """f(x_i) of the problem without row i, for every row; refits made and the largest gap among them."""

    scores: Vector
    unique_bias: NDArray[np.bool_]  #: (m,) the problem without the row has one best bias only
    refits: int
    gap: float


def scores_left_out(view: DualView) -> LeftOut:
    """The leave-one-out scores of one binary problem."""
    scores, unique = view.scores + view.b, np.ones(view.n, dtype=bool)
    full = view.qp.start(view.alpha)
    refits, worst = 0, 0.0
    low, high = view.interval
    many_biases = view.bias == "free" and not view.squared and not view.hard and high > low
    for i in range(view.n):
        same_class = view.y == view.y[i]
        if np.count_nonzero(same_class) == 1:
            scores[i] = -view.y[i] * np.inf
        elif view.alpha[i] > 0 or view.slack[i] > _NO_SLACK:
            scores[i], unique[i], gap = _refit(view, full, i)
            refits, worst = refits + 1, max(worst, gap)
        elif many_biases:
            # w stays; the row may have been one of those that limit the bias.
            kept = np.arange(view.n) != i
            low, high = _biases_without(view, view.scores, view.alpha, kept)
            scores[i], unique[i] = view.scores[i] + 0.5 * (low + high), high - low <= _NO_SLACK
    return LeftOut(scores, unique, refits, worst)


def _biases_without(
    view: DualView, scores: Vector, alpha: Vector, kept: NDArray[np.bool_]
) -> tuple[float, float]:
    return best_biases(scores[kept], view.y[kept], view.cost[kept], alpha[kept], view.bias, view.squared)


def _refit(view: DualView, full: Iterate, row: int) -> tuple[float, bool, float]:
    """f(x_row) without the row, True if its bias is unique, and the gap reached."""
    kept = np.arange(view.n) != row
    at = view.qp.without(full.copy(), row)
    value, unique, gap = _judge(view, at.alpha, row, kept)
    if not gap <= _REFIT_GAP:
        again = view.qp.optimise(view.qp.start(at.alpha), fixed=row)  # the same with sums computed anew
        value, unique, gap = _judge(view, again.alpha, row, kept)
    if not gap <= _REFIT_GAP:
        raise with_hint(
            ArithmeticError,
            f"The model without row {int(view.rows[row])} reached a relative gap of {gap:.1e}, not {_REFIT_GAP:.0e}.",
            "scale the columns (sklearn.preprocessing.StandardScaler)",
        )
    return value, unique, gap


def _judge(view: DualView, alpha: Vector, row: int, kept: NDArray[np.bool_]) -> tuple[float, bool, float]:
    moved = np.flatnonzero(alpha != view.alpha)
    scores = view.scores + ((alpha - view.alpha) * view.y)[moved] @ view.K[moved]
    low, high = _biases_without(view, scores, alpha, kept)
    b = 0.5 * (low + high)
    return float(scores[row] + b), high - low <= _NO_SLACK, relative_gap_of(view, alpha, scores, b, kept)


@dataclass(frozen=True, eq=False)
class Removal:
    """Effect of removing a training row on the model."""

    row: int
    unchanged: bool
    reason: str
    #: Proof for the problem without the row, with the same (w, b); None where the model may change.
    certificate: Certificate | None

    def __bool__(self) -> bool:
        return self.unchanged


def removal(model: Any, X: Any, y: Any, row: int, key: Any = None) -> Removal:
    """Prove that a fitted linear `SVC` stays the same without one row of its training data, or say why it may not.

    >>> import numpy as np, separatrix as sx
    >>> X, y = np.array([[0.0], [1.0], [3.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> model = sx.SVC(C=1.0).fit(X, y)
    >>> bool(removal(model, X, y, 0)), bool(removal(model, X, y, 1))
    (True, False)
    >>> bool(sx.verify(removal(model, X, y, 0).certificate, X, y, exact=True))
    True
    """
    rows: Any = training_rows(model, X)
    if getattr(model, "_surface", None) is not None or not np.isfinite(model.C):
        raise ParameterError(
            "removal makes certificates for the linear soft margin; see leave_one_out for other models."
        )
    if key is None and len(model.problems_) > 1:
        raise ParameterError(f"Say which binary problem with key, one of {list(model.problems_)[:5]}.")
    result = next(iter(model.problems_.values())) if key is None else model.problems_[key]
    place = np.flatnonzero(result.rows == row)
    if len(place) == 0:
        return Removal(row, True, f"Row {row} takes no part in this problem.", None)
    i = int(place[0])
    if result.alpha[i] > 0 or result.slack[i] > 0:
        why = f"alpha = {result.alpha[i]:.6g}, slack = {result.slack[i]:.6g}"
        return Removal(
            row, False, f"Row {row} is a support vector ({why}): the model may change without it.", None
        )
    return _prove_unchanged(model, check_matrix(model, X, reset=False), rows, np.asarray(y), result, i, row)


def _prove_unchanged(
    model: Any, given: Any, rows: Any, labels: Any, result: Any, i: int, row: int
) -> Removal:
    kept = np.delete(np.arange(len(result.rows)), i)
    members = result.rows[kept]
    signs = np.where(labels[members] == result.positive, 1.0, -1.0)
    problem = Problem(rows[members], signs, result.cost[kept], LOSSES[model.loss], model.bias)
    w, b, alpha = result.coef, result.intercept, result.alpha[kept]
    primal, dual = problem.primal(w, b), problem.dual(alpha)
    gap = relative_gap(primal, dual)
    solution = Solution(w, b, alpha, primal=primal, dual=dual, gap=gap, status=Status.CONVERGED)
    others = [label for label in model.classes_.tolist() if label != result.positive]
    negative = others if result.negative is None else [result.negative]
    source = replace(fingerprint(given, labels), scaling=model.scaling_)
    certificate = optimal(problem, solution, source, [result.positive], negative, members)
    checked = verify(certificate, given, labels, exact=False)
    if not checked:
        return Removal(
            row, False, f"The certificate without row {row} was not proved: {checked.reason}", None
        )
    reason = f"Without row {row} the same (w, b) is optimal to the same accuracy: {checked.reason}"
    return Removal(row, True, reason, certificate)
