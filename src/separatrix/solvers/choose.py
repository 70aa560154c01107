"""The choice of solver: the one that runs first, and the one that takes over when it stalls or turns out slower.

The choice compares counted work. The unit is one entry of X visited in a long row; a blocked matrix product does
FLOPS_PER_ENTRY operations in its time. No clock is read and no rate of a machine is known, so that the same data,
settings and seed give the same solvers everywhere. n rows, D columns (the bias included), e stored entries,
q = min(n, D):

    pass                 e + row_visit n
    coordinate descent   passes sqrt(mean C |x|^2) min(1, n / (10 D)) passes
    interior point       path_steps (n D q + q^3 / 3 flops + path_passes e), times sqrt(400 D / n) below 1 (sampling)
    Newton               newton_matrices (n D^2 + D^3 / 3 flops) + path_passes e; squared hinge only

sqrt(C |x|^2) is how far one row can move its own margin: the passes that real data took, from 4 to 500, follow it
within a factor of about two. With few rows for each column they are far fewer. The gap asked for does not count: the
later passes of descent visit only the rows that still move. The first solver has patience: when its
gap, extrapolated, needs more work than the next one is counted at, the next one takes over. benchmarks/ABLATION.md has
the measurements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.memory import require_memory
from separatrix.problem import JointProblem, Problem, is_mapped, require_room
from separatrix.solvers.coordinate_descent.solver import CoordinateDescent
from separatrix.solvers.coordinate_descent.tuning import Tuning as DescentTuning
from separatrix.solvers.factored import Factored
from separatrix.solvers.interior_point.solver import InteriorPoint
from separatrix.solvers.joint.descent import JointDescent
from separatrix.solvers.joint.interior_point import JointInteriorPoint
from separatrix.solvers.loop.protocol import FLOPS_PER_ENTRY
from separatrix.solvers.loop.run import Stage
from separatrix.solvers.newton import Newton
from separatrix.solvers.smo.solver import BlockSmo
from separatrix.solvers.smo.tuning import Tuning as SmoTuning
from separatrix.types import Matrix

SOLVERS = ("auto", "coordinate-descent", "interior-point", "gram", "newton")
KERNEL_SOLVERS = ("auto", "block-smo", "gram")
JOINT_SOLVERS = ("auto", "coordinate-descent", "interior-point")


@dataclass(frozen=True)
class Tuning:
    """Numbers of the choice. All work is in entries visited."""

    #: Work of visiting a row, whatever its entries.
    row_visit: float = 60.0
    #: Passes of coordinate descent over all rows, times sqrt(mean C |x|^2).
    passes: float = 8.0
    #: Rows for each column from which on it takes so many passes; with fewer rows it takes fewer.
    rows_per_column: float = 10.0
    #: Steps of an interior point, and passes over its rows in each.
    path_steps: float = 15.0
    path_passes: float = 8.0
    #: Rows for each column up to which an interior point works on all of them.
    whole_rows: float = 400.0
    #: Matrices of all rows that Newton's method adds up; it makes as many passes as one step of an interior point.
    newton_matrices: float = 2.0
    #: Relative gap below which the solver that ends in the exact corner comes first, if its work is no more than this:
    #: without it two orders of the same rows agree to three digits rather than seven.
    last_digits: float = DescentTuning.last_digits
    negligible: float = 2e7
    #: Bytes beside X that a fit of one problem with its certificate takes for each row, at its peak.
    row_bytes: float = 270.0
    #: Side of the largest dense matrix to factorise, and how many of them are in memory at once: 512 MB each.
    largest_matrix: int = 8000
    matrices: int = 3

    #: Rows whose kernel matrix may be factored as a second opinion: 72 MB.
    factored_kernel: int = 3000
    #: Times n^3: kernel values that block SMO may still need before the matrix of n rows is factored instead.
    kernel_patience: float = 2.0

    #: Rows of a joint problem's kernel matrix to factorise: 1.2 GB.
    joint_kernel: int = 12_000
    #: Passes of joint descent for each digit of the relative gap. With 100: 2.1, with 1,000: 1.07
    #: (benchmarks/ABLATION.md).
    joint_passes: float = 300.0


_TUNING = Tuning()


@dataclass(frozen=True)
class Counts:
    """Work that each solver is expected to need; infinite where it does not apply."""

    descent: float
    path: float
    newton: float
    entries_per_pass: float  #: the part of the work of descent that is entries

    @property
    def second_order(self) -> float:
        """The lesser of the two that factorise a matrix."""
        return min(self.path, self.newton)


def stages(
    problem: Problem | JointProblem,
    solver: str = "auto",
    aim: float = 1e-3,
    seed: int = 0,
    cache_mb: float = 500.0,
    tuning: Tuning = _TUNING,
) -> list[Stage]:
    """The solvers to run in turn for a relative gap ``aim``, each with the reason why it was chosen.

    >>> from separatrix.problem import HINGE
    >>> X = np.array([[2.0], [-2.0]])
    >>> problem = Problem(X, np.array([1.0, -1.0]), np.ones(2), HINGE, "none")
    >>> [stage.solver.name for stage in stages(problem, aim=1e-3)]
    ['interior-point', 'interior-point', 'coordinate-descent']
    """
    if isinstance(problem, JointProblem):
        return _joint_stages(problem, solver, aim, seed, tuning)
    if problem.kernel is not None:
        return _kernel_stages(problem, solver, seed, cache_mb, tuning)
    _require_name(solver, SOLVERS, "solver must be one of {}")
    descent = CoordinateDescent(seed=seed)
    path = Stage(InteriorPoint(seed=seed), "asked for: interior point")
    all_rows = Stage(InteriorPoint(screen=False, seed=seed), "interior point on all rows at once")
    if solver == "coordinate-descent":
        return [Stage(descent, "asked for: coordinate descent")]
    if solver != "auto":
        _require_matrix(problem, solver, tuning)
        if solver == "gram":
            return [Stage(InteriorPoint(side="gram"), "asked for: interior point on the Gram side")]
        return (
            [Stage(Newton(seed=seed), "asked for: semismooth Newton")]
            if solver == "newton"
            else [path, all_rows]
        )

    shape = _shape(problem)
    require_row_memory(problem.X, tuning)
    if _side(problem) > tuning.largest_matrix:
        return [Stage(descent, f"{shape}: coordinate descent")]
    if is_mapped(problem.X):  # no solver that copies rows
        reason = f"{shape}, in a mapped file: coordinate descent, which reads rows where they are"
        return [Stage(descent, reason), all_rows]
    work = count(problem, tuning)
    second_order = [Stage(path.solver, f"{shape}: interior point"), all_rows]
    if work.newton <= work.path:
        second_order = [Stage(Newton(seed=seed), f"{shape}: semismooth Newton"), *second_order]
    exact = aim < tuning.last_digits and work.second_order <= tuning.negligible
    if exact or work.second_order <= work.descent:
        return [*second_order, Stage(descent, "coordinate descent from the best point so far")]
    patience = work.second_order * work.entries_per_pass
    return [Stage(descent, f"{shape}: coordinate descent", patience), *second_order]


def require_row_memory(X: Matrix, tuning: Tuning = _TUNING) -> None:
    """Raise MemoryError with a sentence if the rows of a mapped file are too many for what a fit keeps of each."""
    require_room(X, tuning.row_bytes, "A fit to")


def count(problem: Problem, tuning: Tuning = _TUNING) -> Counts:
    """Work of each solver, by the formulas above."""
    n, D, side = problem.n_rows, problem.n_columns + (problem.bias != "none"), _side(problem)
    values: Any = problem.X.ravel() if isinstance(problem.X, np.ndarray) else problem.X.data
    entries = max(1, len(values))
    reach = math.sqrt(float(np.mean(problem.C)) * float(np.dot(values, values)) / n)
    passes = tuning.passes * reach * min(1.0, n / (tuning.rows_per_column * D))
    one_pass = entries + tuning.row_visit * n
    factor = (n * D * side + side**3 / 3.0) / FLOPS_PER_ENTRY
    path = tuning.path_steps * (factor + tuning.path_passes * entries)
    if not problem.loss.squared:
        path *= min(1.0, math.sqrt(tuning.whole_rows * D / n))
    newton = math.inf
    if problem.loss.squared and tuning.largest_matrix >= D:
        matrix = (n * D * D + D**3 / 3.0) / FLOPS_PER_ENTRY
        newton = tuning.newton_matrices * matrix + tuning.path_passes * entries
    return Counts(passes * one_pass, path, newton, entries / one_pass)


def _kernel_stages(problem: Problem, solver: str, seed: int, cache_mb: float, tuning: Tuning) -> list[Stage]:
    """Block SMO, which reads only the kernel rows it needs; the factor of the whole matrix where rows are few.

    The factor of n rows costs n^3 / 3 flops, and an interior point on it about twenty times that: the last digits for a
    few hundred rows, and a second opinion for a few thousand.
    """
    _require_name(solver, KERNEL_SOLVERS, "With a kernel, solver must be one of {}")
    n = problem.n_rows
    path = Factored(InteriorPoint(side="gram"))
    factored = [Stage(path, f"{n} rows: interior point on the factor of the kernel matrix")]
    if problem.loss.squared:
        newton = Factored(Newton(sample=False, seed=seed))
        factored = [Stage(newton, f"{n} rows: Newton on the factor of the kernel matrix"), *factored]
    if solver == "gram":
        return factored
    wide = n <= SmoTuning.all_rows  # so few values that float64 costs nothing
    smo, alone = BlockSmo(cache_mb=cache_mb, wide=wide), n > tuning.factored_kernel
    assert problem.kernel is not None
    reason = f"{n} rows, {problem.kernel.name} kernel: block SMO"
    if solver == "block-smo" or alone:
        return [Stage(smo, reason)]
    return [Stage(smo, reason, tuning.kernel_patience * n**3), *factored]


def _joint_stages(problem: JointProblem, solver: str, aim: float, seed: int, tuning: Tuning) -> list[Stage]:
    """An interior point where its matrix is small, else descent by rows."""
    _require_name(solver, JOINT_SOLVERS, "solver must be one of {} for multi_class='crammer-singer'")
    n, k = problem.n_rows, problem.n_classes
    if problem.kernel is not None and n > tuning.joint_kernel:
        raise ValueError(
            "multi_class='crammer-singer' with a kernel factorises the kernel matrix, up to "
            f"{tuning.joint_kernel} rows; got {n}. Use multi_class='ovr' or 'ovo'."
        )
    descent, path = JointDescent(seed=seed), JointInteriorPoint()
    if solver == "coordinate-descent":
        return [Stage(descent, "asked for: coordinate descent")]
    if solver == "interior-point":
        return [Stage(path, "asked for: interior point")]
    X: Any = problem.X
    D = (n if problem.kernel is not None else problem.n_columns) + 1
    entries = int(X.nnz) if problem.is_sparse and problem.kernel is None else n * D
    flops = n * D * D * k * (k + 1.0) + (k * D) ** 3 / 3.0
    # Blocks of the matrix cost four times the flops of one large product.
    second_order = 4.0 * tuning.path_steps * flops / FLOPS_PER_ENTRY
    first_order = tuning.joint_passes * -math.log10(min(aim, 0.1)) * entries * k
    weights = f"{k} x {D} weights"
    if k * D > tuning.largest_matrix:
        return [Stage(descent, f"{weights}: coordinate descent")]
    stage = Stage(path, f"{weights}: interior point")
    if second_order <= first_order:
        return [stage, Stage(descent, "coordinate descent from the best point so far")]
    return [Stage(descent, f"{weights}: coordinate descent", 2.0 * second_order), stage]


def _require_name(solver: str, names: tuple[str, ...], sentence: str) -> None:
    if solver not in names:
        raise ValueError(f"{sentence.format(', '.join(map(repr, names)))}; got {solver!r}.")


def _require_matrix(problem: Problem, solver: str, tuning: Tuning) -> None:
    """Raise MemoryError with a sentence if there is no room for the matrix that the solver asked for factorises."""
    sides = {"gram": problem.n_rows, "newton": problem.n_columns, "interior-point": _side(problem)}
    side = sides[solver]
    purpose = (
        f"solver={solver!r} (use 'auto' for one that fits) factorises a matrix of {side:,} x {side:,}, which"
    )
    if side > tuning.largest_matrix:
        require_memory(8.0 * tuning.matrices * side * side, purpose)


def _side(problem: Problem) -> int:
    """The smaller of the numbers of rows and of columns: the side of the matrix that a second-order step factorises."""
    return min(problem.n_rows, problem.n_columns + (problem.bias != "none"))


def _shape(problem: Problem) -> str:
    n, d = problem.n_rows, problem.n_columns
    if n >= 10 * d:
        return f"rows >> columns ({n} x {d})"
    if d >= 10 * n:
        return f"columns >> rows ({n} x {d})"
    return f"{n} x {d}"
