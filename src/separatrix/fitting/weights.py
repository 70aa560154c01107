"""What an error on each row costs: C_i = C * sample weight * class weight.

A sample weight means repetition: weight 2 is the row twice, weight 0 is the row removed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import with_hint
from separatrix.types import Vector

Codes = NDArray[np.intp]


def check_sample_weight(sample_weight: Any, n_rows: int) -> Vector:
    """Weights (n,), finite, none negative, not all zero; None means one each. Not to be written to."""
    if sample_weight is None:
        return np.broadcast_to(1.0, n_rows)
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_rows, float(sample_weight))
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must hold numbers ({error}).") from error
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_rows} rows, shape ({n_rows},); got shape "
            f"{weights.shape}."
        )
    for bad, what in ((~np.isfinite(weights), "finite"), (weights < 0, "at least 0")):
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(
                f"sample_weight must be {what}; row {row} has {weights[row]}. A weight says how many times a "
                "row counts: 0 removes it."
            )
    if not weights.any():
        raise ValueError(
            "sample_weight is zero for every row; at least two classes need rows of weight above 0."
        )
    return weights


def row_costs(C: float, class_weight: Any, classes: NDArray[Any], codes: Codes, weights: Vector) -> Vector:
    """C_i (n,): a row of cost 0 is no part of the problem.

    >>> codes, weights = np.array([0, 0, 0, 1]), np.ones(4)
    >>> row_costs(1.0, "balanced", np.array(["a", "b"]), codes, weights)
    array([0.66666667, 0.66666667, 0.66666667, 2.        ])
    """
    counts = weights
    with np.errstate(over="ignore"):
        if class_weight is not None:
            counts = weights * class_weights(class_weight, classes, codes, weights)[codes]
        if math.isinf(C):  # the hard margin: a row counts or it does not
            return np.where(counts > 0, np.inf, 0.0)
        costs: Vector = C * counts
    if not costs.max() < np.inf:
        row = int(np.argmin(np.isfinite(costs)))
        raise ValueError(
            f"C times the weights of row {row} is too large for a float ({C:g} * {weights[row]:g} * its class's "
            "weight); scale the weights down."
        )
    return costs


def class_weights(class_weight: Any, classes: NDArray[Any], codes: Codes, weights: Vector) -> Vector:
    """The weight of each class (k,); "balanced" gives each class the same total.

    The balance counts repetitions as sample weights state them, so that weight k stays equal to k copies.
    """
    if isinstance(class_weight, str):
        totals = np.bincount(codes, weights, minlength=len(classes))
        present = totals > 0
        share = weights.sum() / present.sum()
        return np.where(present, share / np.where(present, totals, 1.0), 0.0)
    names = classes.tolist()
    _check_class_weight(class_weight, names)
    return np.array([float(class_weight.get(name, 1.0)) for name in names])


def _check_class_weight(class_weight: Mapping[Any, Any], names: list[Any]) -> None:
    for name, weight in class_weight.items():
        if not isinstance(weight, Real) or not 0 <= float(weight) < np.inf:
            raise ValueError(
                f"class_weight must map each class to a finite number of at least 0; {name!r} has {weight!r}."
            )
    unknown = [name for name in class_weight if name not in names]
    missing = [name for name in names if name not in class_weight]
    if unknown and missing:  # a subset of the classes may be weighted; a misspelt one is a mistake
        raise with_hint(
            ValueError,
            f"The classes {missing} are not in class_weight, and its keys {unknown} are no classes of y.",
            "keys must equal the labels, type included",
        )


def remaining_classes(costs: Vector, classes: NDArray[Any], codes: Codes) -> NDArray[np.intp]:
    """The codes of the classes that have a row of cost above 0; fewer than two is an error. Each class has a row."""
    if costs.min() > 0:
        return np.arange(len(classes))
    kept = np.flatnonzero(np.bincount(codes[costs > 0], minlength=len(classes)))
    if len(kept) < 2:
        left = f"only class {classes[kept[0]]!r} has" if len(kept) else "no class has"
        raise ValueError(
            f"Once rows of weight zero are removed, {left} rows left; a separating surface needs rows of at "
            "least two classes with a weight above zero."
        )
    return kept
