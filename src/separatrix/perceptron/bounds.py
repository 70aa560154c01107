"""The quantities of the theorems after a run: radius, margins, and the bound of the variant that was run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.fitting.predicting import raw_scores
from separatrix.perceptron.algorithm import LabelledRows
from separatrix.perceptron.decision import kernel_block
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.run import RunResult
from separatrix.problem import Status
from separatrix.problem.kesler_rows import kesler_rows
from separatrix.problem.mistakes import Variant, augmented_norm, inseparable_bound, ratio_of
from separatrix.solvers.active_set import hard_margin, within_reach
from separatrix.types import Vector

# Entries of the weights times rows up to which the widest margin is worth its time unasked: a fraction of a second.
_ENTRIES = 2_000_000


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
