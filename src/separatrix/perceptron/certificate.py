"""The theorem after a run and its proofs: the bound of a clean run, or that no hyperplane separates the rows.

    updates <= the bound of the variant at rho^2 = (Rt / m)^2,         Rt^2 = max ||x_i||^2 + c^2,    xt = (x, c)

m is the widest margin of the rows xt where it was computed, else that of the last weights. `problem.mistakes` has
the theorem of each variant. A run that does not end asks for the exact verdict on separability once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.errors import with_hint
from separatrix.fitting.predicting import raw_scores
from separatrix.fitting.results import Deferred
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.result import RunResult, kernel_block
from separatrix.perceptron.rows import LabelledRows
from separatrix.problem import Status
from separatrix.problem.kesler_rows import kesler_rows
from separatrix.problem.mistakes import MistakeRecord, Variant, augmented_norm, inseparable_bound, ratio_of
from separatrix.proof.certificate import Certificate
from separatrix.proof.fingerprint import Fingerprint
from separatrix.proof.mistakes import MistakeClaim, mistakes
from separatrix.proof.separation import Contradiction, joint_separation
from separatrix.proof.signed_rows import SignedRows
from separatrix.separability import Separability, separability
from separatrix.separability.overlap import decide
from separatrix.separability.verdict import Data, record
from separatrix.solvers.active_set import hard_margin, within_reach
from separatrix.types import Vector

# Entries of the weights times rows up to which the widest margin is computed unasked: a fraction of a second.
_ENTRIES = 2_000_000


@dataclass(frozen=True, eq=False)
class Names:
    """The classes of a problem, as the user named them: two sides, or all of them for Kesler."""

    positive: tuple[Any, ...]
    negative: tuple[Any, ...]
    y: Deferred[NDArray[Any]]  #: (n,) labels as given
    source: Deferred[Fingerprint]  #: of the data


@dataclass(frozen=True, eq=False)
class Theory:
    """The quantities of the theorems. Margins are geometric, in the space with the fictitious column.

    ``bound`` is the most updates the variant can make on these rows, from the best witness known: the widest
    margin where it was found, else the final separator. On rows that the run did not separate it is
    Freund and Schapire's bound, or infinite where that theorem does not speak of the variant. Where a budget made
    the run forget updates it is the bound of `budget.py` with the last weights for a comparator.
    """

    radius: float  #: max ||x_i||, in feature space with a kernel
    margin: float  #: min_i y_i f(x_i) / ||wt|| of the last weights; negative if a row is misclassified
    max_margin: float  #: the widest margin any wt has; nan where it was not computed
    bound: float
    witness: tuple[NDArray[np.float64], Vector] | None  #: (W, b) behind the bound; None with a kernel


def theory(rows: LabelledRows, settings: Settings, run: RunResult, warm: bool) -> Theory:
    """Recompute everything from the rows in float64."""
    radius = math.sqrt(float(np.max(rows.kernel.diagonal(rows.X), initial=0.0)))
    products, norm = _products(rows, run)
    least = float(products.min())
    margin = least / norm if norm > 0 else 0.0
    if warm:
        return Theory(radius, margin, math.nan, math.nan, None)
    if run.status is not Status.CONVERGED or (run.ledger is not None and run.ledger.dropped):
        margins = products / norm if norm > 0 else np.zeros_like(products)
        return Theory(radius, margin, math.nan, _any_data(rows, settings, run, radius, margins), None)
    ratio = ratio_of(radius, rows.constant, least, norm, rows.classes)
    witness = None if run.w is None else (run.w, run.b)
    max_margin = math.nan
    if run.w is not None and run.w.size * rows.n_rows <= _ENTRIES:
        widest = widest_margin(rows)
        if widest is not None:
            max_margin, W, b = widest
            wider = ratio_of(radius, rows.constant, max_margin, 1.0, rows.classes)
            if wider < ratio:
                ratio, witness = wider, (W, b)
    variant = Variant(settings.algorithm, settings.step, settings.start is not None, rows.n_rows)
    return Theory(radius, margin, max_margin, variant.bound(ratio), witness)


def _products(rows: LabelledRows, run: RunResult) -> tuple[Vector, float]:
    """y_i f(x_i), or the least lead of the own class, shape (n,); and the norm of the last weights."""
    if run.w is not None:
        F = raw_scores(rows.X, run.w, run.b)
        norm = augmented_norm(run.w, run.b, rows.constant)
    else:
        used = np.flatnonzero(np.any(run.beta != 0, axis=1))
        beta = run.beta[used]
        support = None if rows.kernel.name == "precomputed" else rows.X[used]
        F = kernel_block(rows.kernel, rows.X, support, used) @ beta + rows.gain * beta.sum(axis=0)
        norm = math.sqrt(max(0.0, float(np.sum(F[used] * beta))))
    return leads(F, rows.labels, rows.classes), norm


def leads(F: NDArray[np.float64], labels: NDArray[Any], classes: int) -> Vector:
    """Lead of each row's own class over the best other, shape (n,): y_i f(x_i) for two classes.

    >>> leads(np.array([[3.0, 1.0, 2.0]]), np.array([2]), 3)
    array([-1.])
    """
    if classes == 2:
        return np.asarray(F[:, 0] * labels)
    each = np.arange(len(F))
    own = F[each, labels].copy()
    others = F.copy()
    others[each, labels] = -np.inf
    return np.asarray(own - others.max(axis=1))


def _any_data(
    rows: LabelledRows, settings: Settings, run: RunResult, radius: float, margins: Vector
) -> float:
    """The bound on rows that need not be separable, with the last weights for a comparator of the given margins.

    Freund and Schapire's speaks of fixed steps from zero, that of `budget.py` of runs that forgot updates.
    """
    squared = (1.0 if rows.classes == 2 else 2.0) * (radius * radius + rows.gain)
    if run.ledger is not None and run.ledger.dropped:
        return run.ledger.bound(margins, squared, run.epochs)
    if settings.algorithm != "perceptron" or settings.start is not None or isinstance(settings.step, str):
        return math.inf
    return inseparable_bound(margins, math.sqrt(squared), run.epochs)


def widest_margin(rows: LabelledRows) -> tuple[float, NDArray[np.float64], Vector] | None:
    """The widest margin with the fictitious column, and unit planes (W, b) that have it; None if none was found.

    The margin is that of the planes as they are returned, so it is never more than the truth.
    """
    X, y = _augmented(rows)
    if not within_reach(*X.shape):
        return None
    answer = hard_margin(X, y, bias=False)
    size = float(np.linalg.norm(answer.w))
    if answer.status == "infeasible" or not size > 0 or not np.isfinite(size):
        return None
    planes = (answer.w / size).reshape(rows.n_planes, -1)
    W = np.ascontiguousarray(planes[:, : rows.X.shape[1]])
    b = planes[:, -1] * rows.constant if rows.constant else np.zeros(len(planes))
    least = float(leads(raw_scores(rows.X, W, b), rows.labels, rows.classes).min())
    margin = least / augmented_norm(W, b, rows.constant)
    return (margin, W, b) if margin > 0 else None


def _augmented(rows: LabelledRows) -> tuple[Any, Vector]:
    """The rows with their fictitious column, as a two-class problem through the origin."""
    if rows.classes > 2:
        Z, labels = kesler_rows(rows.X, rows.labels, rows.classes, rows.constant)
        return Z, labels.astype(np.float64)
    y = rows.labels.astype(np.float64)
    if not rows.constant:
        return rows.X, y
    column: Any = np.full((rows.n_rows, 1), rows.constant)
    if sparse.issparse(rows.X):
        return sparse.csr_array(sparse.hstack([rows.X, sparse.csr_array(column)], format="csr")), y
    return np.hstack([rows.X, column]), y


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


class SeparabilityProbe:
    """Asks once, late in a run, whether the rows can be separated at all; stops the run if they cannot.

    A pocket or an average still gains from further passes, so those runs go on with the answer in hand.
    """

    def __init__(
        self,
        rows: LabelledRows,
        names: Names,
        settings: Settings,
        tuning: Tuning = Tuning(),  # noqa: B008  # frozen
    ) -> None:
        self.rows, self.names, self.settings, self.tuning = rows, names, settings, tuning
        self.answer: Separability | None = None
        self._asked = False

    def after(self, record: MistakeRecord) -> Status | None:
        """Ask when it is time; a status that is not None ends the run."""
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
            return separability(*_augmented(rows), bias=False)
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
