"""How far to go: `tol` is a promise, and small problems are solved much further because it is nearly free.

A relative gap of 1e-3 bounds the objective, not the digits of w. On a few thousand numbers the last digits
cost a millisecond, and with them copies of a row and its weight, or two orders of the same rows, give the
same model to about seven digits rather than to three. So up to `SMALL` entries the target is `FINE`; the
run ends early, as converged, once what was asked for is proved and more would cost more than that.
"""

from __future__ import annotations

from scipy import sparse

from separatrix.problem import JointProblem, Problem, Record

SMALL = 20_000  #: entries of X up to which the target is FINE
FINE = 1e-13  #: relative gap aimed at for small problems; rounding may stop the run before it
SMALL_KERNEL = 22_500  #: kernel values up to which the target is FINE_KERNEL
FINE_KERNEL = 1e-12  #: kernel values are rounded, and so is everything that follows from them
FINE_JOINT = 1e-9  #: dual points of joint problems are rounded to a grid
_FURTHER_STEPS = 100  # steps after tol is believed to be reached


def target(problem: Problem | JointProblem, tol: float) -> float:
    """The gap to aim at: tol, or FINE where the problem is small."""
    if isinstance(problem, Problem) and problem.kernel is not None:
        return min(tol, FINE_KERNEL) if problem.n_rows**2 <= SMALL_KERNEL else tol
    X = problem.X
    entries = X.nnz if sparse.issparse(X) else X.size
    fine = FINE_JOINT if isinstance(problem, JointProblem) else FINE
    return min(tol, fine) if entries <= SMALL else tol


class Enough:
    """Ends a run that aims below ``tol`` once ``tol`` is proved or has long been believed.

    >>> enough = Enough(1e-3)
    >>> enough(Record(0.1, 1, 2.0, 1.0, 0.5, "cd", proved=True))
    False
    >>> enough(Record(0.2, 2, 2.0, 1.9999, 5e-5, "cd", proved=True))
    True
    """

    def __init__(self, tol: float) -> None:
        self.tol = tol
        self.said = False
        self._steps = 0

    def __call__(self, record: Record) -> bool:
        """Whether to stop after this record."""
        if record.gap <= self.tol:
            self._steps += 1
            self.said = self.said or record.proved or self._steps > _FURTHER_STEPS
        return self.said
