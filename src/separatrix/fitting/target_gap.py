"""How far to go: `tol` is a promise, and small problems are solved much further because it is nearly free.

A relative gap of 1e-3 bounds the objective, not the digits of w. On a few thousand numbers the last digits
cost a millisecond, and with them copies of a row and its weight, or two orders of the same rows, give the
same model to about seven digits rather than to three. So up to `SMALL` entries the target is `FINE`; the
run ends early, as converged, once what was asked for is proved and more would cost more than that.
"""

from __future__ import annotations

from scipy import sparse

from separatrix.problem import JointProblem, KernelProblem, Problem

SMALL = 20_000  #: entries of X up to which the target is FINE
FINE = 1e-13  #: relative gap aimed at for small problems; rounding may stop the run before it
SMALL_KERNEL = 22_500  #: kernel values up to which the target is FINE_KERNEL
FINE_KERNEL = 1e-12  #: kernel values are rounded, and so is everything that follows from them
FINE_JOINT = 1e-9  #: dual points of joint problems are rounded to a grid


def target(problem: Problem | KernelProblem | JointProblem, tol: float) -> float:
    """The gap to aim at: tol, or FINE where the problem is small."""
    if isinstance(problem, KernelProblem):
        return min(tol, FINE_KERNEL) if problem.n_rows**2 <= SMALL_KERNEL else tol
    X = problem.X
    entries = X.nnz if sparse.issparse(X) else X.size
    fine = FINE_JOINT if isinstance(problem, JointProblem) else FINE
    return min(tol, fine) if entries <= SMALL else tol
