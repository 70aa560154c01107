"""The verdict of a report as one sentence, and the few that explain it."""

from __future__ import annotations

import math
from typing import Any

from separatrix.problem import Status
from separatrix.report.model_facts import results_of
from separatrix.report.records import ProofRecord
from separatrix.report.rows import RowFacts
from separatrix.separability import Separability
from separatrix.svm.svc import SVC


def share(part: int, whole: int) -> str:
    """A count with its share.

    >>> share(3, 60)
    '3 of 60 (5 %)'
    """
    return f"{part} of {whole}" + (f" ({100.0 * part / whole:.3g} %)" if whole and part else "")


def percent(value: float) -> str:
    """A relative gap in words.

    >>> percent(0.00021), percent(0.0)
    ('0.021 %', '1e-8 %')
    """
    return f"{100.0 * value:.2g} %" if value > 1e-10 else "1e-8 %"


def verdict_of(
    model: Any, facts: RowFacts, proofs: list[ProofRecord], found: Separability | None
) -> tuple[str, str, list[str]]:
    """The sentence, its tone ("proved", "open" or "refuted"), and details."""
    errors = f"It misclassifies {share(facts.errors, len(facts.codes))} rows of this report."
    if not facts.errors:
        errors = f"It puts every one of the {len(facts.codes)} rows of this report into its own class."
    details = [errors]
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
    if found is not None and found.verdict == "separable":
        details.append(
            "A hyperplane could put every row on its own side, which is proved exactly; this one is chosen for a wider "
            "slab instead. A larger C would separate the rows."
            if isinstance(model, SVC)
            else "A hyperplane could put every row on its own side, which is proved exactly."
        )
    elif found is not None:
        details.append(f"{found}")
    sentence, tone = _sentence(model, proofs)
    return sentence, "open" if "rejected" in checks else tone, details


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
        width = "" if several else f"; its slab is {model.slab_width_:.6g} wide"
        return f"The {surface} separates the classes with the widest margin there is{width}.", mark
    which = f"Each of its {len(model.problems_)} problems is" if several else "This classifier is"
    if model.status_ == Status.CONVERGED:
        return f"{which} optimal to within {percent(model.gap_)}, and that is {proved}.", mark
    return (
        f"The fit stopped early ({model.status_}): {which[0].lower() + which[1:]} within {percent(model.gap_)} of the "
        f"optimum, which is {proved}, but not as close as was asked.",
        "open",
    )


def verdict_of_separability(found: Separability, proof: ProofRecord) -> tuple[str, str, list[str]]:
    """The sentence, its tone and details for a question about the data alone."""
    sides = " or ".join(map(str, found.positive[:3])), " or ".join(map(str, found.negative[:3]))
    details = [f"{found}"]
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
        return sentence, "refuted", details
    return f"No hyperplane separates {sides[0]} from {sides[1]}, and that is proved.", "refuted", details


def about(model: Any) -> list[tuple[str, str]]:
    """The model in pairs of words: its kind, its parameters that are not the default, its numbers."""
    kind = type(model).__name__
    defaults = type(model)().get_params()
    changed = {
        name: value for name, value in model.get_params().items() if not _same(value, defaults.get(name))
    }
    out = [("model", kind), ("classes", ", ".join(str(name) for name in model.classes_.tolist()[:12]))]
    if changed:
        out.append(("parameters", ", ".join(f"{name}={value!r}" for name, value in changed.items())))
    if isinstance(model, SVC):
        out.append(("gap", f"{model.gap_:.3g} (asked: {model.tol:g})"))
        out.append(("objective", f"between {model.dual_:.8g} and {model.primal_:.8g}"))
        if len(model.classes_) == 2:
            out.append(("slab", f"{model.slab_width_:.6g} wide, margin {model.margin_:.6g}"))
        out.append(("support vectors", f"{len(model.support_):,}"))
        out.append(("steps", f"{model.n_iter_:,}"))
    else:
        out.append(("updates", f"{model.n_updates_:,}"))
        if hasattr(model, "n_epochs_"):
            out.append(("passes", f"{model.n_epochs_:,}"))
    if hasattr(model, "status_"):
        out.append(("status", f"{model.status_}"))
    return out


def _same(value: Any, default: Any) -> bool:
    try:
        return bool(value is default or value == default)
    except ValueError:  # an array has no one answer
        return False
