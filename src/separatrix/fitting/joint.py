"""The fit of all classes in one problem (Crammer and Singer)."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.fitting.binary import solve
from separatrix.fitting.context import FitContext
from separatrix.fitting.parameters import Settings
from separatrix.fitting.results import Deferred, JointFit, JointProblems
from separatrix.fitting.training import CHANGED, TrainingData
from separatrix.problem import JointPoint, JointProblem, JointSolution
from separatrix.proof.certificate import Certificate
from separatrix.proof.joint_duality import certify_joint
from separatrix.proof.optimal import optimal_joint

_CLOSE = 1e-9  # relative: the sums are the same up to the order in which BLAS adds


def fit_joint(data: TrainingData, context: FitContext, previous: Any) -> JointProblems:
    """Solve the joint problem; its result is proved like any other."""
    settings = context.settings
    problem = joint_problem(data, settings)
    solution = solve(problem, context, certify_joint, start=_start(previous, problem), rows=data.rows)
    A, W, b = solution.A, solution.W, solution.b
    F = problem.space.products(problem.space.combine(A) if W is None else W.T)
    squares = np.sum(A * F, axis=0) if W is None else np.sum(W * W, axis=1)
    names = tuple(data.name(code) for code in data.kept.tolist())
    return JointProblems(
        JointFit(
            classes=names,
            rows=data.rows,
            cost=problem.C,
            A=A,
            coef=np.empty((problem.n_classes, 0)) if W is None else W,
            intercept=b,
            slack=problem.slack(F, b),
            norms=np.sqrt(np.maximum(squares, 0.0)),
            **solution.outcome(),
            deferred=Deferred(lambda: _prove(data, problem, solution, names)),
        )
    )


def joint_problem(data: TrainingData, settings: Settings) -> JointProblem:
    """The problem on the rows of cost above 0."""
    X, rows = data.taking_part(settings.kernel), data.rows
    codes = np.searchsorted(data.kept, data.codes[rows]).astype(np.int64)
    return JointProblem(X, codes, data.cost[rows], len(data.kept), settings.bias, settings.kernel)


def _start(previous: Any, problem: JointProblem) -> JointPoint | None:
    """The last point of an earlier joint fit on as many rows and classes; weights follow the change of C."""
    joint = previous.joint if isinstance(previous, JointProblems) else None
    if joint is None or joint.A.shape != (problem.n_rows, problem.n_classes):
        return None
    if problem.kernel is None and joint.coef.shape[1] != problem.n_columns:
        return None
    A = joint.A * (problem.C / joint.cost)[:, None]
    return JointPoint(A, joint.coef if problem.kernel is None else None, joint.intercept)


def _prove(
    data: TrainingData, problem: JointProblem, solution: JointSolution, names: tuple[Any, ...]
) -> Certificate:
    now = problem.dual(solution.A, problem.space.products(problem.space.combine(solution.A)))
    if not abs(now - solution.dual) <= _CLOSE * max(abs(solution.dual), abs(solution.primal)):
        raise ValueError(CHANGED.format(what="the dual value", now=now, then=solution.dual))
    return optimal_joint(problem, solution, data.fingerprint, names, data.rows, data.X)
