"""The solver protocol: ``init``, ``step``, ``terminate``, ``rejected``, ``point``. No printing, no validation, no loop.

A step is one bounded piece of work (an epoch, a Newton iteration), so that the estimator, an animation and a cluster
worker can all drive the same step. Settings live in the solver (a frozen dataclass), what changes lives in the state.
A solver counts its work and never reads a clock: its steps are a function of the data, the settings and the seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol, TypeVar

State = TypeVar("State")
#: `Problem` or `JointProblem`.
Asked = TypeVar("Asked", contravariant=True)

#: Multiplications of a blocked matrix product in the time of one entry visited: both are counted in entries.
FLOPS_PER_ENTRY = 40.0


@dataclass(frozen=True)
class Progress:
    """State of a solver after a step, as the solver estimates it: it steers, it is never reported as proved."""

    primal: float
    dual: float
    work: float = 0.0  #: entries of X, or kernel values, visited since ``init``; the same on every machine
    note: str = ""


class Verdict(Enum):
    """Request of a solver to the loop after a step."""

    GO_ON = "go on"
    CHECK = "check"  #: the gap is believed to be within tol: prove it
    STALLED = "stalled"  #: more steps would not help: prove what there is, then try another solver


class Solver(Protocol[Asked, State]):
    """One algorithm. All methods may be called from any thread as long as the state is not shared."""

    @property
    def name(self) -> str:
        """Short name, as in ``SVC(solver=...)`` and in the history."""
        ...

    @property
    def releases_gil(self) -> bool:
        """True if steps run in compiled code without Python's lock, so that threads can solve several problems."""
        ...

    def init(self, problem: Asked, start: Any, n_threads: int) -> State:
        """Take all memory that the run needs; begin at ``start`` if given (it may be infeasible)."""
        ...

    def step(self, problem: Asked, state: State, tol: float) -> Progress:
        """One bounded piece of work, in place. ``tol`` is the relative gap that the run is for."""
        ...

    def terminate(self, problem: Asked, state: State, tol: float) -> Verdict:
        """Decide whether to go on, to have the gap proved, or to give up. A query: it changes nothing."""
        ...

    def rejected(self, problem: Asked, state: State, tol: float) -> None:
        """Called after a check that did not prove tol; a step comes next."""
        ...

    def point(self, problem: Asked, state: State) -> Any:
        """The best primal-dual pair of the state: a `Point` or a `JointPoint`."""
        ...
