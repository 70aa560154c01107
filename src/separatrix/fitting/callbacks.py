"""scikit-learn's callbacks (since 1.9): the one place that knows them. Inactive on older versions.

A fit is a task; with two classes its subtasks are the steps of the solver, with more they are the binary
problems, whose subtasks are the steps. A hook that returns True ends its level: the best iterate is kept.
https://scikit-learn.org/stable/developers/callbacks.html
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from separatrix.problem import Point, Problem, Record
from separatrix.solvers.loop.protocol import Progress, Solver, Verdict
from separatrix.solvers.loop.run import Stage

Method = TypeVar("Method", bound=Callable[..., Any])

try:
    from sklearn import callback as _sklearn

    AVAILABLE = True
except ImportError:
    AVAILABLE = False

#: What an estimator inherits: ``set_callbacks`` since scikit-learn 1.9, nothing before.
CallbackSupport: Any = _sklearn.CallbackSupportMixin if AVAILABLE else type("CallbackSupport", (), {})


def with_callbacks(fit: Method) -> Method:
    """The fit method, with callbacks told when it is over however it ends."""
    return cast(Method, _sklearn.with_callbacks(fit)) if AVAILABLE else fit


@dataclass
class FitReporter:
    """Tells the callbacks of one fit what happens; does nothing where there are none."""

    estimator: Any
    X: Any
    y: Any
    metadata: dict[str, Any] | None
    max_iter: int | None
    stop: bool = False
    root: Any = None

    def begin(self, n_problems: int, sequential: bool) -> None:
        """The fit begins; ``sequential`` says whether its binary problems follow one another."""
        if not AVAILABLE or not getattr(self.estimator, "_skl_callbacks", None):
            return  # nobody listens: spare every step the hooks
        one = n_problems == 1
        self.root = self.estimator._init_callback_context(
            max_subtasks=self.max_iter if one else n_problems, sequential_subtasks=one or sequential
        )
        self.root.call_on_fit_task_begin(estimator=self.estimator, X=self.X, y=self.y, metadata=self.metadata)

    def end(self) -> None:
        """The fit is over and the estimator is fitted."""
        if self.root is not None:
            self.root.call_on_fit_task_end(
                estimator=self.estimator,
                X=self.X,
                y=self.y,
                metadata=self.metadata,
                reconstruction_attributes={},
            )

    def problem(self, index: int, n_problems: int, name: str, classes: Any) -> ProblemReporter:
        """The reporter of one binary problem."""
        if self.root is None:
            return ProblemReporter(self, None, None)
        if n_problems == 1:
            return ProblemReporter(self, self.root, classes)
        task_id = None if self.root.sequential_subtasks else index
        context = self.root.subcontext(task_name=name, task_id=task_id, max_subtasks=self.max_iter)
        return ProblemReporter(self, context, None)


@dataclass
class ProblemReporter:
    """Tells the callbacks of one binary problem what happens. ``classes`` is given if it is the only one."""

    fit: FitReporter
    context: Any
    classes: Any
    stop: bool = False

    def wrap(self, stage: Stage) -> Stage:
        """The stage, its steps reported as subtasks."""
        return stage if self.context is None else replace(stage, solver=Watched(stage.solver, self))

    def on_record(self, record: Record) -> bool:
        """Whether a callback has asked to end this problem or the whole fit."""
        return self.stop or self.fit.stop

    def begin(self) -> None:
        """The problem is taken up."""
        if self.context is not None and self.classes is None:
            self.context.call_on_fit_task_begin(estimator=self.fit.estimator, X=self.fit.X, y=self.fit.y)

    def end(self) -> None:
        """The problem is solved; True from a hook ends the others where they are."""
        if self.context is not None and self.classes is None:
            stop = self.context.call_on_fit_task_end(estimator=self.fit.estimator, X=self.fit.X, y=self.fit.y)
            self.fit.stop = self.fit.stop or bool(stop)

    def step(self, work: Callable[[], Progress], point: Callable[[], Point]) -> Progress:
        """One step of a solver between its two hooks."""
        told = {
            "estimator": self.fit.estimator,
            "X": self.fit.X,
            "y": self.fit.y,
            "metadata": self.fit.metadata,
        }
        context = self.context.subcontext(task_name="step")
        context.call_on_fit_task_begin(**told)
        progress = work()
        model = None if self.classes is None else lambda: _attributes(point(), self.classes)
        stop = context.call_on_fit_task_end(**told, reconstruction_attributes=model)
        self.stop = self.stop or bool(stop)
        return progress


def _attributes(point: Point, classes: Any) -> dict[str, Any]:
    """What a copy of the estimator needs in order to predict with this iterate."""
    bias = 0.0 if point.b is None else point.b
    if point.w is None:  # with a kernel, the model is its alphas
        return {"alpha_": point.alpha, "intercept_": np.array([bias]), "classes_": classes}
    return {"coef_": point.w[np.newaxis], "intercept_": np.array([bias]), "classes_": classes}


class StepReporter(Protocol):
    """Whoever stands around a step of a solver."""

    def step(self, work: Callable[[], Progress], point: Callable[[], Point]) -> Progress:
        """Do the step; ``point()`` is where the solver stands after it."""
        ...


@dataclass(frozen=True)
class Watched:
    """A solver whose steps are reported; everything else is the solver's own."""

    solver: Solver[Any, Any]
    reporter: StepReporter

    @property
    def name(self) -> str:
        """The solver's."""
        return self.solver.name

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> Any:
        """The solver's."""
        return self.solver.init(problem, start, n_threads)

    def step(self, problem: Problem, state: Any) -> Progress:
        """The solver's, between two hooks."""
        return self.reporter.step(
            lambda: self.solver.step(problem, state),
            lambda: with_w(problem, self.solver.point(problem, state)),
        )

    def terminate(self, problem: Problem, state: Any, tol: float) -> Verdict:
        """The solver's."""
        return self.solver.terminate(problem, state, tol)

    def point(self, problem: Problem, state: Any) -> Any:
        """The solver's."""
        return self.solver.point(problem, state)


def with_w(problem: Problem, point: Point) -> Point:
    """The point with w = v filled in where the solver left it out; with a kernel there is no w."""
    return (
        point
        if point.w is not None or problem.kernel is not None
        else replace(point, w=problem.weighted_sum(point.alpha))
    )
