"""Quality of a model: the rows in parts, their scores, and the sentence that comes first."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.report.model_facts import results_of
from separatrix.report.records import Part, ProofRecord, Quality, Source
from separatrix.svm.svc import SVC
from separatrix.types import Index
from separatrix.validation.scores import percentage, scores

#: Names of parts, the one that counts most first, and what their rows are.
PARTS = {
    "tested on": "rows of a table for testing",
    "held out": "rows that were held out of the fit",
    "other rows": "rows of another table than that of the fit",
    "calibrated on": "rows on which its probabilities were calibrated",
    "learnt from": "rows that it learnt from",
}
#: Parts whose rows had a hand in the model.
_USED = ("calibrated on", "learnt from")


def parts_of(
    model: Any, own: Source, proofs: list[ProofRecord], held_out: Any = None, test: Source | None = None
) -> list[Part]:
    """The rows for testing, held out, calibrated on and learnt from, scored apart.

    All rows are others, where the fit saw another table.
    """
    n = len(own.facts.codes)
    everything = np.arange(n)
    out = [] if test is None else [_part("tested on", np.arange(len(test.facts.codes)), test)]
    known = held_out if held_out is not None else getattr(model, "held_out_", None)
    seen = _learnt_from(model, n, proofs, known)
    if seen is None:
        return [*out, _part("other rows", everything, own)]
    apart = np.setdiff1d(everything, seen)
    unseen = apart if known is None else np.asarray(known, dtype=np.intp)
    calibration = getattr(model, "calibration_", None)
    if known is None and calibration is not None and calibration.rows == len(apart):
        unseen = np.empty(0, dtype=np.intp)
    rows = [("held out", unseen), ("calibrated on", np.setdiff1d(apart, unseen)), ("learnt from", seen)]
    return out + [_part(name, rows, own) for name, rows in rows if len(rows)]


def _learnt_from(model: Any, n: int, proofs: list[ProofRecord], held_out: Any) -> Index | None:
    """Rows that took part in the fit; None if these are not the rows of the fit."""
    if isinstance(model, SVC) and not any(proof.outcome == "rejected" for proof in proofs):
        rows = np.unique(np.concatenate([result.rows for result in results_of(model).values()]))
        if held_out is not None:  # a caller may know more: rows that were taken away before the fit
            rows = np.setdiff1d(rows, held_out)
        return rows.astype(np.intp) if len(rows) and rows[-1] < n else None
    if held_out is not None:
        return np.setdiff1d(np.arange(n), held_out)
    if any(proof.outcome == "rejected" for proof in proofs):
        return None
    alpha = getattr(model, "alpha_", None)
    proved = any(proof.outcome == "proved" for proof in proofs)
    return np.arange(n) if proved or (alpha is not None and np.shape(alpha)[-1] == n) else None


def _part(name: str, rows: Index, source: Source) -> Part:
    facts = source.facts
    chances = None if facts.chances is None else facts.chances[rows]
    found = scores(
        facts.classes[facts.codes[rows]],
        facts.classes[facts.predicted[rows]],
        facts.scores[rows],
        chances,
        facts.classes,
    )
    return Part(name, rows, found, source)


def quality_of(parts: list[Part], test_file: str = "") -> Quality:
    """The sentence that a reader must see first, whether it is good news, and what else to know about it."""
    first = parts[0]
    found = first.scores
    which = f"{found.rows:,} " + (f"rows of {test_file}" if first.name == "tested on" else PARTS[first.name])
    right = f"{percentage(found.accuracy)} of the {which} are right"
    if found.errors == 0:
        right = f"All {which} are right"
    always = f"always answering {found.majority} would be right on {percentage(found.baseline)}"
    details = list(found.sentences()[1:])
    low, high = found.interval
    if first.name in _USED:
        headline = f"{right}; how good it is on new rows was not measured."
        details.insert(0, f"{always[0].upper()}{always[1:]} of them.")
        details.append("Hold rows out of the fit to measure it: separatrix fit DATA --holdout 0.2.")
        return Quality(headline, "unknown", details)
    details.insert(
        0,
        f"If these rows are a fair sample and nothing was chosen by looking at them, between {percentage(low)} and "
        f"{percentage(high)} of new rows will be right (a 95 % interval).",
    )
    if first.name == "other rows":
        details.append("Whether some of these rows were also among those of the fit is not known.")
    for part in parts[1:]:
        details.append(
            f"Of the {part.scores.rows:,} {PARTS[part.name]}, {percentage(part.scores.accuracy)} are right."
        )
    if low > found.baseline:
        return Quality(f"{right}; {always}.", "better", details)
    return Quality(f"{right}, which is not clearly better than no model: {always}.", "no-better", details)
