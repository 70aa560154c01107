"""The certificate that removing a row changes nothing.

A row with alpha_i = 0 that uses no slack can go: the other alphas are still feasible, the dual value is the same and
so is the primal value of (w, b). The `optimal` certificate of the problem WITHOUT the row, made from the same
(w, b) and alpha, proves it: anyone can check it with `separatrix.verify`, which reads all rows and leaves that one out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from separatrix.errors import ParameterError
from separatrix.fitting.inputs import check_matrix
from separatrix.problem import LOSSES, Problem, Solution, Status
from separatrix.problem.problem import relative_gap
from separatrix.proof.certificate import Certificate
from separatrix.proof.fingerprint import fingerprint
from separatrix.proof.optimal import optimal
from separatrix.proof.verify import verify
from separatrix.validation.dual_view import training_rows


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
    return _prove(model, check_matrix(model, X, reset=False), rows, np.asarray(y), result, i, row)


def _prove(model: Any, given: Any, rows: Any, labels: Any, result: Any, i: int, row: int) -> Removal:
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
