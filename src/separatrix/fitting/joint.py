"""All classes in one problem (Crammer and Singer): its fit and its result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.binary import solve
from separatrix.fitting.context import FitContext
from separatrix.fitting.deferred import Deferred
from separatrix.fitting.parameters import Settings
from separatrix.fitting.training import CHANGED, TrainingData
from separatrix.problem import History, JointPoint, JointProblem, JointSolution, Status
from separatrix.proof.certificate import Certificate
from separatrix.proof.joint_duality import certify_joint
from separatrix.proof.optimal import optimal_joint
from separatrix.threads import fit_threads
from separatrix.types import Vector

_CLOSE = 1e-9  # relative: the sums are the same up to the order in which BLAS adds


@dataclass(frozen=True, eq=False)
class JointFit:
    """The whole answer to one joint problem. Arrays run over the m rows that take part."""

    classes: tuple[Any, ...]
    rows: NDArray[np.intp]  #: (m,)
    cost: Vector  #: (m,) C_i
    A: Vector  #: (m, k)
    coef: Vector  #: (k, d); (k, 0) with a kernel
    intercept: Vector  #: (k,)
    slack: Vector  #: (m,)
    norms: Vector  #: (k,) ||w_m||
    primal: float
    dual: float
    gap: float
    status: Status
    n_iter: int
    history: History
    deferred: Deferred[Certificate] = field(repr=False)

    @property
    def margin(self) -> Vector:
        """Geometric margins 1 / ||w_m||, (k,)."""
        with np.errstate(divide="ignore"):
            return 1.0 / self.norms

    @property
    def certificate(self) -> Certificate:
        """The proof of the gap, for all classes at once."""
        return self.deferred.get()


@dataclass(frozen=True, eq=False)
class ClassResult:
    """What one class has of a joint problem; everything else is in ``joint``."""

    positive: Any
    intercept: float
    alpha: Vector  #: (m,) |A| of this class
    joint: JointFit = field(repr=False)

    @property
    def certificate(self) -> Certificate:
        """The proof, which speaks of all classes."""
        return self.joint.certificate


class JointProblems(Mapping[Any, ClassResult]):
    """``problems["a"]`` is what class "a" has of the joint problem; ``problems.joint`` is the problem itself."""

    def __init__(self, joint: JointFit) -> None:
        self.joint = joint

    def __getitem__(self, key: Any) -> ClassResult:
        if key not in self.joint.classes:
            raise KeyError(f"{key!r} is no class of this model; it has {', '.join(map(repr, self))}.")
        m = self.joint.classes.index(key)
        return ClassResult(key, float(self.joint.intercept[m]), np.abs(self.joint.A[:, m]), self.joint)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.joint.classes)

    def __len__(self) -> int:
        return len(self.joint.classes)


def fit_joint(data: TrainingData, context: FitContext, previous: Any) -> JointProblems:
    """Solve the joint problem; its result is proved like any other."""
    settings = context.settings
    problem = joint_problem(data, settings)
    with fit_threads(settings.n_threads):
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
            primal=solution.primal,
            dual=solution.dual,
            gap=solution.gap,
            status=solution.status,
            n_iter=solution.n_iter,
            history=solution.history,
            deferred=Deferred(lambda: _prove(data, problem, solution, names)),
        )
    )


def joint_problem(data: TrainingData, settings: Settings) -> JointProblem:
    """The problem on the rows of cost above 0."""
    X, rows = data.rows_of_cost, data.rows
    kernel = settings.kernel
    if kernel is not None and kernel.name == "precomputed" and len(rows) < X.shape[1]:
        X = X[:, rows]
    codes = np.searchsorted(data.kept, data.codes[rows]).astype(np.int64)
    return JointProblem(X, codes, data.cost[rows], len(data.kept), settings.bias, kernel)


def _start(previous: Any, problem: JointProblem) -> JointPoint | None:
    """Where an earlier joint fit on as many rows and classes ended; weights follow the change of C."""
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
    return optimal_joint(problem, solution, data.fingerprint.get(), names, data.rows, data.X)
