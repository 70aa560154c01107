"""Which solver for which shape, and what to try next when it stalls or is too slow.

The choice compares estimated seconds of one thread. n rows, D columns (the bias included), e
stored entries, q = min(n, D), tol the relative gap:

    factor(r)            r D min(r, D) / rate + q^3 / (3 rate)       rate = 4e10 q / (q + 120) flop/s (BLAS-3)
    interior point       30 factor(n) for few rows; for many, with a sample of m rows,
                         15 factor(m) + 12 factor(share n) + passes over the data
    Newton               4 (n D^2 + D^3 / 3) / rate + 3 passes; squared hinge only
    coordinate descent   epochs x e x 1.5e-9 + a pass,   epochs ~ log10(1 / tol) / 6 times
                         20 + 2 sqrt(C |x|^2) (n / D)^0.4             hinge
                         60 + 100 min(C |x|^2, 20 n / D)              squared hinge

C |x|^2 is the mean over the rows. The constants were fitted to measured runs (dense and sparse, D from 4 to 784, C
from .01 to 100, relative gaps from 1e-2 to 1e-6) and replayed on twenty sets, with up to 47,000 columns: in the
geometric mean the solver that is chosen takes 6 % longer than the faster one. The estimates themselves are right
within a factor of about three; where the classes are separable coordinate descent may be ten times faster than that,
with hundreds of columns a hundred times (mnist), or not arrive at all: before an interior point of many seconds it is
put on trial. With the squared hinge it is where rows are fewer than twice the columns, unless the other takes next to
no time: there it took 2 to 16 passes on random rows, 4 to 8 on gene expressions, 50 on rows all alike (arcene).
A first solver that turns out slower than the estimate of the next is left for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.memory import require_memory
from separatrix.problem import Problem, is_mapped, require_room, row_blocks
from separatrix.solvers.coordinate_descent.solver import CoordinateDescent
from separatrix.solvers.interior_point.solver import InteriorPoint
from separatrix.solvers.loop.run import Stage
from separatrix.solvers.newton import Newton

SOLVERS = ("auto", "coordinate-descent", "interior-point", "gram", "newton")
_LAST_DIGITS = 1e-9  # relative gap below which the solver that ends in the exact corner is preferred,
_NEGLIGIBLE = 0.02  # if it takes no more seconds than this
_LARGEST_MATRIX = 8000  # side of the largest dense matrix to factorise: 512 MB
_WORTH_A_TRIAL = 2.0  # seconds of an interior point
_TRIAL, _SHORT_TRIAL = 0.3, 0.1  # of the seconds of what comes after
_MATRICES = 3  # of that size that a second-order solver holds at once
_ROW_STATE = 200.0  # bytes beside X that a fit of one problem with its certificate still takes for each row
_PROBE_ROWS = 300  # rows whose norms stand for all; fewer where they are long,
_PROBE_ENTRIES = 1 << 16  # dense entries together, but no fewer than
_PROBE_LEAST = 30
_PROBE_RUN = 100  # of them together in a mapped file, where a single row costs as much as megabytes


@dataclass(frozen=True)
class Estimate:
    """Seconds each solver is expected to need; infinite where it does not apply.

    Of coordinate descent the least it could need, where another one is no slower than that.
    """

    interior_point: float
    newton: float
    coordinate_descent: float


def stages(
    problem: Problem, solver: str = "auto", tol: float = 1e-3, n_threads: int = 1, seed: int = 0
) -> list[Stage]:
    """The solvers to run in turn, each with the reason why it was chosen.

    >>> from separatrix.problem import HINGE
    >>> X = np.array([[2.0], [-2.0]])
    >>> problem = Problem(X, np.array([1.0, -1.0]), np.ones(2), HINGE, "none")
    >>> [stage.solver.name for stage in stages(problem)]
    ['coordinate-descent', 'interior-point', 'interior-point']
    """
    if solver not in SOLVERS:
        raise ValueError(f"solver must be one of {', '.join(map(repr, SOLVERS))}; got {solver!r}.")
    if solver not in ("auto", "coordinate-descent"):
        _require_matrix(problem, solver)
    descent = CoordinateDescent(seed=seed)
    interior, thorough = InteriorPoint(seed=seed), InteriorPoint(screen=False, seed=seed)
    if solver == "coordinate-descent":
        return [Stage(descent, "asked for: coordinate descent")]
    if solver == "gram":
        return [Stage(InteriorPoint(side="gram"), "asked for: interior point on the Gram side")]
    if solver == "newton":
        return [Stage(Newton(seed=seed), "asked for: semismooth Newton")]
    unscreened = Stage(thorough, "interior point on all rows at once")
    if solver == "interior-point":
        return [Stage(interior, "asked for: interior point"), unscreened]

    shape = _shape(problem)
    require_room(problem.X, _ROW_STATE, "A fit to")
    if _side(problem) > _LARGEST_MATRIX:
        return [Stage(descent, f"{shape}: coordinate descent")]
    cost = estimate(problem, tol)
    second_order = [Stage(interior, f"{shape}: interior point"), unscreened]
    seconds = cost.interior_point
    if cost.newton <= cost.interior_point:
        second_order = [Stage(Newton(seed=seed), f"{shape}: semismooth Newton"), *second_order]
        seconds = cost.newton
    if is_mapped(problem.X):  # no solver that copies rows
        reason = f"{shape}, in a mapped file: coordinate descent, which reads rows where they are"
        return [Stage(descent, reason), unscreened]  # no patience: times are those of the disk
    if seconds <= max(_NEGLIGIBLE if tol < _LAST_DIGITS else 0.0, cost.coordinate_descent):
        plan = [*second_order, Stage(descent, "coordinate descent from the best point so far")]
        trial = _trial(problem, seconds)
        if not trial:
            return plan
        name = plan[0].solver.name
        reason = f"{shape}: coordinate descent on trial, before {name} of about {seconds:.2g} s"
        return [Stage(descent, reason, patience=seconds * 6e8, trial=trial * 6e8), *plan]
    reason = f"{shape}: coordinate descent, about {cost.coordinate_descent:.2g} s against {seconds:.2g} s"
    return [Stage(descent, reason, patience=(_NEGLIGIBLE + seconds) * 6e8), *second_order]


def estimate(problem: Problem, tol: float) -> Estimate:
    """Expected seconds of each solver; see the formulas above."""
    n, D, side = problem.n_rows, problem.n_columns + (problem.bias != "none"), _side(problem)
    X: Any = problem.X
    entries = int(X.nnz) if problem.is_sparse else n * D
    rate = 4e10 * side / (side + 120.0)

    def factor(rows: float) -> float:
        return (rows * D * min(rows, D) + side**3 / 3.0) / rate + 2e-4

    passes = 4e-9 * entries + 2e-8 * n
    sample = min((4.0 * n * math.sqrt(D)) ** (2 / 3), 300.0 * D)
    share = min(1.0, 3.0 * math.sqrt(D / sample))
    interior = 30.0 * factor(n)
    if n > max(3000, 10 * D) and not problem.loss.squared:
        interior = 15.0 * factor(sample) + 12.0 * factor(share * n)
    aspect, accuracy = max(1.0, n / D), max(1.0, -math.log10(max(tol, 1e-16))) / 6.0

    def descent(difficulty: float) -> float:
        if problem.loss.squared:
            epochs = 60.0 + 100.0 * min(difficulty, 20.0 * aspect)
        else:
            epochs = 20.0 + 2.0 * math.sqrt(difficulty) * aspect**0.4
        if problem.bias == "free":
            epochs *= 1.3  # an outer loop for the equality constraint
        return epochs * accuracy * entries * 1.5e-9 + 1e-8 * entries + 1e-3

    possible = side <= _LARGEST_MATRIX
    interior = interior + 10.0 * passes if possible else math.inf
    newton = math.inf
    if problem.loss.squared and D <= _LARGEST_MATRIX:
        newton = 4.0 * ((n * D * D + D**3 / 3.0) / rate + 2e-4) + 3.0 * passes
    easiest = descent(0.0)
    # Where even that is beaten, no row need be read to find out how hard they are.
    beaten = min(newton, interior) <= easiest
    return Estimate(interior, newton, easiest if beaten else descent(_mean_difficulty(problem)))


def _trial(problem: Problem, seconds: float) -> float:
    """Seconds that coordinate descent has to show its pace before a second-order solver of ``seconds``; 0 for none."""
    if problem.loss.squared:
        wide = problem.n_rows < 2 * problem.n_columns
        return _SHORT_TRIAL * seconds if wide and seconds > _NEGLIGIBLE else 0.0
    return _TRIAL * seconds if seconds >= _WORTH_A_TRIAL else 0.0


def _require_matrix(problem: Problem, solver: str) -> None:
    """Raise MemoryError with a sentence if there is no room for the matrix that the solver asked for factorises."""
    sides = {"gram": problem.n_rows, "newton": problem.n_columns, "interior-point": _side(problem)}
    side = sides[solver]
    purpose = (
        f"solver={solver!r} (use 'auto' for one that fits) factorises a matrix of {side:,} x {side:,}, which"
    )
    if side > _LARGEST_MATRIX:
        require_memory(8.0 * _MATRICES * side * side, purpose)


def _side(problem: Problem) -> int:
    """The smaller of the numbers of rows and of columns: the side of the matrix that a second-order step factorises."""
    return min(problem.n_rows, problem.n_columns + (problem.bias != "none"))


def _mean_difficulty(problem: Problem) -> float:
    """The mean of C_i |x_i|^2 over some of the rows: how hard rows press on their bounds."""
    n, long = (
        problem.n_rows,
        _PROBE_ROWS if problem.is_sparse else _PROBE_ENTRIES // max(1, problem.n_columns),
    )
    count = min(n, max(_PROBE_LEAST, min(_PROBE_ROWS, long)))
    together = _PROBE_RUN if is_mapped(problem.X) and n > 2 * _PROBE_ROWS else 1
    first = np.linspace(0, n - together, max(1, count // together)).astype(np.intp)
    rows = (first[:, None] + np.arange(together)).ravel()
    total = 0.0
    for span, block in row_blocks(problem.X[rows]):
        squares = block * block if isinstance(block, np.ndarray) else block.power(2)
        total += float(problem.C[rows[span]] @ squares.sum(axis=1))
    return total / len(rows)


def _shape(problem: Problem) -> str:
    n, d = problem.n_rows, problem.n_columns
    if n >= 10 * d:
        return f"rows >> columns ({n} x {d})"
    if d >= 10 * n:
        return f"columns >> rows ({n} x {d})"
    return f"{n} x {d}"
