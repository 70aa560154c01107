"""Facts about the fit of a model: its problems, its support vectors by kind, and its progress over time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.report.records import Curve, FitProgress, ProofRecord, SupportCounts
from separatrix.report.rows import RowFacts
from separatrix.svm.svc import SVC
from separatrix.types import Index

#: Curves in the picture of progress: those of the problems with the largest gaps.
_MOST_CURVES = 12
#: Distance from 1 of the score of a row that is said to be on the margin.
_ON_MARGIN = 0.01
#: Points of a curve, at least.
_POINTS = 400


def results_of(model: Any) -> dict[Any, Any]:
    """Result of each problem that has its own certificate; a joint problem of all classes is one."""
    problems = getattr(model, "problems_", {})
    return {"": problems.joint} if hasattr(problems, "joint") else dict(problems)


def problem_name(key: Any) -> str:
    """Name of a binary problem: a class, or "first against second"."""
    return " against ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def support_rows(model: Any, facts: RowFacts, proofs: list[ProofRecord]) -> dict[str, Index]:
    """Training rows that the model is a sum of, by kind; empty with many classes, or if these are other rows.

    The updates of a perceptron take the place of weights; it has one kind only.
    """
    if any(proof.outcome == "rejected" for proof in proofs):
        return {}
    if not isinstance(model, SVC):
        return (
            {"updates": np.flatnonzero((np.atleast_2d(model.alpha_) > 0).any(axis=0))}
            if hasattr(model, "alpha_")
            else {}
        )
    if len(model.classes_) != 2 or (len(model.support_) and int(model.support_.max()) >= len(facts.codes)):
        return {}
    kinds = _kinds(facts.margins[model.support_])
    return {kind: model.support_[kinds == kind] for kind in ("margin", "slack")}


def _kinds(margins: NDArray[np.float64]) -> NDArray[np.str_]:
    """Count the support vectors by where they lie: inside the margin or on the wrong side, on the margin, or beyond it.

    A weight of a row beyond the margin is a remainder that a closer solution would take away.
    """
    return np.where(
        margins < 1 - _ON_MARGIN, "slack", np.where(margins <= 1 + _ON_MARGIN, "margin", "beyond")
    )


def support_facts(model: Any, facts: RowFacts, proofs: list[ProofRecord]) -> list[SupportCounts]:
    """Count rows by class and kind, for each binary problem of an SVC; for a perceptron, rows that caused updates."""
    if any(proof.outcome == "rejected" for proof in proofs):
        return []
    if not isinstance(model, SVC):
        rows = support_rows(model, facts, proofs).get("updates")
        if rows is None or len(facts.codes) != np.atleast_2d(model.alpha_).shape[1]:
            return []
        used = np.zeros(len(facts.codes), dtype=bool)
        used[rows] = True
        return [_counted("", facts, np.arange(len(facts.codes)), np.where(used, "updates", "quiet"))]
    out = []
    results = results_of(model)
    for key, result in results.items():
        if len(result.rows) and int(result.rows.max()) >= len(facts.codes):
            return []
        kinds = np.full(len(facts.codes), "none", dtype="<U7")
        if hasattr(result, "support_kind"):
            own = _own_scores(facts, key, result)
            kinds[result.support] = result.support_kind if own is None else _kinds(own[result.support])
        else:  # all classes in one problem
            kinds[model.support_] = model.support_kind_
        kinds = kinds[result.rows]
        out.append(_counted(problem_name(key) if len(results) > 1 else "", facts, result.rows, kinds))
    return out


def _own_scores(facts: RowFacts, key: Any, result: Any) -> NDArray[np.float64] | None:
    """y f(x) of every row (n,) in one problem; None for a pair of many classes, whose scores are not known here."""
    if facts.scores.ndim == 1:
        return facts.margins
    if isinstance(key, tuple):
        return None
    code = facts.classes.tolist().index(result.positive)
    return np.where(facts.codes == code, 1.0, -1.0) * facts.scores[:, code]


def _counted(name: str, facts: RowFacts, rows: Index, kinds: NDArray[np.str_]) -> SupportCounts:
    codes, counts = facts.codes[rows], {}
    for code, label in enumerate(facts.names):
        here = kinds[codes == code]
        if len(here):
            counts[label] = {kind: int(np.count_nonzero(here == kind)) for kind in sorted(set(here.tolist()))}
    return SupportCounts(name, counts)


def progress_of(model: Any) -> FitProgress | None:
    """The curves of a fit: gaps of an SVC, updates of a perceptron; None where nothing was recorded."""
    return _of_svc(model) if isinstance(model, SVC) else _of_perceptron(model)


def _of_svc(model: Any) -> FitProgress | None:
    results = sorted(results_of(model).items(), key=lambda item: -item[1].gap)
    curves = []
    for key, result in results[:_MOST_CURVES]:
        history = result.history
        if not len(history):
            continue
        gap = np.array(history["gap"], dtype=np.float64)
        times, proved = np.array(history["time"], dtype=np.float64), np.array(history["proved"], dtype=bool)
        keep = np.isfinite(gap) & _thinned(len(gap))
        curves.append(Curve(problem_name(key), times[keep], gap[keep], proved[keep]))
    seconds = sum(float(r.history[-1].time) for _, r in results if len(r.history))
    return FitProgress("relative gap", curves, float(model.tol), "tol", seconds) if curves else None


def _of_perceptron(model: Any) -> FitProgress | None:
    history = model.history_
    if not len(history):
        return None
    updates = np.array(history["updates"], dtype=np.float64)
    times = np.array(history["time"], dtype=np.float64)
    keep = _thinned(len(updates))
    bound = float(history[-1].bound)
    limit = bound if math.isfinite(bound) else None
    curve = Curve("", times[keep], updates[keep], np.zeros(int(keep.sum()), dtype=bool))
    return FitProgress("updates", [curve], limit, "bound", float(times[-1]))


def _thinned(n: int) -> NDArray[np.bool_]:
    """Mask of about `_POINTS` of n points, evenly spread, with the last one."""
    keep: NDArray[np.bool_] = np.arange(n) % max(1, n // _POINTS) == 0
    keep[-1] = True
    return keep
