"""Which solver for a kernel problem, and what to try next when it stalls.

Block SMO reads only the kernel rows it needs. The factor of the whole matrix of n rows costs n^3 / 3 flops, and an
interior point on it about twenty times that: the last digits for a few hundred rows, and a second opinion for a few
thousand.
"""

from __future__ import annotations

from separatrix.problem import Problem
from separatrix.solvers.factored import Factored
from separatrix.solvers.interior_point.solver import InteriorPoint
from separatrix.solvers.loop.run import Stage
from separatrix.solvers.newton import Newton
from separatrix.solvers.smo.solver import BlockSmo

KERNEL_SOLVERS = ("auto", "block-smo", "gram")
_TINY = 150  # rows whose kernel values are so few that float64 costs nothing
_FACTORED = 3000  # rows whose kernel matrix may be factored: 72 MB


def kernel_stages(
    problem: Problem, solver: str = "auto", tol: float = 1e-3, seed: int = 0, cache_mb: float = 500.0
) -> list[Stage]:
    """The solvers to run in turn, each with the reason why it was chosen.

    >>> import numpy as np
    >>> from separatrix.problem import HINGE
    >>> from separatrix.problem.kernels import Rbf
    >>> X, y = np.array([[2.0], [-2.0]]), np.array([1.0, -1.0])
    >>> [stage.solver.name for stage in kernel_stages(Problem(X, y, np.ones(2), HINGE, "free", Rbf(1.0)))]
    ['block-smo', 'gram']
    """
    if solver not in KERNEL_SOLVERS:
        names = ", ".join(map(repr, KERNEL_SOLVERS))
        raise ValueError(f"With a kernel, solver must be one of {names}; got {solver!r}.")
    assert problem.kernel is not None
    n = problem.n_rows
    interior = Factored(InteriorPoint(side="gram"))
    whole = [Stage(interior, f"{n} rows: interior point on the factor of the kernel matrix")]
    if problem.loss.squared:
        newton = Factored(Newton(sample=False, seed=seed))
        whole = [Stage(newton, f"{n} rows: Newton on the factor of the kernel matrix"), *whole]
    if solver == "gram":
        return whole
    reason = f"{n} rows, {problem.kernel.name} kernel: block SMO"
    if solver == "block-smo" or n > _FACTORED:
        return [Stage(BlockSmo(cache_mb=cache_mb, wide=n <= _TINY), reason)]
    return [Stage(BlockSmo(cache_mb=cache_mb, wide=n <= _TINY), reason, patience=2.0 * n**3), *whole]
