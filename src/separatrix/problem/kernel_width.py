"""gamma, the width of a kernel: a number, or how it follows from the rows.

"scale"   1 / (d var(X)), the variance over all entries        "auto"   1 / d
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse

from separatrix.problem.rows import row_blocks
from separatrix.types import Vector

Width: TypeAlias = float | Literal["scale", "auto"]


def check_width(gamma: Any) -> None:
    """Raise a sentence unless gamma is a width.

    >>> check_width("wide")
    Traceback (most recent call last):
    ValueError: gamma must be 'scale', 'auto' or a finite number of at least 0; got 'wide'.
    """
    is_number = isinstance(gamma, Real) and not isinstance(gamma, bool) and 0 <= float(gamma) < math.inf
    if not is_number and gamma not in ("scale", "auto"):
        raise ValueError(f"gamma must be 'scale', 'auto' or a finite number of at least 0; got {gamma!r}.")


def number(gamma: Width) -> float:
    """gamma as a number; "scale" and "auto" must have been worked out from the rows before."""
    if isinstance(gamma, str):
        raise ValueError(f"gamma={gamma!r} depends on the rows: call kernel.fixed(X) first.")
    return float(gamma)


def kernel_width(gamma: Any, X: Any, weights: Vector | None = None) -> float:
    """gamma as a number; a weight k counts a row of X k times.

    >>> kernel_width("auto", np.zeros((3, 4)))
    0.25
    >>> X = np.array([[0.0], [2.0]])
    >>> kernel_width("scale", X), kernel_width("scale", X, np.array([1.0, 0.0]))
    (1.0, 1.0)
    """
    columns = max(1, int(X.shape[1]))
    if gamma == "auto":
        return 1.0 / columns
    if gamma != "scale":
        return float(gamma)
    total = mean = square = 0.0
    if weights is None and not bool(sparse.issparse(X)):
        # np.var(X) to the last bit, in half of its time where X is small
        with np.errstate(over="ignore"):  # such rows are refused later, with a sentence
            centred = np.subtract(X, X.sum(dtype=np.float64) / X.size, dtype=np.float64)
            variance = float(np.square(centred, out=centred).sum()) / X.size
        return 1.0 / (columns * variance) if variance > 0 else 1.0
    for rows, block in row_blocks(X):
        counts = np.ones(block.shape[0]) if weights is None else weights[rows]
        is_sparse = bool(sparse.issparse(block))
        squares = block.multiply(block) if is_sparse else block * block
        total += float(counts.sum()) * columns
        mean += float(counts @ np.asarray(block.sum(axis=1)).ravel())
        square += float(counts @ np.asarray(squares.sum(axis=1)).ravel())
    variance = square / total - (mean / total) ** 2
    return 1.0 / (columns * variance) if variance > 1e-14 * square / total else 1.0
