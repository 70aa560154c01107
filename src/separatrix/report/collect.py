"""The function `make`, which collects a report from a fitted model, its certificates and the rows."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix.data.description import TableDescription
from separatrix.errors import InseparableError
from separatrix.fitting.inputs import check_matrix
from separatrix.perceptron.estimator import Perceptron
from separatrix.proof.certificate import Certificate
from separatrix.proof.verify import verify as check_certificate
from separatrix.report.commands import check_commands
from separatrix.report.learnt import effects_of, is_soft, mistakes_of, settings_of, solved_rows, weights_of
from separatrix.report.model_facts import (
    problem_name,
    progress_of,
    results_of,
    support_facts,
    support_rows,
)
from separatrix.report.plane import picture
from separatrix.report.quality import parts_of, quality_of
from separatrix.report.records import Cancelling, ProofRecord, Report, Source
from separatrix.report.row_values import as_read, fields_of, is_table
from separatrix.report.rows import RowFacts, row_facts
from separatrix.report.verdicts import about, verdict_of, verdict_of_separability
from separatrix.separability import Separability, separability
from separatrix.separability.api import is_cheap
from separatrix.svm.svc import SVC

#: Seconds after which no further certificate is checked.
_CHECK_SECONDS = 20.0
#: Characters of a proof up to which the page holds it, and of all proofs together.
_LARGEST_DOCUMENT, _LARGEST_PAGE = 3_000_000, 6_000_000


def make(
    model: Any,
    X: Any,
    y: Any,
    *,
    columns: list[str] | None = None,
    title: str | None = None,
    verify: bool = True,
    worst: int = 12,
    held_out: Any = None,
    test: tuple[Any, Any] | None = None,
    test_file: str = "the table for testing",
    test_row_numbers: Any = None,
    row_numbers: Any = None,
    description: TableDescription | None = None,
    encoding: dict[str, Any] | None = None,
    data_file: str = "DATA",
    certificate_file: str = "certificate.json",
    commands: list[tuple[str, str]] | None = None,
) -> Report:
    """Collect a report on a fitted `SVC` or `Perceptron`, or on a `Separability` or `InseparableError`.

    Parameters
    ----------
    model
        The model; any number of classes, any kernel.
    X, y
        Rows (n, d) and labels (n,): those it was fitted to, which the certificate is about, or others.
    columns : list of str, default None
        Names of the columns; None takes those that the model knows.
    title : str, default None
    verify : bool, default True
        Check the certificates against X and y, at about the cost of a few passes over the data.
    worst : int, default 12
        Number of rows shown of those that the model gets wrong.
    held_out : sequence of int, default None
        Rows of X that the fit did not learn from. None takes those that had no weight in it, as the certificate
        says: rows that ``separatrix fit --holdout`` held out, or rows with a ``sample_weight`` of zero.
    test : (X, y), default None
        Rows and labels of another table, which the fit has not seen; they are judged first.
    test_file : str
    test_row_numbers : sequence of int, default None
        The name of that table, and the number of each row in it.
    row_numbers : sequence of int, default None
        Number of each row in its file, as people count; None counts rows from 0.
    description : TableDescription, default None
        How the file was read, as `separatrix.read` says in ``Dataset.description``.
    encoding : dict, default None
        How its columns became those of X, ``Dataset.encoding``; None takes what a model from a file knows.
    data_file, certificate_file : str
        Names for the commands that check the certificate.
    commands : list of (str, str), default None
        Commands that check it, and what they do, in place of those.
    """
    if isinstance(model, InseparableError):
        model = model.separability
    labels, each = np.unique(np.asarray(y).ravel(), return_counts=True)
    counts = {str(label): count for label, count in zip(labels.tolist(), each.tolist(), strict=True)}
    if commands is None:
        commands = check_commands(data_file, certificate_file)
    if isinstance(model, Separability):
        return _of_separability(model, X, y, title, counts, commands, verify)
    if not isinstance(model, SVC | Perceptron):
        raise TypeError(f"A report is about a separatrix model or Separability; got {type(model).__name__}.")
    rows_X = check_matrix(model, X, reset=False)
    known = columns or getattr(model, "column_names_", None) or list(getattr(model, "feature_names_in_", []))
    model = _without_names(model)
    facts = row_facts(model, rows_X, y)
    own = Source(rows_X, facts, row_numbers)
    proofs = list(_proofs(model, *_rows_of_the_proof(model, X, y, held_out), verify))
    other = None if test is None else _test_source(model, *test, test_row_numbers)
    parts = parts_of(model, own, proofs, held_out, other)
    learnt = next((part.rows for part in parts if part.name == "learnt from"), None)
    found = _separability(model, rows_X, facts, learnt)
    by_kind = support_rows(model, facts, proofs)
    shown = [str(name) for name in known] or [f"column {j + 1}" for j in range(rows_X.shape[1])]
    verdict, tone, details = verdict_of(model, proofs, found)
    if callable(model.kernel):
        commands = []
        details.append(
            "The kernel is a function, which no certificate holds: separatrix.verify(certificate, X, y, kernel=...) "
            "checks it in Python."
        )
    solved = solved_rows(model, rows_X)
    weights, left, planes_left = weights_of(model, solved, shown, facts)
    encoding = getattr(model, "data_encoding_", None) if encoding is None else encoding
    mistakes, mistakes_left, values_left = mistakes_of(
        model, parts, shown, effects_of(model, solved), encoding, worst
    )
    holding = by_kind.get("margin", by_kind.get("updates", np.empty(0, dtype=np.intp)))
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
        commands=[] if _speaks_of_others(model, proofs, held_out) else commands,
        quality=quality_of(parts, test_file),
        parts=parts,
        settings=settings_of(model),
        description=description,
        fields=as_read(rows_X, fields_of(shown, encoding)) if is_table(encoding) else [],
        mistakes=mistakes,
        mistakes_left=mistakes_left,
        values_left=values_left,
        test_file=test_file if test is not None else "",
        row_word=_row_word(row_numbers, description),
        counted=_counted(row_numbers, description, data_file),
        rows=facts,
        slab=is_soft(model),
        geometric=float(model.margin_) if is_soft(model) else None,
        support=support_facts(model, facts, proofs),
        progress=progress_of(model),
        weights=weights,
        weights_left=left,
        planes_left=planes_left,
        cancelling=_cancelling(found, y, learnt, row_numbers),
        picture=picture(model, solved, rows_X, facts, shown, holding[holding < rows_X.shape[0]]),
        support_rows=by_kind,
    )


def _test_source(model: Any, X: Any, y: Any, numbers: Any) -> Source:
    rows = check_matrix(model, X, reset=False)
    return Source(rows, row_facts(model, rows, y), numbers)


def _held_out(model: Any, held_out: Any) -> Any:
    return held_out if held_out is not None else getattr(model, "held_out_", None)


def _rows_of_the_proof(model: Any, X: Any, y: Any, held_out: Any) -> tuple[Any, Any]:
    """Return the rows of the certificate: for an SVC the whole table, for a perceptron those it learnt from."""
    apart = _held_out(model, held_out)
    if isinstance(model, SVC) or apart is None:
        return X, y
    rows = np.setdiff1d(np.arange(len(y)), apart)
    return check_matrix(model, X, reset=False)[rows], np.asarray(y)[rows]


def _speaks_of_others(model: Any, proofs: list[ProofRecord], held_out: Any) -> bool:
    """True where no command could prove anything about the table: no proof, or one about other rows."""
    if not isinstance(model, SVC) and _held_out(model, held_out) is not None:
        return True
    return all(proof.kind == "none" or proof.outcome == "rejected" for proof in proofs)


def _counted(numbers: Any, description: TableDescription | None, file: str) -> str:
    """Return how rows are numbered."""
    if numbers is None:
        return "counted from 0"
    return f"by their {_row_word(numbers, description)} in {file}"


def _row_word(numbers: Any, description: TableDescription | None) -> str:
    return "row" if numbers is None or description is None else description.row_word


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
        cancelling=_cancelling(found, y, None, None),
    )


def _proofs(model: Any, X: Any, y: Any, verify: bool) -> Iterator[ProofRecord]:
    """The certificate of each problem; checked as long as that takes no more than a moment in all."""
    began, results, room = time.perf_counter(), results_of(model), _LARGEST_PAGE
    function = model.kernel if callable(model.kernel) else None
    for key, result in results.items():
        name = problem_name(key) if len(results) > 1 else ""
        try:
            certificate = result.certificate
        except ValueError as error:
            yield ProofRecord(name, "none", str(error), "", None, "")
            continue
        in_time = verify and time.perf_counter() - began < _CHECK_SECONDS
        size = sum(len(str(part)) for part in certificate.proof.values())
        keep = size <= min(room, _LARGEST_DOCUMENT)
        room -= size if keep else 0
        yield _proof(name, certificate, X, y, in_time, function, keep)


def _proof(
    name: str, certificate: Certificate, X: Any, y: Any, verify: bool, kernel: Any = None, keep: bool = True
) -> ProofRecord:
    document = certificate.to_dict()
    exact = False if name else None  # of several certificates, all should be checked in time
    outcome = check_certificate(certificate, X, y, exact, kernel=kernel) if verify else None
    if name and outcome is not None and outcome.outcome == "rejected":  # floats may be too coarse for its gap
        outcome = check_certificate(certificate, X, y, kernel=kernel)
    return ProofRecord(
        problem=name,
        kind=certificate.kind,
        claim=certificate.claim,
        digest=document["digest"],
        outcome=None if outcome is None else outcome.outcome,
        reason="" if outcome is None else _short(outcome.reason, certificate.claim),
        document=document if keep else None,
    )


def _short(reason: str, claim: str) -> str:
    """Reason of a check without the claim at its end, which is shown above it."""
    return f"{reason.removesuffix(f': {claim}')}." if reason.endswith(f": {claim}") else reason


def _separability(model: Any, X: Any, facts: RowFacts, learnt: Any) -> Separability | None:
    """The exact verdict on the rows learnt from, where it is cheap and the model does not itself separate them."""
    if not hasattr(model, "coef_") or len(model.classes_) != 2 or not is_cheap(X):
        return None
    rows = slice(None) if learnt is None else learnt
    if len(np.unique(facts.codes[rows])) != 2 or facts.margins[rows].min() > 0:
        return None
    return separability(X[rows], facts.codes[rows], bias=model.bias != "none")


def _cancelling(found: Separability | None, y: Any, learnt: Any, numbers: Any) -> Cancelling | None:
    """The rows that cancel, as they are numbered in the whole table."""
    if found is None or found.verdict == "separable":
        return None
    labels = np.asarray(y).ravel()
    rows = found.rows if learnt is None else np.asarray(learnt)[found.rows]
    return Cancelling(
        found.verdict,
        rows.tolist() if numbers is None else [int(numbers[row]) for row in rows.tolist()],
        [str(label) for label in labels[rows].tolist()],
        [_fraction(weight) for weight in found.weights],
    )


def _fraction(weight: Any) -> str:
    text = str(weight)
    return text if len(text) <= 24 else f"{float(weight):.6g}"
