"""The surroundings of a fit: its settings, its seed, Ctrl-C and observers; and how far small problems are solved."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from separatrix.fitting.observer import Observer
from separatrix.fitting.parameters import Settings
from separatrix.problem import JointProblem, Problem, is_sparse
from separatrix.solvers.loop.deadline import InterruptFlag


@dataclass(frozen=True)
class FitContext:
    """Everything that a fit is given in addition to its problem."""

    settings: Settings = field(default_factory=Settings)
    seed: int = 0
    interrupt: InterruptFlag | None = None  #: the caller's; None: the loop watches Ctrl-C itself
    observer: Observer | None = None


@dataclass(frozen=True)
class Aims:
    """Relative gaps that small problems are solved to, though only ``tol`` is promised.

    ``tol`` bounds the objective, not the digits of w. On a few thousand numbers the last digits cost a millisecond,
    and with them copies of a row and its weight, or two orders of the same rows, give the same model to about seven
    digits rather than to three (tests/svm/test_svc_weights.py).
    """

    entries: int = 20_000  #: entries of X up to which a linear problem is small
    linear: float = 1e-13  #: rounding may stop the run before it
    kernel_values: int = 22_500  #: values of the kernel up to which a kernel problem is small
    kernel: float = 1e-12  #: kernel values are rounded, and so is everything that follows from them
    joint: float = 1e-9  #: dual points of joint problems are rounded to a grid


AIMS = Aims()


def aim(problem: Problem | JointProblem, tol: float, aims: Aims = AIMS) -> float:
    """Relative gap to aim at: tol, or less where the problem is small."""
    if isinstance(problem, Problem) and problem.kernel is not None:
        return min(tol, aims.kernel) if problem.n_rows**2 <= aims.kernel_values else tol
    fine = aims.joint if isinstance(problem, JointProblem) else aims.linear
    return min(tol, fine) if stored_entries(problem.X) <= aims.entries else tol


def stored_entries(X: Any) -> int:
    """Numbers that a pass over X reads."""
    return int(X.nnz if is_sparse(X) else X.size)
