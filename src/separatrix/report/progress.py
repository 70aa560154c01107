"""How a fit went: the gap of each problem over time, or the updates of a perceptron against their bound."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from separatrix.report.records import Course, Progress
from separatrix.report.rows import results_of
from separatrix.svm.svc import SVC

_COURSES, _POINTS = 12, 400


def progress_of(model: Any) -> Progress | None:
    """The curves of a fit; None where nothing was recorded."""
    return _of_svc(model) if isinstance(model, SVC) else _of_perceptron(model)


def _of_svc(model: Any) -> Progress | None:
    results = sorted(results_of(model).items(), key=lambda item: -item[1].gap)
    courses = []
    for key, result in results[:_COURSES]:
        history = result.history
        if not len(history):
            continue
        name = " against ".join(map(str, key)) if isinstance(key, tuple) else str(key)
        gap = np.array(history["gap"], dtype=np.float64)
        times, proved = np.array(history["time"], dtype=np.float64), np.array(history["proved"], dtype=bool)
        keep = np.isfinite(gap) & (np.arange(len(gap)) % max(1, len(gap) // _POINTS) == 0)
        keep[-1] = bool(np.isfinite(gap[-1]))
        courses.append(Course(name, times[keep], gap[keep], proved[keep]))
    seconds = sum(float(r.history[-1].time) for _, r in results if len(r.history))
    return Progress("relative gap", courses, float(model.tol), "tol", seconds) if courses else None


def _of_perceptron(model: Any) -> Progress | None:
    history = model.history_
    if not len(history):
        return None
    updates = np.array(history["updates"], dtype=np.float64)
    times = np.array(history["time"], dtype=np.float64)
    keep = np.arange(len(updates)) % max(1, len(updates) // _POINTS) == 0
    keep[-1] = True
    bound = float(history[-1].bound)
    limit = bound if math.isfinite(bound) else None
    course = Course("", times[keep], updates[keep], np.zeros(int(keep.sum()), dtype=bool))
    return Progress("updates", [course], limit, "bound", float(times[-1]))
