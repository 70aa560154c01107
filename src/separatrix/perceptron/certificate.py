"""Proofs of how a run ended: the updates of a clean run, or that no hyperplane separates the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.errors import with_hint
from separatrix.fitting.results import Deferred
from separatrix.perceptron.algorithm import LabelledRows
from separatrix.perceptron.bounds import Theory
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.run import RunResult
from separatrix.problem import Status
from separatrix.problem.kesler_rows import kesler_rows
from separatrix.problem.mistakes import MistakeRecord
from separatrix.proof.certificate import Certificate
from separatrix.proof.fingerprint import Fingerprint
from separatrix.proof.mistakes import MistakeClaim, mistakes
from separatrix.proof.separation import Contradiction, joint_separation
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability import Separability, separability
from separatrix.separability.overlap import decide
from separatrix.separability.verdict import Data, record


@dataclass(frozen=True)
class Tuning:
    """Numbers that decide when the exact verdict is asked for; it may take a second for a million entries."""

    #: Passes after which a run that still makes mistakes asks: separable rows seldom need as many.
    passes: int = 100
    #: Entries of X up to which it is asked.
    entries: int = 50_000_000
    #: Entries of the rows of Kesler's construction, which are many times those of X.
    kesler_entries: int = 1_000_000
    #: Entries in a run with a time limit, which the verdict on more of them could exceed by far.
    timed_entries: int = 4_000_000


@dataclass(frozen=True, eq=False)
class Names:
    """The classes of a problem, as the user named them: two sides, or all of them for Kesler."""

    positive: tuple[Any, ...]
    negative: tuple[Any, ...]
    y: Deferred[NDArray[Any]]  #: (n,) labels as given
    source: Deferred[Fingerprint]  #: of the data


class SeparabilityProbe:
    """Asks once, late in a run, whether the rows can be separated at all; stops the run if they cannot.

    A pocket or an average still gains from further passes, so those runs go on with the answer in hand.
    """

    def __init__(
        self,
        rows: LabelledRows,
        names: Names,
        settings: Settings,
        show: Callable[[MistakeRecord], None] | None = None,
        tuning: Tuning = Tuning(),  # noqa: B008  # frozen
    ) -> None:
        self.rows, self.names, self.settings, self.show, self.tuning = rows, names, settings, show, tuning
        self.answer: Separability | None = None
        self._asked = False

    def __call__(self, record: MistakeRecord) -> Status | None:
        """Look at a record of the run."""
        if self.show is not None:
            self.show(record)
        if not record.mistakes or record.epoch != self.tuning.passes:
            return None
        status = self.ask()
        return status if self.settings.output in ("last", "voted") else None

    def ask(self) -> Status | None:
        """INSEPARABLE if that is now proved."""
        if not self._asked:
            self._asked, self.answer = True, self._verdict()
        proved = self.answer is not None and self.answer.verdict != "separable"
        return Status.INSEPARABLE if proved else None

    def _verdict(self) -> Separability | None:
        """The exact verdict; None where it would take too long, or the kernel leaves no exact answer."""
        rows, names, tuning = self.rows, self.names, self.tuning
        size = int(rows.X.nnz if sparse.issparse(rows.X) else rows.X.size)
        limit = tuning.entries
        if rows.classes > 2:
            size, limit = 2 * (rows.classes - 1) * size, tuning.kesler_entries
        if self.settings.max_time is not None:
            limit = min(limit, tuning.timed_entries)
        if not rows.is_linear or size > limit:
            return None
        if rows.classes > 2:
            Z, labels = kesler_rows(rows.X, rows.labels, rows.classes, rows.constant)
            return separability(Z, labels, bias=False)
        signed = SignedRows(rows.X, rows.labels.astype(np.float64), rows.constant > 0)
        data = Data(rows.X, names.y.get(), names.positive, names.negative, None)
        return record(signed, decide(signed), data)


def prove_inseparable(answer: Separability, rows: LabelledRows, names: Names) -> Certificate:
    """The verdict as a certificate about the rows as they were given."""
    if rows.classes == 2:
        return answer.certificate
    classes, decision = rows.classes, answer.decision
    own = np.repeat(np.asarray(rows.labels), classes - 1)
    rivals = np.tile(np.arange(classes - 1), rows.n_rows)
    rivals += rivals >= own
    places = np.repeat(np.arange(rows.n_rows), classes - 1) * classes + rivals
    assert decision.circuit is not None
    assert decision.cover is not None
    found = Contradiction(
        places[decision.circuit.rows].tolist(),
        decision.circuit.weights,
        places[decision.cover.rows].tolist(),
        decision.cover.weights,
        decision.cover.denominator,
    )
    z = None
    if answer.verdict == "quasi-separable":
        # The last column of each class is the constant c; b is c times its weight.
        c, width = Fraction(rows.constant), rows.X.shape[1] + 1
        whole = c.denominator if rows.constant else 1
        z = [
            weight * (c.numerator if rows.constant and place % width == width - 1 else whole)
            for place, weight in enumerate(decision.z)
        ]
    source = names.source.get().source(names.positive, names.negative)
    return joint_separation(source, rows.constant > 0, answer.verdict, z, found, len(decision.tied))


def prove_mistakes(
    rows: LabelledRows, names: Names, settings: Settings, run: RunResult, known: Theory, warm: bool
) -> Certificate:
    """The `mistakes` certificate of a clean run, or a sentence that says why there is none."""
    if run.status is not Status.CONVERGED:
        raise with_hint(
            ValueError,
            f"There is nothing to certify: the run ended with status {run.status.value!r} before a pass without "
            "mistakes, and the rows were not shown to be inseparable.",
            "raise max_epochs or max_time",
        )
    if run.ledger is not None and run.ledger.dropped:
        raise with_hint(
            ValueError,
            "A certificate of kind 'mistakes' adds up all updates of a run, and this one forgot "
            f"{run.ledger.dropped} of them for budget={run.ledger.budget}, which breaks that theorem. bound_ has "
            "the bound of the budgeted perceptron.",
            "a budget above the number of updates",
        )
    if not rows.is_linear or run.w is None:
        raise ValueError(
            f"A certificate of kind 'mistakes' speaks of rows as they are given; kernel {rows.kernel.name!r} moves "
            "them to another space. The numbers themselves are in bound_, margin_ and radius_."
        )
    if warm:
        raise ValueError("A warm start has no bound of its own; fit with warm_start=False for a certificate.")
    assert known.witness is not None
    start, counts = settings.start, run.counts
    if run.pairs is not None:
        counts = run.pairs
        if start is not None:  # many classes start at the pair of that row with the first other class
            start = start * rows.classes + int(rows.labels[start] == 0)
    claim = MistakeClaim(settings.algorithm, rows.gain, settings.step, start, counts, known.witness)
    return mistakes(rows.X, names.source.get().source(names.positive, names.negative), claim)
