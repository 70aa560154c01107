"""Which solver for the joint multi-class SVM: an interior point where its matrix is small, else descent by rows.

    interior point   25 (n D^2 k (k + 1) + (k D)^3 / 3) flop at 1e10 a second
    descent          about 300 log10(1 / tol) passes of e k entries at 1e9 a second

n rows of D columns (the rank of the kernel matrix, at most n, where there is a kernel), e stored entries, k classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.problem import JointProblem
from separatrix.solvers.joint.descent import JointDescent
from separatrix.solvers.joint.interior_point import JointInteriorPoint
from separatrix.solvers.loop.run import Stage

SOLVERS = ("auto", "coordinate-descent", "interior-point")
LARGEST_KERNEL = 12_000  # rows of a kernel matrix to factorise: 1.2 GB
_LARGEST_SIDE = 8000  # of the normal matrix: 512 MB
_NEGLIGIBLE = 0.5  # seconds


def joint_stages(problem: JointProblem, solver: str, tol: float, seed: int) -> list[Stage]:
    """The solvers to run in turn, each with the reason why it was chosen."""
    if solver not in SOLVERS:
        raise ValueError(
            f"solver must be one of {', '.join(map(repr, SOLVERS))} for multi_class='crammer-singer'; got {solver!r}."
        )
    if problem.kernel is not None and problem.n_rows > LARGEST_KERNEL:
        raise ValueError(
            f"multi_class='crammer-singer' with a kernel factorises the kernel matrix, up to {LARGEST_KERNEL} rows; "
            f"got {problem.n_rows}. Use multi_class='ovr' or 'ovo'."
        )
    descent, interior = JointDescent(seed=seed), JointInteriorPoint()
    if solver == "coordinate-descent":
        return [Stage(descent, "asked for: coordinate descent")]
    if solver == "interior-point":
        return [Stage(interior, "asked for: interior point")]
    n, k = problem.n_rows, problem.n_classes
    X: Any = problem.X
    D = (n if problem.kernel is not None else problem.n_columns) + 1
    entries = int(X.nnz) if problem.is_sparse and problem.kernel is None else n * D
    second_order = 25.0 * (n * D * D * k * (k + 1.0) + (k * D) ** 3 / 3.0) / 1e10
    first_order = 300.0 * -np.log10(min(tol, 0.1)) * entries * k / 1e9
    if k * D > _LARGEST_SIDE:
        return [Stage(descent, f"{k} x {D} weights: coordinate descent")]
    stage = Stage(interior, f"{k} x {D} weights: interior point, about {second_order:.2g} s")
    if second_order <= max(_NEGLIGIBLE, first_order):
        return [stage, Stage(descent, "coordinate descent from the best point so far")]
    reason = f"coordinate descent, about {first_order:.2g} s against {second_order:.2g} s"
    return [Stage(descent, reason, patience=1e9 * (_NEGLIGIBLE + 2.0 * second_order)), stage]
