"""What the theorems say of a finished run: radius, margins, and the bound of the variant that was run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.fitting.predicting import raw_scores
from separatrix.perceptron.parameters import Choice
from separatrix.perceptron.run_result import Found
from separatrix.perceptron.state import LabelledRows
from separatrix.problem import Status
from separatrix.problem.kernels import Kernel
from separatrix.problem.kesler_rows import kesler_rows
from separatrix.problem.mistake_bounds import Variant, augmented_norm, inseparable_bound, ratio_of
from separatrix.solvers.active_set import hard_margin, within_reach
from separatrix.types import Vector

_ENTRIES = 2_000_000  # entries of X up to which the widest margin is worth its time unasked


@dataclass(frozen=True, eq=False)
class Theory:
    """The quantities of the theorems. Margins are geometric, in the space with the fictitious column.

    ``bound`` is the most updates the variant can make on these rows, from the best witness known: the widest
    margin where it was found, else the final separator. On rows that the run did not separate it is
    Freund and Schapire's bound, or infinite where that theorem does not speak of the variant. Where a budget made
    the run forget updates it is the bound of `perceptron_budget` with the last weights for a comparator.
    """

    radius: float  #: max ||x_i||, in feature space with a kernel
    margin: float  #: min_i y_i f(x_i) / ||wt|| of the last weights; negative if a row is misclassified
    max_margin: float  #: the widest margin any wt has; nan where it was not computed
    bound: float
    witness: tuple[NDArray[np.float64], Vector] | None  #: (W, b) behind the bound; None with a kernel


def theory(
    rows: LabelledRows, kernel: Kernel, choice: Choice, classes: int, found: Found, warm: bool
) -> Theory:
    """Recompute everything from the rows in float64."""
    radius = math.sqrt(float(np.max(kernel.diagonal(rows.X), initial=0.0)))
    products, norm = _products(rows, kernel, classes, found)
    least = float(products.min())
    margin = least / norm if norm > 0 else 0.0
    variant = Variant(choice.algorithm, choice.settings.step, choice.settings.start is not None, rows.n_rows)
    if warm:
        return Theory(radius, margin, math.nan, math.nan, None)
    if found.ledger is not None and found.ledger.dropped:
        squared = (1 if classes == 2 else 2) * (radius * radius + rows.gain)
        margins = products / norm if norm > 0 else np.zeros_like(products)
        return Theory(radius, margin, math.nan, found.ledger.bound(margins, squared, found.epochs), None)
    if found.status is not Status.CONVERGED:
        return Theory(
            radius, margin, math.nan, _any_data(variant, rows, radius, classes, products, norm, found), None
        )
    ratio = ratio_of(radius, rows.constant, least, norm, classes)
    witness = None if found.w is None else (found.w, found.b)
    max_margin = math.nan
    if found.w is not None and found.w.size * rows.n_rows <= _ENTRIES:
        widest = widest_margin(rows, classes)
        if widest is not None:
            max_margin, W, b = widest
            wider = ratio_of(radius, rows.constant, max_margin, 1.0, classes)
            if wider < ratio:
                ratio, witness = wider, (W, b)
    return Theory(radius, margin, max_margin, variant.bound(ratio), witness)


def _products(rows: LabelledRows, kernel: Kernel, classes: int, found: Found) -> tuple[Vector, float]:
    """y_i f(x_i), or the least lead of the own class, shape (n,); and the norm of the last weights."""
    if found.w is not None:
        F = raw_scores(rows.X, found.w, found.b)
        norm = augmented_norm(found.w, found.b, rows.constant)
    else:
        used = np.flatnonzero(np.any(found.beta != 0, axis=1))
        beta = found.beta[used]
        support = rows.X[used] if kernel.name != "precomputed" else None
        block = kernel.matrix(rows.X, support)
        block = block[:, used] if kernel.name == "precomputed" else block
        F = block @ beta + rows.gain * beta.sum(axis=0)
        norm = math.sqrt(max(0.0, float(np.sum(F[used] * beta))))
    return leads(F, rows.labels, classes), norm


def leads(F: NDArray[np.float64], labels: NDArray[Any], classes: int) -> Vector:
    """By how much each row's own class leads, shape (n,): y_i f(x_i) for two classes.

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
    variant: Variant,
    rows: LabelledRows,
    radius: float,
    classes: int,
    products: Vector,
    norm: float,
    found: Found,
) -> float:
    """Freund and Schapire's bound with the last weights for a comparator; it speaks of fixed steps from zero."""
    if variant.algorithm != "perceptron" or variant.from_row or isinstance(variant.step, str):
        return math.inf
    margins = products / norm if norm > 0 else np.zeros_like(products)
    largest = math.sqrt((2.0 if classes > 2 else 1.0) * (radius * radius + rows.gain))
    return inseparable_bound(margins, largest, found.epochs)


def widest_margin(rows: LabelledRows, classes: int) -> tuple[float, NDArray[np.float64], Vector] | None:
    """The widest margin with the fictitious column, and unit planes (W, b) that have it; None if none was found.

    The margin is that of the planes as they are returned, so it is never more than the truth.
    """
    X, y = _augmented(rows, classes)
    if not within_reach(*X.shape):
        return None
    answer = hard_margin(X, y, bias=False)
    size = float(np.linalg.norm(answer.w))
    if answer.status == "infeasible" or not size > 0 or not np.isfinite(size):
        return None
    planes = (answer.w / size).reshape(1 if classes == 2 else classes, -1)
    W = np.ascontiguousarray(planes[:, : rows.X.shape[1]])
    b = planes[:, -1] * rows.constant if rows.constant else np.zeros(len(planes))
    least = float(leads(raw_scores(rows.X, W, b), rows.labels, classes).min())
    margin = least / augmented_norm(W, b, rows.constant)
    return (margin, W, b) if margin > 0 else None


def _augmented(rows: LabelledRows, classes: int) -> tuple[Any, Vector]:
    """The rows with their fictitious column, as a two-class problem through the origin."""
    if classes > 2:
        Z, labels = kesler_rows(rows.X, rows.labels, classes, rows.constant)
        return Z, labels.astype(np.float64)
    y = rows.labels.astype(np.float64)
    if not rows.constant:
        return rows.X, y
    column: Any = np.full((rows.n_rows, 1), rows.constant)
    if sparse.issparse(rows.X):
        return sparse.csr_array(sparse.hstack([rows.X, sparse.csr_array(column)], format="csr")), y
    return np.hstack([rows.X, column]), y
