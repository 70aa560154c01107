"""X as the solvers want it: C-contiguous or canonical CSR, float32 or float64, every value finite.

Nothing is copied that need not be, and nothing of the caller's is ever changed:

    float32, float64            kept as they are
    float16, 8- and 16-bit integers, bool     float32, which holds them exactly
    everything else numeric     float64
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.problem.problem import Matrix

_SMALL = (np.float16, np.int8, np.uint8, np.int16, np.uint16, np.bool_)
_BLOCK_ENTRIES = 1 << 18


def contiguous(X: Any) -> NDArray[Any]:
    """A C-contiguous float array; the same memory where that is possible."""
    X = np.asarray(X)
    return np.require(X, dtype=_width(X.dtype), requirements=["C", "A"])


def canonical_csr(X: Any) -> sparse.csr_array:
    """CSR with sorted, unique column indices; the same memory where that is possible."""
    csr = X.tocsr()
    if isinstance(csr, sparse.csr_array) and csr.dtype == _width(csr.dtype) and csr.has_canonical_format:
        return csr  # the constructor might copy 64-bit indices to 32
    parts = (csr.data.astype(_width(csr.dtype), copy=False), csr.indices, csr.indptr)
    array = sparse.csr_array(parts, shape=csr.shape)
    # SciPy remembers what it found: asked of X itself, the next fit to it need not look again.
    array.has_canonical_format = csr.has_canonical_format
    if not array.has_canonical_format:
        array = array.copy()
        array.sum_duplicates()
    return array


def _width(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float32 if dtype.type is np.float32 or dtype.type in _SMALL else np.float64)


def check_finite(X: Matrix) -> None:
    """Raise a sentence that names row and column of the first NaN or inf."""
    values = X.data if sparse.issparse(X) else X
    flat = values.ravel()
    with np.errstate(all="ignore"):
        # One pass without a temporary: a NaN or inf anywhere leaves a sum of squares that is not finite.
        if math.isfinite(flat.dot(flat)):
            return
    # That of finite values may overflow, so look closer, a block at a time.
    height = max(1, _BLOCK_ENTRIES // max(1, int(np.prod(values.shape[1:]))))
    for start in range(0, len(values), height):
        bad = ~np.isfinite(values[start : start + height])
        if bad.any():
            where = np.unravel_index(int(np.argmax(bad)), bad.shape)
            raise ValueError(_not_finite(X, values, (start + int(where[0]), *map(int, where[1:]))))


def _not_finite(X: Matrix, values: NDArray[Any], where: tuple[int, ...]) -> str:
    value = float(values[where])
    if sparse.issparse(X):
        row = int(np.searchsorted(X.indptr, where[0], side="right")) - 1
        where = (row, int(X.indices[where[0]]))
    what = "NaN" if np.isnan(value) else "inf" if value > 0 else "-inf"
    hint = (
        "impute or drop it (sklearn.impute.SimpleImputer)"
        if what == "NaN"
        else "clip or drop it; check units"
    )
    return (
        f"Input X contains {'NaN' if what == 'NaN' else 'infinity'}: row {where[0]}, column {where[1]} is "
        f"{what}; every value must be finite. Hint: {hint}."
    )
