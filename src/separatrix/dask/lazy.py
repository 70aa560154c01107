"""Predictions for the kind of collection that was given: lazy for Dask, at once for arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.array
import numpy as np
from dask.base import is_dask_collection
from dask.delayed import Delayed, delayed
from distributed import Future

from separatrix.errors import with_hint


def lazily(function: Callable[[Any], Any], X: Any, dtype: Any, width: int | None) -> Any:
    """function(X) for every partition of X; ``width`` is the number of columns of an answer, None for a vector.

    Dask array in, Dask array out; data frame in, series (or data frame) out; a list of delayed values or futures gives
    a list of delayed values; anything else is handed to the function at once.
    """
    if isinstance(X, dask.array.Array):
        if X.ndim == 2 and X.numblocks[1] != 1:
            raise with_hint(
                ValueError,
                f"X is cut into {X.numblocks[1]} pieces along its columns; a row is scored as a whole.",
                "X.rechunk({1: -1})",
            )
        shape = {"drop_axis": 1} if width is None else {"chunks": (X.chunks[0], (width,))}
        blocks: Any = X
        return blocks.map_blocks(
            function, dtype=dtype, meta=np.empty((0,) * (1 + (width is not None)), dtype), **shape
        )
    if is_dask_collection(X) and hasattr(X, "map_partitions"):
        return X.map_partitions(_framed, function, meta=_framed(X._meta_nonempty, function).iloc[:0])
    if isinstance(X, list | tuple) and X and all(isinstance(part, Delayed | Future) for part in X):
        return [delayed(function)(part) for part in X]
    return function(X)


def _framed(frame: Any, function: Callable[[Any], Any]) -> Any:
    import pandas

    found = function(frame)
    kind = pandas.Series if found.ndim == 1 else pandas.DataFrame
    return kind(found, index=frame.index)
