"""What a solver is: ``init``, ``step``, ``terminate``, ``point``. No printing, no validation, no loop.

A step is one bounded piece of work (an epoch, a Newton iteration), so that the estimator, an animation
and a cluster worker can all drive the same step. Settings live in the solver (a frozen dataclass), what
changes lives in the state.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeVar

from separatrix.problem import Point

State = TypeVar("State")
#: `Problem`, or `KernelProblem` for solvers that need no more of the rows than their inner products.
Asked = TypeVar("Asked", contravariant=True)


@dataclass(frozen=True)
class Progress:
    """What a step believes it reached. Estimates only: they steer, they are never reported as proved."""

    primal: float
    dual: float
    work: float = 0.0
    note: str = ""


class Verdict(Enum):
    """What a solver asks of the loop after a step."""

    GO_ON = "go on"
    CHECK = "check"  #: the gap is believed to be within tol: prove it
    STALLED = "stalled"  #: more steps would not help: prove what there is, then try another solver


class Solver(Protocol[Asked, State]):
    """One algorithm. All methods may be called from any thread as long as the state is not shared."""

    @property
    def name(self) -> str:
        """Short name, as in ``SVC(solver=...)`` and in the history."""
        ...

    def init(self, problem: Asked, start: Point | None, n_threads: int) -> State:
        """Take all memory that the run needs; begin at ``start`` if given (it may be infeasible)."""
        ...

    def step(self, problem: Asked, state: State) -> Progress:
        """One bounded piece of work, in place."""
        ...

    def terminate(self, problem: Asked, state: State, tol: float) -> Verdict:
        """Whether to go on, to have the gap proved, or to give up. ``tol`` is a relative gap.

        Called again after a failed check with the same state: it must then ask for more steps first.
        """
        ...

    def point(self, problem: Asked, state: State) -> Point:
        """The best primal-dual pair of the state."""
        ...
