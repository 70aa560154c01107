"""Which solver for a kernel problem.

The factor of a kernel matrix of n rows costs n^3 / 3 flops, and an interior point on it about twenty times
that: to the last digits in less time than a working set needs for three, while n is a few hundred.
"""

from __future__ import annotations

from separatrix.problem import KernelProblem
from separatrix.solvers.factored import Factored
from separatrix.solvers.interior_point import InteriorPoint
from separatrix.solvers.loop import Stage
from separatrix.solvers.newton import Newton

KERNEL_SOLVERS = ("auto", "gram")


def kernel_stages(
    problem: KernelProblem, solver: str = "auto", tol: float = 1e-3, seed: int = 0, cache_mb: float = 500.0
) -> list[Stage]:
    """The solvers to run in turn, each with the reason why it was chosen.

    >>> import numpy as np
    >>> from separatrix.problem import HINGE
    >>> from separatrix.problem.kernels import Rbf
    >>> X, y = np.array([[2.0], [-2.0]]), np.array([1.0, -1.0])
    >>> [stage.solver.name for stage in kernel_stages(KernelProblem(X, y, np.ones(2), HINGE, "free", Rbf(1.0)))]
    ['gram']
    """
    if solver not in KERNEL_SOLVERS:
        names = ", ".join(map(repr, KERNEL_SOLVERS))
        raise ValueError(f"With a kernel, solver must be one of {names}; got {solver!r}.")
    n = problem.n_rows
    interior = Factored(InteriorPoint(side="gram"))
    if problem.loss.squared:
        newton = Factored(Newton(screen=False, seed=seed))
        return [
            Stage(newton, f"{n} rows: Newton on the factor of the kernel matrix"),
            Stage(interior, "interior point on the factor of the kernel matrix"),
        ]
    return [Stage(interior, f"{n} rows: interior point on the factor of the kernel matrix")]
