"""The function `make`, which collects a report from a fitted model, its certificates and the rows."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix.errors import InseparableError
from separatrix.fitting.inputs import check_matrix
from separatrix.perceptron.estimator import Perceptron
from separatrix.proof.certificate import Certificate
from separatrix.proof.verify import verify as check_certificate
from separatrix.report.model_facts import (
    problem_name,
    progress_of,
    results_of,
    support_facts,
    support_rows,
)
from separatrix.report.plane import picture
from separatrix.report.records import Cancelling, ProofRecord, Report, Weight, WorstRow
from separatrix.report.rows import RowFacts, column_spread, dense_rows, row_facts
from separatrix.report.verdicts import about, verdict_of, verdict_of_separability
from separatrix.separability import Separability, separability
from separatrix.separability.api import is_cheap
from separatrix.svm.svc import SVC

#: Seconds after which no further certificate is checked.
_CHECK_SECONDS = 20.0
#: Characters of a proof up to which the page holds it.
_LARGEST_DOCUMENT = 3_000_000
#: Columns whose weights are shown for two classes.
_WEIGHTS = 20
#: Planes whose weights are shown.
_PLANES = 6


def make(
    model: Any,
    X: Any,
    y: Any,
    *,
    columns: list[str] | None = None,
    title: str | None = None,
    verify: bool = True,
    worst: int = 12,
    data_file: str = "DATA",
    certificate_file: str = "certificate.json",
) -> Report:
    """Collect a report on a fitted `SVC` or `Perceptron`, or on a `Separability` or `InseparableError`.

    Parameters
    ----------
    model
        The model; any number of classes, any kernel.
    X, y
        Rows (n, d) and labels (n,): those it was fitted to, which the certificate speaks of, or others.
    columns : list of str, default None
        Names of the columns; None takes those that the model knows.
    title : str, default None
    verify : bool, default True
        Check the certificates against X and y, at about the cost of a few passes over the data.
    worst : int, default 12
        Number of rows shown of those that contradict the model most.
    data_file, certificate_file : str
        Names for the commands that check the certificate.
    """
    if isinstance(model, InseparableError):
        model = model.separability
    names = [str(label) for label in np.asarray(y).ravel().tolist()]
    counts = {name: names.count(name) for name in sorted(set(names), key=names.index)}
    commands = _commands(data_file, certificate_file)
    if isinstance(model, Separability):
        return _of_separability(model, X, y, title, counts, commands, verify)
    if not isinstance(model, SVC | Perceptron):
        raise TypeError(f"A report is about a separatrix model or Separability; got {type(model).__name__}.")
    rows_X = check_matrix(model, X, reset=False)
    known = columns or getattr(model, "column_names_", None) or list(getattr(model, "feature_names_in_", []))
    model = _without_names(model)
    facts = row_facts(model, rows_X, y)
    proofs = list(_proofs(model, X, y, verify))
    found = _separability(model, rows_X, y, facts)
    by_kind = support_rows(model, proofs)
    shown = [str(name) for name in known] or [f"column {j + 1}" for j in range(rows_X.shape[1])]
    verdict, tone, details = verdict_of(model, facts, proofs, found)
    if callable(model.kernel):
        commands = []
        details.append(
            "The kernel is a function, which no certificate holds: separatrix.verify(certificate, X, y, kernel=...) "
            "checks it in Python."
        )
    weights, left = _weights(model, rows_X, shown, facts)
    holding = by_kind.get("margin", by_kind.get("updates", np.empty(0, dtype=np.intp)))
    two = len(model.classes_) == 2
    return Report(
        title=title or "A classifier and its proof",
        verdict=verdict,
        tone=tone,
        details=details,
        about=about(model),
        n_rows=rows_X.shape[0],
        n_columns=rows_X.shape[1],
        class_counts=counts,
        proofs=proofs,
        commands=commands,
        rows=facts,
        slab=isinstance(model, SVC) and two,
        geometric=float(model.margin_) if isinstance(model, SVC) and two else None,
        support=support_facts(model, facts, proofs),
        progress=progress_of(model),
        weights=weights,
        weights_left=left,
        contradictions=_contradictions(model, rows_X, facts, shown, worst),
        cancelling=_cancelling(found, y),
        picture=picture(model, rows_X, facts, shown, holding[holding < rows_X.shape[0]]),
        support_rows=by_kind,
    )


def _without_names(model: Any) -> Any:
    """The same model without column names, so that it takes plain arrays without a warning."""
    if not hasattr(model, "feature_names_in_"):
        return model
    same = copy.copy(model)
    del same.feature_names_in_
    return same


def _of_separability(
    found: Separability,
    X: Any,
    y: Any,
    title: str | None,
    counts: dict[str, int],
    commands: list[tuple[str, str]],
    verify: bool,
) -> Report:
    proof = _proof("", found.certificate, X, y, verify)
    verdict, tone, details = verdict_of_separability(found, proof)
    return Report(
        title=title or "Can the classes be separated?",
        verdict=verdict,
        tone=tone,
        details=details,
        about=[("question", "Is there a hyperplane with every row strictly on its side?")],
        n_rows=len(np.asarray(y)),
        n_columns=int(np.shape(X)[1]),
        class_counts=counts,
        proofs=[proof],
        commands=commands,
        cancelling=_cancelling(found, y),
    )


def _commands(data: str, certificate: str) -> list[tuple[str, str]]:
    return [
        (f"separatrix verify {certificate} {data}", "checks it, in exact arithmetic where that is quick"),
        (f"separatrix verify --exact {certificate} {data}", "checks it in exact arithmetic"),
        (f"python -m separatrix.checker {certificate} {data}", "the same with the standard library alone"),
    ]


def _proofs(model: Any, X: Any, y: Any, verify: bool) -> Iterator[ProofRecord]:
    """The certificate of each problem; checked as long as that takes no more than a moment in all."""
    began, results = time.perf_counter(), results_of(model)
    function = model.kernel if callable(model.kernel) else None
    for key, result in results.items():
        name = problem_name(key) if len(results) > 1 else ""
        try:
            certificate = result.certificate
        except ValueError as error:
            yield ProofRecord(name, "none", str(error), "", None, "")
            continue
        in_time = verify and time.perf_counter() - began < _CHECK_SECONDS
        yield _proof(name, certificate, X, y, in_time, function)


def _proof(
    name: str, certificate: Certificate, X: Any, y: Any, verify: bool, kernel: Any = None
) -> ProofRecord:
    document = certificate.to_dict()
    size = sum(len(str(part)) for part in certificate.proof.values())
    exact = False if name else None  # of several certificates, all should be checked in time
    outcome = check_certificate(certificate, X, y, exact, kernel=kernel) if verify else None
    return ProofRecord(
        problem=name,
        kind=certificate.kind,
        claim=certificate.claim,
        digest=document["digest"],
        outcome=None if outcome is None else outcome.outcome,
        reason="" if outcome is None else _short(outcome.reason, certificate.claim),
        document=document if size <= _LARGEST_DOCUMENT else None,
    )


def _short(reason: str, claim: str) -> str:
    """Reason of a check without the claim at its end, which is shown above it."""
    return f"{reason.removesuffix(f': {claim}')}." if reason.endswith(f": {claim}") else reason


def _separability(model: Any, X: Any, y: Any, facts: RowFacts) -> Separability | None:
    """The exact verdict where it is cheap and the model does not itself separate the rows."""
    linear = hasattr(model, "coef_") and len(model.classes_) == 2 and len(np.unique(facts.codes)) == 2
    if not linear or not is_cheap(X) or facts.margins.min() > 0:
        return None
    return separability(X, facts.codes, bias=model.bias != "none")


def _cancelling(found: Separability | None, y: Any) -> Cancelling | None:
    if found is None or found.verdict == "separable":
        return None
    labels = np.asarray(y).ravel()
    return Cancelling(
        found.verdict,
        found.rows.tolist(),
        [str(label) for label in labels[found.rows].tolist()],
        [_fraction(weight) for weight in found.weights],
    )


def _fraction(weight: Any) -> str:
    text = str(weight)
    return text if len(text) <= 24 else f"{float(weight):.6g}"


def _weights(model: Any, X: Any, columns: list[str], facts: RowFacts) -> tuple[dict[str, list[Weight]], int]:
    """Columns with the largest effect in each plane (at most six planes), and the number that is not shown."""
    if not hasattr(model, "coef_"):
        return {}, 0
    spread = column_spread(X)
    keys = list(getattr(model, "problems_", {}))
    two = len(model.classes_) == 2
    out = {}
    for place, w in enumerate(np.asarray(model.coef_)[:_PLANES]):
        key = keys[place] if len(keys) == len(model.coef_) else facts.names[place % len(facts.names)]
        name = f"{facts.names[1]} (to the right) against {facts.names[0]}" if two else problem_name(key)
        effect = w * spread
        best = np.argsort(-np.abs(effect), kind="stable")[: _WEIGHTS if two else 8]
        out[name] = [Weight(columns[j], float(w[j]), float(effect[j])) for j in best.tolist() if w[j] != 0.0]
    shown = max((len(each) for each in out.values()), default=0)
    return out, X.shape[1] - shown


def _contradictions(model: Any, X: Any, facts: RowFacts, columns: list[str], count: int) -> list[WorstRow]:
    w = np.asarray(model.coef_[0]) if hasattr(model, "coef_") and len(model.classes_) == 2 else None
    slack = isinstance(model, SVC)
    out = []
    for row in facts.worst(count).tolist():
        if not slack and facts.margins[row] > 0:
            continue  # a perceptron has no slab that a row could be inside of
        opposing = []
        if w is not None:
            sign = 1.0 if facts.codes[row] == 1 else -1.0
            share = sign * w * dense_rows(X, [row])[0]
            opposing = [(columns[j], float(share[j])) for j in np.argsort(share)[:3].tolist() if share[j] < 0]
        margin = float(facts.margins[row])
        out.append(
            WorstRow(
                row,
                facts.names[facts.codes[row]],
                facts.names[facts.predicted[row]],
                margin,
                max(0.0, 1.0 - margin) if slack and facts.scores.ndim == 1 else None,
                opposing,
            )
        )
    return out
