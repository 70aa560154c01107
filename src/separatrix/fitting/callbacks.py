"""scikit-learn's callbacks (since 1.9) as an observer: the one place that knows them. Inactive on older versions.

A fit is a task; with two classes its subtasks are the steps of the solver, with more they are the binary
problems, whose subtasks are the steps. A hook that returns True ends its level: the best iterate is kept.
https://scikit-learn.org/stable/developers/callbacks.html
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from separatrix.fitting.observer import KeptPoint, Observer, Part
from separatrix.problem import Record, Status

Method = TypeVar("Method", bound=Callable[..., Any])

try:
    from sklearn import callback as _sklearn

    AVAILABLE = True
except ImportError:
    AVAILABLE = False

#: Base class of an estimator: ``set_callbacks`` since scikit-learn 1.9, nothing before.
CallbackSupport: Any = _sklearn.CallbackSupportMixin if AVAILABLE else type("CallbackSupport", (), {})


def with_callbacks(fit: Method) -> Method:
    """Return the fit method, with callbacks notified when it is over however it ends."""
    return cast(Method, _sklearn.with_callbacks(fit)) if AVAILABLE else fit


def has_callbacks(estimator: Any) -> bool:
    """True where a user has given the estimator callbacks."""
    return AVAILABLE and bool(getattr(estimator, "_skl_callbacks", None))


class SklearnCallbacks(Observer):
    """Calls the hooks of one fit. ``classes`` (k,) let a callback rebuild a model from an iterate."""

    def __init__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any, classes: Any, scaling: Any = None
    ) -> None:
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        self._data = {"estimator": estimator, "X": X, "y": y}
        self._all = {**self._data, "metadata": metadata}
        self._known = {"classes_": classes, "scaling_": scaling}
        self._max_iter = estimator.max_iter
        self._root: Any = None
        self._problems: dict[int, Any] = {}  # contexts of the problems, then of the steps that run now
        self._steps: dict[int, Any] = {}
        self._stop = False
        self._lock = threading.Lock()

    def begin(self, part: Part) -> None:
        """The first problem begins the fit."""
        one = part.count == 1
        with self._lock:
            if self._root is None:
                self._root = self._data["estimator"]._init_callback_context(
                    max_subtasks=self._max_iter if one else part.count,
                    sequential_subtasks=one or not part.parallel,
                )
                self._root.call_on_fit_task_begin(**self._all)
        self._problems[part.index] = self._root
        if not one:
            context = self._root.subcontext(
                task_name=part.name,
                task_id=part.index if part.parallel else None,
                max_subtasks=self._max_iter,
            )
            context.call_on_fit_task_begin(**self._data)
            self._problems[part.index] = context

    def begin_step(self, part: Part) -> None:
        """A step is a subtask of its problem."""
        context = self._problems[part.index].subcontext(task_name="step")
        context.call_on_fit_task_begin(**self._all)
        self._steps[part.index] = context

    def step(self, part: Part, record: Record, point: Callable[[], KeptPoint]) -> bool:
        """True where a callback has asked to end this problem or the whole fit."""
        if record.proved:  # a check belongs to the step before it
            return self._stop
        model = (lambda: _attributes(point()) | self._known) if part.count == 1 else None
        stop = self._steps[part.index].call_on_fit_task_end(**self._all, reconstruction_attributes=model)
        return bool(stop) or self._stop

    def end(self, part: Part, record: Record, status: Status, point: Callable[[], KeptPoint]) -> None:
        """True from a hook ends the other problems where they are."""
        if part.count > 1:
            stop = self._problems[part.index].call_on_fit_task_end(**self._data)
            self._stop = self._stop or bool(stop)

    def finish(self) -> None:
        """The estimator is fitted."""
        self._root.call_on_fit_task_end(**self._all, reconstruction_attributes={})


def _attributes(point: KeptPoint) -> dict[str, Any]:
    """Fitted attributes that a copy of the estimator needs in order to predict with this iterate."""
    intercept = np.atleast_1d(point.intercept)
    if not point.coef.size:  # with a kernel, the model is its alphas
        return {"alpha_": point.alpha, "intercept_": intercept}
    return {"coef_": np.atleast_2d(point.coef), "intercept_": intercept}
