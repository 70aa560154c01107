"""Support vectors of both kinds: on the margin, and using slack."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.report.records import Proof, Support
from separatrix.report.rows import RowFacts, results_of
from separatrix.svm.svc import SVC


def support_rows(model: Any, proofs: list[Proof]) -> dict[str, NDArray[np.intp]]:
    """Training rows that carry alpha, by kind; empty where the rows of the report are others.

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


def support_facts(model: Any, facts: RowFacts, proofs: list[Proof]) -> list[Support]:
    """Counts by class and kind, for each binary problem of an SVC; for a perceptron, rows that caused updates."""
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
    several = len(results) > 1
    for key, result in results.items():
        if len(result.rows) and int(result.rows.max()) >= len(facts.codes):
            return []
        kinds = np.full(len(facts.codes), "none", dtype="<U7")
        if hasattr(result, "support_kind"):
            kinds[result.support] = result.support_kind
        else:  # all classes in one problem
            kinds[model.support_] = model.support_kind_
        kinds = kinds[result.rows]
        name = " against ".join(map(str, key)) if isinstance(key, tuple) else str(key)
        out.append(_counted(name if several else "", facts, result.rows, kinds))
    return out


def _counted(name: str, facts: RowFacts, rows: NDArray[np.intp], kinds: NDArray[np.str_]) -> Support:
    codes, counts = facts.codes[rows], {}
    for code, label in enumerate(facts.names):
        here = kinds[codes == code]
        if len(here):
            counts[label] = {kind: int(np.count_nonzero(here == kind)) for kind in sorted(set(here.tolist()))}
    return Support(name, counts)
