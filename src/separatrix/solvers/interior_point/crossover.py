"""From a point near the optimum to the exact one: every row at 0, at C, or on the margin.

Near the end of the central path each row shows its kind, except a few whose margin is close to 1. The others
are held at their bound and these few, F, are solved for alone, to the last digit:

    1. interior point on F, cheap because F is small, until it no longer improves;
    2. optimality is linear once the kinds are known: with q the pull of the rows at C,
       z = q + A_F^T alpha_F where penalised,     A_F z = 1,     y_F.alpha_F = -q_b for a free bias;
    3. all rows are read: those on the wrong side of the margin join F, and again.

The caller compares gaps and decides whether to believe the result.
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
    """Which rows of the path, or of a span of them, may yet be free: neither alpha << s nor C - alpha << xi."""
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
    """The best corner found with ``few`` rows free to begin with; alpha (n,) is at a bound elsewhere.

    ``take`` gets the problem of some rows, which may be elsewhere. None where no corner was found before the run's time
    was over.
    """
    best: Corner | None = None
    alpha = alpha.copy()
    for _ in range(tuning.corner_rounds):
        rows = SignedRows(take(problem, few), tuning=tuning.rows)
        held = alpha.copy()
        held[few] = 0.0
        h = _pull(problem, held)
        try:
            with np.errstate(all="ignore"):
                alpha[few], z = _solve(rows, problem, few, h, z, tuning)
        except OutOfTime:
            return best
        if not (np.all(np.isfinite(z)) and np.all(np.isfinite(alpha[few]))):
            return best
        margins, z, primal = evaluate(problem, z)
        v = rows.pull(alpha[few]) + h
        missed = float(np.sum(np.abs(v[rows.R == 0.0]))) * (1.0 + abs(float(z[-1])))
        dual = float(np.sum(alpha)) - 0.5 * float(v @ (rows.R * v)) - missed
        if best is None or primal - dual < best.gap:
            best = Corner(alpha.copy(), z, primal, dual)
        wrong = np.where(held > 0, margins > 1.0, margins < 1.0)
        wrong[few] = False
        joining = np.flatnonzero(wrong)
        if len(joining) == 0 or len(joining) > max(len(few), len(z)):
            break
        few = np.sort(np.concatenate([few, joining]))
    return best


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
    for _ in range(tuning.corner_steps):
        if not path.advance():
            break
        stall.update(path.primal() - path.dual())
        if stall.stalled:
            break
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
        for _ in range(path.tuning.refinements):
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


def evaluate(problem: Problem, z: Vector) -> tuple[Vector, Vector, float]:
    """Margins of all rows, z, and the primal value; z is lengthened by rounding where that pays.

    Rows on the margin miss it by rounding, which a large C turns into loss: z / (1 - rounding) has none.
    """
    d = problem.n_columns
    b = 0.0 if problem.bias == "none" else float(z[-1])
    f = scores(problem.X, z[:d]) + b
    primal = problem.primal_value(float(z[:d] @ z[:d]), f, b)
    margins = problem.y * f
    short = float(np.max(1.0 - margins))
    if 0.0 < short < 1e-9:
        longer = 1.0 / (1.0 - 2.0 * short)
        value = problem.primal_value(float(z[:d] @ z[:d]) * longer**2, f * longer, b * longer)
        if value < primal:
            return margins * longer, z * longer, value
    # Rows within rounding of the margin are on it.
    margins[np.abs(margins - 1.0) <= 1e-13 * (1.0 + float(np.max(np.abs(margins))))] = 1.0
    return margins, z, primal
