"""X as the solvers want it: C-contiguous or canonical CSR, float32 or float64, every value finite.

Nothing is copied that need not be, and nothing of the caller's is ever changed:

    float32, float64            kept as they are
    float16, 8- and 16-bit integers, bool     float32, which holds them exactly
    everything else numeric     float64; a number that it does not hold exactly is refused
"""

from __future__ import annotations

import math
import mmap
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.errors import with_hint
from separatrix.memory import require_memory
from separatrix.types import Matrix

_SMALL = (np.float16, np.int8, np.uint8, np.int16, np.uint16, np.bool_)
_SHORT = 8192  # numbers whose product OpenBLAS takes on one thread
_BLOCK_ENTRIES = 1 << 18
_EXACT_INTEGER = 1 << 53  # every integer up to here is a float64


def contiguous(X: Any) -> NDArray[Any]:
    """A C-contiguous float array; the same memory where that is possible."""
    X = np.asarray(X)
    return np.require(_same_numbers(X, X), requirements=["C", "A"])


def canonical_csr(X: Any) -> sparse.csr_array:
    """CSR with sorted, unique column indices; the same memory where that is possible."""
    csr = X.tocsr()
    if isinstance(csr, sparse.csr_array) and csr.dtype == _width(csr.dtype) and csr.has_canonical_format:
        return csr  # the constructor might copy 64-bit indices to 32
    parts = (_same_numbers(csr, csr.data), csr.indices, csr.indptr)
    array = sparse.csr_array(parts, shape=csr.shape)
    # SciPy remembers what it found: asked of X itself, the next fit to it need not check again.
    array.has_canonical_format = csr.has_canonical_format
    if not array.has_canonical_format:
        array = array.copy()
        array.sum_duplicates()
    return array


def _same_numbers(X: Any, values: NDArray[Any]) -> NDArray[Any]:
    """The values of X as the floats that solvers want, without a copy where they are."""
    floats = values.astype(_width(values.dtype), copy=False)
    refuse_rounding(X, floats)
    return floats


def refuse_rounding(X: Any, floats: NDArray[Any]) -> None:
    """Raise a sentence where a number of X is another one in ``floats``: a proof about rounded rows is not about X.

    X is an array, CSR (then ``floats`` are its stored values) or what NumPy makes an array of. Of the latter only
    integers are compared, and only if some are large.
    """
    values = X.data if is_sparse(X) else X
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        if values.dtype.itemsize <= 8:
            return
        suspects = np.flatnonzero((values != floats) & (values == values))
    else:
        narrow = isinstance(values, np.ndarray) and values.dtype != object and values.dtype.itemsize < 8
        if narrow or not floats.size or not max(floats.max(), -floats.min()) >= _EXACT_INTEGER:
            return
        values = values if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)
        suspects = np.flatnonzero(np.abs(floats) >= _EXACT_INTEGER)
    given, rounded = values.ravel()[suspects].tolist(), floats.ravel()[suspects].tolist()
    for place, one, other in zip(suspects.tolist(), given, rounded, strict=True):
        # Python compares an integer with a float as the numbers that they are; NumPy would round it first.
        if values.dtype.kind == "f" or (isinstance(one, numbers.Integral) and int(one) != other):
            row, column = _place(X, tuple(map(int, np.unravel_index(place, values.shape))))
            raise with_hint(
                ValueError,
                f"X must hold numbers that float64 holds exactly; row {row}, column {column} is {one!s:.60}, and the "
                f"nearest float64 is another number, {other!r}.",
                "drop columns that only name their rows, or "
                "subtract from a column what its numbers have in common",
            )


def is_sparse(X: Any) -> bool:
    """Return True if X is a SciPy sparse array or matrix."""
    return bool(sparse.issparse(X))


def to_dense(X: Any) -> NDArray[np.float64]:
    """X as a dense array of float64, without a copy where it is one."""
    return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)


def _place(X: Any, where: tuple[int, ...]) -> tuple[int, int]:
    """Row and column of a stored value."""
    if is_sparse(X):
        return int(np.searchsorted(X.indptr, where[0], side="right")) - 1, int(X.indices[where[0]])
    return where[0], where[1]


def _width(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float32 if dtype.type is np.float32 or dtype.type in _SMALL else np.float64)


def sum_of_squares(values: NDArray[np.floating]) -> float:
    """sum_i v_i^2 of a vector, in its own precision, on one thread.

    For a longer product than this BLAS would wake all its threads, which then spin for longer than it lasts.

    >>> sum_of_squares(np.ones(20_000))
    20000.0
    """
    with np.errstate(all="ignore"):
        if len(values) < _SHORT:
            return float(values.dot(values))
        whole = len(values) // _SHORT * _SHORT
        pieces, rest = values[:whole].reshape(-1, _SHORT), values[whole:]
        return float(np.matmul(pieces[:, None, :], pieces[:, :, None]).sum() + rest.dot(rest))


def check_finite(X: Matrix) -> None:
    """Raise a sentence that names row and column of the first NaN or inf."""
    values: NDArray[Any] = X.data if sparse.issparse(X) else X
    flat = values.ravel()
    with np.errstate(all="ignore"):
        # One pass without a temporary: a NaN or inf anywhere leaves a sum that is not finite. BLAS would take a sum of
        # squares by all its threads, which wake up for longer than it lasts.
        if math.isfinite(flat.sum()):
            return
    # The sum of finite values may overflow, so every value is checked, a block at a time.
    height = max(1, _BLOCK_ENTRIES // max(1, int(np.prod(values.shape[1:]))))
    for start in range(0, len(values), height):
        bad = ~np.isfinite(values[start : start + height])
        if bad.any():
            where = np.unravel_index(int(np.argmax(bad)), bad.shape)
            raise _not_finite(X, values, (start + int(where[0]), *map(int, where[1:])))


def _not_finite(X: Matrix, values: NDArray[Any], where: tuple[int, ...]) -> ValueError:
    value = float(values[where])
    where = _place(X, where)
    what = "NaN" if np.isnan(value) else "inf" if value > 0 else "-inf"
    hint = (
        "impute or drop it (sklearn.impute.SimpleImputer)"
        if what == "NaN"
        else "clip or drop it; check units"
    )
    return with_hint(
        ValueError,
        f"Input X contains {'NaN' if what == 'NaN' else 'infinity'}: row {where[0]}, column {where[1]} is "
        f"{what}; every value must be finite.",
        hint,
    )


def is_mapped(X: Any) -> bool:
    """Return True if the values of X, dense or CSR, are those of a mapped file.

    Such data may be larger than the memory: whoever reads them goes row by row, and keeps no copy.

    >>> import tempfile
    >>> file = tempfile.NamedTemporaryFile()
    >>> X = np.memmap(file, dtype=np.float32, mode="w+", shape=(2, 3))
    >>> is_mapped(X), is_mapped(np.asarray(X)[:1]), is_mapped(np.zeros(3))
    (True, True, False)
    """
    part = X if isinstance(X, np.ndarray) else getattr(X, "data", None)
    while isinstance(part, np.ndarray):
        if isinstance(part, np.memmap):
            return True
        part = part.base
    return isinstance(part, mmap.mmap)


def require_room(X: Any, each: float, purpose: str) -> None:
    """Raise MemoryError with a sentence if X is mapped and there is no room for ``each`` more bytes for every row.

    Rows in memory fit there with what belongs to them, or have failed before; rows of a file can be too many.
    """
    if is_mapped(X):
        n = int(X.shape[0])
        require_memory(each * n, f"{purpose} {n:,} rows, wherever they lie,")
