"""The verdict of a report as one sentence, and the few that explain it."""

from __future__ import annotations

import math
from typing import Any

from separatrix.problem import Status
from separatrix.report.model_facts import results_of
from separatrix.report.records import ProofRecord
from separatrix.separability import Separability
from separatrix.svm.svc import SVC


def share(part: int, whole: int) -> str:
    """A count with its share.

    >>> share(3, 60)
    '3 of 60 (5 %)'
    """
    return f"{part:,} of {whole:,}" + (f" ({100.0 * part / whole:.3g} %)" if whole and part else "")


def percent(value: float) -> str:
    """A relative gap in words.

    >>> percent(0.00021), percent(0.0)
    ('0.021 %', '0.00000001 %')
    """
    rounded = float(f"{100.0 * max(value, 1e-10):.2g}")
    return f"{rounded:.9f}".rstrip("0").rstrip(".") + " %"


def verdict_of(
    model: Any, proofs: list[ProofRecord], found: Separability | None
) -> tuple[str, str, list[str]]:
    """Return what is proved in one sentence, its tone ("proved", "open" or "refuted"), and details."""
    details = []
    checks = [proof.outcome for proof in proofs if proof.kind != "none"]
    if checks and all(check == "proved" for check in checks):
        details.append("The certificate was checked against these very rows while this page was made.")
    elif "rejected" in checks:
        details.append(
            "The certificate speaks of other rows than these, or was changed: "
            + next(proof.reason for proof in proofs if proof.outcome == "rejected")
        )
    elif "conditional" in checks:
        details.append(
            "What the certificate proves rests on a condition. "
            + next(proof.reason for proof in proofs if proof.outcome == "conditional")
        )
    if found is not None:
        details.append(_of_separability(model, found))
    if "rejected" in checks:
        return "The proof that came with the model does not hold for these rows.", "open", details
    sentence, tone = _sentence(model, proofs)
    return sentence, tone, details


def _of_separability(model: Any, found: Separability) -> str:
    if found.verdict == "separable":
        words = (
            "A hyperplane could put every row that it learnt from on its own side, which is proved exactly"
        )
        if not isinstance(model, SVC):
            return f"{words}."
        return f"{words}; this one accepts errors for the sake of a wider margin. A larger C would separate the rows."
    if found.verdict == "quasi-separable":
        return (
            "A hyperplane has no row that it learnt from on the wrong side only if some lie on it, which is proved "
            "exactly."
        )
    return (
        "No hyperplane puts every row that it learnt from on its own side, which is proved exactly: some errors cannot "
        "be avoided by a linear model."
    )


def _sentence(model: Any, proofs: list[ProofRecord]) -> tuple[str, str]:
    if isinstance(model, SVC):
        return _of_svc(model, any(proof.outcome == "conditional" for proof in proofs))
    status = getattr(model, "status_", None)
    if status is None:
        return f"The perceptron has learnt row by row, with {model.n_updates_:,} updates so far.", "open"
    if status == Status.CONVERGED:
        bound = model.bound_
        allowed = f"; the theorem allows {bound:,.0f}" if math.isfinite(bound) else ""
        updates = f"{model.n_updates_:,} update{'s' if model.n_updates_ != 1 else ''}"
        sentence = f"The perceptron separates all its rows after {updates}{allowed}."
        return sentence, "proved" if any(proof.kind == "mistakes" for proof in proofs) else "open"
    if status == Status.INSEPARABLE:
        return (
            "No hyperplane separates the classes, and that is proved; the perceptron cannot end.",
            "refuted",
        )
    return f"The perceptron stopped before a pass without mistakes (status {status}).", "open"


def _of_svc(model: Any, conditional: bool) -> tuple[str, str]:
    surface = "hyperplane" if hasattr(model, "coef_") else "surface"
    several = len(results_of(model)) > 1
    mark, proved = ("open", "proved on a condition only") if conditional else ("proved", "proved")
    if math.isinf(model.C) and model.status_ == Status.CONVERGED:
        width = "" if several else f"; the strip between the classes is {model.slab_width_:.6g} wide"
        return (
            f"The {surface} separates the rows that it learnt from with the widest margin there is{width}.",
            mark,
        )
    which = f"In each of its {len(model.problems_)} problems no" if several else "No"
    if model.status_ == Status.CONVERGED:
        sentence = (
            f"{which} other {surface} fits the rows that it learnt from better by more than {percent(model.gap_)}, "
            f"with these settings; that is {proved}."
        )
        return sentence, mark
    return (
        f"The fit stopped early ({model.status_}): another {surface} may fit the rows that it learnt from better, "
        f"by at most {percent(model.gap_)}, which is {proved}; that is more than was asked.",
        "open",
    )


def verdict_of_separability(found: Separability, proof: ProofRecord) -> tuple[str, str, list[str]]:
    """The sentence, its tone and details for a question about the data alone."""
    sides = " or ".join(map(str, found.positive[:3])), " or ".join(map(str, found.negative[:3]))
    details = []
    if proof.checked:
        details.append("The certificate was checked against these very rows while this page was made.")
    if found.verdict == "separable":
        low, high = found.margin
        details.append(f"The widest margin is between {low:.6g} and {high:.6g}.")
        return f"A hyperplane separates {sides[0]} from {sides[1]}, and that is proved.", "proved", details
    if found.verdict == "quasi-separable":
        sentence = (
            f"A hyperplane separates {sides[0]} from {sides[1]} only if some rows may lie on it; proved."
        )
        details.append(f"{len(found.tied):,} rows lie on every hyperplane that has no row on its wrong side.")
        return sentence, "refuted", details
    details.append("Every hyperplane with no row on its wrong side would have every row on it.")
    return f"No hyperplane separates {sides[0]} from {sides[1]}, and that is proved.", "refuted", details


def about(model: Any) -> list[tuple[str, str]]:
    """Numbers of the fit, in pairs of words."""
    out = []
    if isinstance(model, SVC):
        out.append(("objective", f"between {model.dual_:.8g} and {model.primal_:.8g}"))
        out.append(("relative gap", f"{model.gap_:.3g} (asked: {model.tol:g})"))
        if len(model.classes_) == 2:
            out.append(("margin", f"{model.margin_:.6g} on each side of the boundary"))
        out.append(("support vectors", f"{len(model.support_):,}"))
        out.append(("steps", f"{model.n_iter_:,}"))
    else:
        out.append(("updates", f"{model.n_updates_:,}"))
        if hasattr(model, "n_epochs_"):
            out.append(("passes", f"{model.n_epochs_:,}"))
    if hasattr(model, "status_"):
        out.append(("status", f"{model.status_}"))
    return out
