"""How good a model is: the rows in parts, their scores, and the sentence that comes first."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.report.model_facts import results_of
from separatrix.report.records import Part, ProofRecord, Quality
from separatrix.report.rows import RowFacts
from separatrix.svm.svc import SVC
from separatrix.types import Index
from separatrix.validation.scores import percentage, scores


def parts_of(model: Any, facts: RowFacts, proofs: list[ProofRecord], held_out: Any = None) -> list[Part]:
    """The rows held out and those learnt from, scored apart; or all as other rows, where the fit saw another table."""
    n = len(facts.codes)
    if held_out is not None:
        seen: Index | None = np.setdiff1d(np.arange(n), np.asarray(held_out, dtype=np.intp))
    else:
        seen = _learnt_from(model, n, proofs)
    if seen is None:
        return [_part("other rows", np.arange(n), facts)]
    unseen = np.setdiff1d(np.arange(n), seen)
    parts = [("held out", unseen), ("learnt from", seen)]
    return [_part(name, rows, facts) for name, rows in parts if len(rows)]


def _learnt_from(model: Any, n: int, proofs: list[ProofRecord]) -> Index | None:
    """Rows that took part in the fit; None if these are not the rows of the fit."""
    if any(proof.outcome == "rejected" for proof in proofs):
        return None
    if isinstance(model, SVC):
        rows = np.unique(np.concatenate([result.rows for result in results_of(model).values()]))
        return rows.astype(np.intp) if len(rows) and rows[-1] < n else None
    alpha = getattr(model, "alpha_", None)
    proved = any(proof.outcome == "proved" for proof in proofs)
    return np.arange(n) if proved or (alpha is not None and np.shape(alpha)[-1] == n) else None


def _part(name: str, rows: Index, facts: RowFacts) -> Part:
    chances = None if facts.chances is None else facts.chances[rows]
    found = scores(
        facts.classes[facts.codes[rows]],
        facts.classes[facts.predicted[rows]],
        facts.scores[rows],
        chances,
        facts.classes,
    )
    return Part(name, rows, found)


def quality_of(parts: list[Part]) -> Quality:
    """The sentence that a reader must see first, whether it is good news, and what else to know about it."""
    first = parts[0]
    found, seen = first.scores, first.name == "learnt from"
    which = {
        "held out": f"the {found.rows:,} rows that were held out of the fit",
        "learnt from": f"the {found.rows:,} rows that it learnt from",
        "other rows": f"{found.rows:,} rows of another table than that of the fit",
    }[first.name]
    right = f"{percentage(found.accuracy)} of {which} are right"
    if found.errors == 0:
        right = f"All of {which} are right"
    always = f"always answering {found.majority} would be right on {percentage(found.baseline)}"
    details = list(found.sentences()[1:])
    low, high = found.interval
    if seen:
        headline = f"{right}; how good it is on new rows was not measured."
        details.insert(0, f"{always[0].upper()}{always[1:]} of them.")
        details.append("Hold rows out of the fit to measure it: separatrix fit DATA --holdout 0.2.")
        return Quality(headline, "unknown", details)
    details.insert(
        0,
        f"If these rows are a fair sample, between {percentage(low)} and {percentage(high)} of new rows will be right "
        "(a 95 % interval).",
    )
    if first.name == "other rows":
        details.append("Whether some of these rows were also among those of the fit is not known.")
    if len(parts) > 1:
        details.append(f"Of the rows that it learnt from, {percentage(parts[1].scores.accuracy)} are right.")
    if low > found.baseline:
        return Quality(f"{right}; {always}.", "better", details)
    return Quality(f"{right}, which is not clearly better than no model: {always}.", "no-better", details)
