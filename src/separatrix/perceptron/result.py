"""The whole answer to one perceptron problem, and the proof that goes with its status."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.errors import with_hint
from separatrix.fitting.deferred import Deferred
from separatrix.perceptron.bounds import Theory, theory
from separatrix.perceptron.fit import find
from separatrix.perceptron.parameters import Choice
from separatrix.perceptron.run_result import Found
from separatrix.perceptron.state import LabelledRows, PassState
from separatrix.problem import Status
from separatrix.problem.kernels import Kernel
from separatrix.problem.kesler_rows import kesler_rows
from separatrix.problem.mistakes import MistakeHistory, MistakeRecord
from separatrix.proof.certificate import Certificate
from separatrix.proof.fingerprint import Fingerprint
from separatrix.proof.mistakes import MistakeClaim, mistakes
from separatrix.proof.separation import Contradiction, joint_separation
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability import Separability, separability
from separatrix.separability.overlap import decide
from separatrix.separability.verdict import Data, record

_DOUBT = 100  # passes after which the rows are asked whether they can be separated at all
# Entries of X, or of Kesler's rows, up to which it is asked; and in a run with a time limit.
_PROVABLE, _PROVABLE_KESLER, _PROVABLE_SOON = 50_000_000, 1_000_000, 4_000_000


@dataclass(frozen=True, eq=False)
class Names:
    """The classes of a problem, as the user named them: two sides, or all of them for Kesler."""

    positive: tuple[Any, ...]
    negative: tuple[Any, ...]
    y: Deferred[NDArray[Any]]  #: (n,) labels as given


@dataclass(frozen=True, eq=False)
class PerceptronResult:
    """One problem's answer. ``positive`` is the class, or classes, where f(x) > 0."""

    positive: tuple[Any, ...]
    negative: tuple[Any, ...]
    found: Found
    status: Status
    constant: float  #: of the fictitious column
    theory: Deferred[Theory] = field(repr=False)
    deferred: Deferred[Certificate] = field(repr=False)

    @property
    def history(self) -> MistakeHistory:
        """Mistakes and updates, pass by pass, against the bound."""
        return self.found.history.with_bound(self.theory.get().bound)

    @property
    def certificate(self) -> Certificate:
        """`mistakes` after a clean pass, `inseparable` or `quasi-separable` where that was proved."""
        return self.deferred.get()


class Doubt:
    """Asks once, late in a run, whether the rows can be separated at all; stops the run if they cannot.

    A pocket or an average still gains from further passes, so those runs go on with the answer in hand.
    """

    def __init__(self, ask: Callable[[], Separability | None], choice: Choice, show: Any) -> None:
        self.ask, self.choice, self.show = ask, choice, show
        self.answer: Separability | None = None
        self.asked = False

    def __call__(self, record: MistakeRecord) -> Status | None:
        """Look at a record of the run."""
        if self.show is not None:
            self.show(record)
        if not record.mistakes or record.epoch != _DOUBT:
            return None
        settled = self.settle()
        return settled if self.choice.settings.extra in (None, "voted") else None

    def settle(self) -> Status | None:
        """INSEPARABLE if that is now proved."""
        if not self.asked:
            self.asked, self.answer = True, self.ask()
        proved = self.answer is not None and self.answer.verdict != "separable"
        return Status.INSEPARABLE if proved else None


def solve(
    rows: LabelledRows,
    names: Names,
    kernel: Kernel,
    choice: Choice,
    classes: int,
    source: Deferred[Fingerprint],
    before: PassState | None = None,
    show: Any = None,
) -> PerceptronResult:
    """Run one problem and prove how it ended."""
    soon = choice.max_time is not None
    doubt = Doubt(lambda: ask_separability(rows, names, kernel, classes, soon=soon), choice, show)
    found = find(rows, kernel, choice, classes, doubt, before)
    status = found.status
    if status in (Status.MAX_ITER, Status.MAX_TIME):
        status = doubt.settle() or status
    known = Deferred(lambda: theory(rows, kernel, choice, classes, found, before is not None))
    answer = doubt.answer

    def certificate() -> Certificate:
        if status is Status.INSEPARABLE:
            assert answer is not None
            return (
                answer.certificate
                if classes == 2
                else prove_joint(answer, rows, names, classes, source.get())
            )
        return prove_mistakes(
            rows, names, kernel, choice, classes, found, known.get(), source, before is not None
        )

    return PerceptronResult(
        names.positive, names.negative, found, status, rows.constant, known, Deferred(certificate)
    )


def ask_separability(
    rows: LabelledRows, names: Names, kernel: Kernel, classes: int, *, soon: bool
) -> Separability | None:
    """The exact verdict on the rows; None where it would take too long, or the kernel leaves no exact answer.

    ``soon``: the run has a time limit, which a verdict on many rows could exceed by far.
    """
    entries = rows.X.nnz if sparse.issparse(rows.X) else rows.X.size
    size, limit = (entries, _PROVABLE) if classes == 2 else (2 * (classes - 1) * entries, _PROVABLE_KESLER)
    if kernel.name != "linear" or size > (min(limit, _PROVABLE_SOON) if soon else limit):
        return None
    if classes > 2:
        Z, labels = kesler_rows(rows.X, rows.labels, classes, rows.constant)
        return separability(Z, labels, bias=False)
    signed = SignedRows(rows.X, rows.labels.astype(np.float64), rows.constant > 0)
    return record(signed, decide(signed), Data(rows.X, names.y.get(), names.positive, names.negative, None))


def prove_joint(
    answer: Separability, rows: LabelledRows, names: Names, classes: int, source: Fingerprint
) -> Certificate:
    """The verdict on the rows of Kesler's construction, as a certificate about the rows as they were given."""
    own = np.repeat(np.asarray(rows.labels), classes - 1)
    rivals = np.tile(np.arange(classes - 1), rows.n_rows)
    rivals += rivals >= own
    places = np.repeat(np.arange(rows.n_rows), classes - 1) * classes + rivals
    decision = answer.decision
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
    given = source.source(names.positive, names.negative)
    return joint_separation(given, rows.constant > 0, answer.verdict, z, found, len(decision.tied))


def prove_mistakes(
    rows: LabelledRows,
    names: Names,
    kernel: Kernel,
    choice: Choice,
    classes: int,
    found: Found,
    known: Theory,
    source: Deferred[Fingerprint],
    warm: bool,
) -> Certificate:
    """The `mistakes` certificate of a clean run, or a sentence that says why there is none."""
    if found.status is not Status.CONVERGED:
        raise with_hint(
            ValueError,
            f"There is nothing to certify: the run ended with status {found.status.value!r} before a pass without "
            "mistakes, and the rows were not shown to be inseparable.",
            "raise max_epochs or max_time",
        )
    if found.ledger is not None and found.ledger.dropped:
        raise with_hint(
            ValueError,
            "A certificate of kind 'mistakes' adds up all updates of a run, and this one forgot "
            f"{found.ledger.dropped} of them for budget={found.ledger.budget}, which breaks that theorem. bound_ has "
            "the bound of the budgeted perceptron.",
            "a budget above the number of updates",
        )
    if kernel.name != "linear" or found.w is None:
        raise ValueError(
            f"A certificate of kind 'mistakes' speaks of rows as they are given; kernel {kernel.name!r} moves them "
            "to another space. The numbers themselves are in bound_, margin_ and radius_."
        )
    if warm:
        raise ValueError("A warm start has no bound of its own; fit with warm_start=False for a certificate.")
    assert known.witness is not None
    settings = choice.settings
    start, counts = settings.start, found.counts
    if found.pairs is not None:
        counts = found.pairs
        if (
            start is not None
        ):  # a run of many classes starts at the pair of that row with the first other class
            start = start * classes + int(rows.labels[start] == 0)
    claim = MistakeClaim(choice.algorithm, rows.gain, settings.step, start, counts, known.witness)
    return mistakes(rows.X, source.get().source(names.positive, names.negative), claim)
