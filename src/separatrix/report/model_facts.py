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
#: Points of a curve, at least.
_POINTS = 400


def results_of(model: Any) -> dict[Any, Any]:
    """Result of each problem that has a certificate of its own; a joint problem of all classes is one."""
    problems = getattr(model, "problems_", {})
    return {"": problems.joint} if hasattr(problems, "joint") else dict(problems)


def problem_name(key: Any) -> str:
    """Name of a binary problem: a class, or "first against second"."""
    return " against ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def support_rows(model: Any, proofs: list[ProofRecord]) -> dict[str, Index]:
    """Training rows with alpha > 0, by kind; empty if the rows of the report are others.

    With many classes a row counts as using slack if it does in any problem. The updates of a perceptron
    take the place of alpha; it has one kind only.
    """
    if any(proof.outcome == "rejected" for proof in proofs):
        return {}
    if isinstance(model, SVC):
        kinds = np.atleast_2d(model.support_kind_)
        slack = (kinds == "slack").any(axis=0)
        return {"margin": model.support_[~slack], "slack": model.support_[slack]}
    if not hasattr(model, "alpha_"):
        return {}
    alpha = np.atleast_2d(model.alpha_)
    return {"updates": np.flatnonzero((alpha > 0).any(axis=0))}


def support_facts(model: Any, facts: RowFacts, proofs: list[ProofRecord]) -> list[SupportCounts]:
    """Count rows by class and kind, for each binary problem of an SVC; for a perceptron, rows that caused updates."""
    if any(proof.outcome == "rejected" for proof in proofs):
        return []
    if not isinstance(model, SVC):
        rows = support_rows(model, proofs).get("updates")
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
            kinds[result.support] = result.support_kind
        else:  # all classes in one problem
            kinds[model.support_] = model.support_kind_
        kinds = kinds[result.rows]
        out.append(_counted(problem_name(key) if len(results) > 1 else "", facts, result.rows, kinds))
    return out


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
