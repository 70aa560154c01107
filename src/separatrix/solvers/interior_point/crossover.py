"""From a point near the optimum to the exact one: every row at 0, at C, or on the margin.

Near the end of the central path each row shows its kind, except a few whose margin is close to 1. The others
are held at their bound and these few, F, are solved for alone, to the last digit:

    1. interior point on F, cheap because F is small, until it no longer improves;
    2. optimality is linear once the kinds are known: with q the pull of the rows at C,
       z = q + A_F^T alpha_F where penalised,     A_F z = 1,     y_F.alpha_F = -q_b for a free bias.

The caller compares gaps over all rows and decides whether to believe the result.
Y. Ye, Math. Program. 57 (1992), on finite termination of interior-point methods.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import Problem, scores, weighted_sum
from separatrix.solvers.interior_point.central_path import CentralPath
from separatrix.solvers.interior_point.normal_equations import back_substitute, scaled_cholesky, smaller_side
from separatrix.solvers.interior_point.signed_rows import SignedRows
from separatrix.solvers.interior_point.tuning import Tuning
from separatrix.solvers.loop.deadline import OutOfTime
from separatrix.solvers.loop.stall import Stall
from separatrix.types import Vector

_TUNING = Tuning()


@dataclass(frozen=True)
class Corner:
    """A primal-dual pair of the hinge problem with its values over all rows."""

    alpha: Vector  # (n,)
    z: Vector  # (D,)
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """primal - dual."""
        return self.primal - self.dual


def undecided(path: CentralPath, span: slice = slice(None)) -> NDArray[np.bool_]:
    """The rows of the path, or of a span of them, that may yet be free: neither alpha << s nor C - alpha << xi."""
    least = path.tuning.undecided * path.C[span]
    free: NDArray[np.bool_] = (path.alpha[span] > least * path.s[span]) & (
        path.beta[span] > least * path.xi[span]
    )
    return free


def crossover(
    problem: Problem,
    alpha: Vector,
    z: Vector,
    few: NDArray[np.intp],
    take: Callable[[Problem, NDArray[np.intp]], Problem] = Problem.take,
    tuning: Tuning = _TUNING,
) -> Corner | None:
    """The corner with ``few`` rows free; alpha (n,) is at a bound elsewhere.

    ``take`` gets the problem of some rows, which may be elsewhere. None where the numbers are not finite or the run's
    time was over.
    """
    rows = SignedRows(take(problem, few), tuning=tuning.rows)
    alpha = alpha.copy()
    alpha[few] = 0.0
    h = _pull(problem, alpha)
    try:
        with np.errstate(all="ignore"):
            alpha[few], z = _solve(rows, problem, few, h, z, tuning)
    except OutOfTime:
        return None
    if not (np.all(np.isfinite(z)) and np.all(np.isfinite(alpha[few]))):
        return None
    z, primal = evaluate(problem, z)
    v = rows.pull(alpha[few]) + h
    missed = float(np.sum(np.abs(v[rows.R == 0.0]))) * (1.0 + abs(float(z[-1])))
    dual = float(np.sum(alpha)) - 0.5 * float(v @ (rows.R * v)) - missed
    return Corner(alpha, z, primal, dual)


def _pull(problem: Problem, alpha: Vector) -> Vector:
    yc = alpha * problem.y
    h = weighted_sum(problem.X, yc)
    return h if problem.bias == "none" else np.append(h, np.sum(yc))


def _solve(
    rows: SignedRows, problem: Problem, few: NDArray[np.intp], h: Vector, z: Vector, tuning: Tuning
) -> tuple[Vector, Vector]:
    """alpha of the few rows, and z, as exact as rounding allows."""
    width = np.full(len(few), 1e-12 + float(np.max(np.abs(rows.margins(z) - 1.0))))
    path = CentralPath.start(smaller_side(rows), problem.loss, problem.C[few], h, z, width, tuning)
    stall = Stall(tuning.corner_stall, 0.5)
    while not stall.stalled and path.advance():
        stall.update(max(0.0, path.primal() - path.dual()))  # below zero it is rounding
    alpha, exact = _on_the_margin(path)
    rounding = 1e-14 * abs(path.primal() + float(h @ z))
    if _gap(path, alpha, exact) <= _gap(path, path.alpha, path.z) + rounding:
        return alpha, exact
    return path.alpha, path.z


def _gap(path: CentralPath, alpha: Vector, z: Vector) -> float:
    """The gap of the few rows, for any alpha within bounds and z."""
    rows = path.algebra.rows
    return (
        replace(path, z=z, margins=rows.margins(z), current=True).primal()
        - replace(path, alpha=alpha, pulled=rows.pull(alpha) + path.h).dual()
    )


def _on_the_margin(path: CentralPath) -> tuple[Vector, Vector]:
    """Solve the linear system of the rows between their bounds; rows that leave their bounds stay there."""
    rows, C = path.algebra.rows, path.C
    low = (path.alpha <= C * path.s) & (path.s >= path.xi)
    high = (path.beta <= C * path.xi) & ~low
    alpha = np.where(low, 0.0, np.where(high, C, path.alpha))
    free = np.flatnonzero(~(low | high))
    b = float(path.z[-1])
    while 0 < len(free) <= 2 * rows.D + 10:
        A = rows.take(free)
        factor, scale = scaled_cholesky(np.asfortranarray((A * rows.R) @ A.T))
        y = rows.y[free]
        towards_bias = back_substitute(factor, scale, y)
        z, missed = _primal(path, alpha, b)
        change = back_substitute(factor, scale, 1.0 - A @ z)
        if rows.free_bias:
            db = (float(y @ change) + missed) / float(y @ towards_bias)
            change -= db * towards_bias
            b += db
        alpha[free] += change
        outside = ~((alpha[free] > 0.0) & (alpha[free] < C[free]))
        np.clip(alpha, 0.0, C, out=alpha)
        if not np.any(outside):
            break
        free = free[~outside]
    return alpha, _primal(path, alpha, b)[0]


def _primal(path: CentralPath, alpha: Vector, b: float) -> tuple[Vector, float]:
    """z of these alphas, with b for a free bias, and what the free bias misses of its equation."""
    rows = path.algebra.rows
    z = rows.pull(alpha) + path.h
    if not rows.free_bias:
        return z, 0.0
    missed = float(z[-1])
    z[-1] = b
    return z, missed


def evaluate(problem: Problem, z: Vector) -> tuple[Vector, float]:
    """z and its primal value over all rows; z is lengthened by rounding where that pays.

    Rows on the margin miss it by rounding, which a large C turns into loss: z / (1 - rounding) has none.
    """
    d = problem.n_columns
    b = 0.0 if problem.bias == "none" else float(z[-1])
    f = scores(problem.X, z[:d]) + b
    primal = problem.primal_value(float(z[:d] @ z[:d]), f, b)
    short = float(np.max(1.0 - problem.y * f))
    if 0.0 < short < 1e-9:
        longer = 1.0 / (1.0 - 2.0 * short)
        value = problem.primal_value(float(z[:d] @ z[:d]) * longer**2, f * longer, b * longer)
        if value < primal:
            return z * longer, value
    return z, primal
