"""Matrices in files that are mapped into memory: which are, and whether there is room for what goes with their rows."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np

from separatrix.memory import require_memory


def is_mapped(X: Any) -> bool:
    """Whether the values of X, dense or CSR, are those of a mapped file.

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
    """Raise MemoryError with a sentence if X is mapped and there is no room for ``each`` bytes beside every row.

    Rows in memory fit there with what belongs to them, or have failed before; rows of a file can be too many.
    """
    if is_mapped(X):
        n = int(X.shape[0])
        require_memory(each * n, f"{purpose} {n:,} rows, wherever they lie,")
