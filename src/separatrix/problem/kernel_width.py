"""gamma, the width of a kernel: a number, or how it follows from the rows.

"scale"   1 / (d var(X)), the variance over all entries        "auto"   1 / d
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse

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


def kernel_width(gamma: Any, X: Any) -> float:
    """gamma as a number: "scale" is 1 / (d var(X)), "auto" is 1 / d.

    >>> kernel_width("auto", np.zeros((3, 4)))
    0.25
    """
    columns = max(1, int(X.shape[1]))
    if gamma == "auto":
        return 1.0 / columns
    if gamma != "scale":
        return float(gamma)
    entries = X.shape[0] * columns
    is_sparse = bool(sparse.issparse(X))
    if is_sparse:
        mean = float(X.sum(dtype=np.float64)) / entries
        variance = float(np.sum(X.data.astype(np.float64) ** 2)) / entries - mean * mean
    else:
        variance = float(np.var(X, dtype=np.float64))
    return 1.0 / (columns * variance) if variance > 0 else 1.0
