"""What the user gave, as partitions: one delayed (X, y, weights) each, computed on the worker that will keep it.

    Dask array           dense or CSR chunks, whole rows in each: one partition a chunk
    Dask data frame      one partition each; y a series
    list                 of futures or delayed values, X and y in step
    path, or paths       files that `separatrix.read` reads, on the workers; labels come from the files

Labels and weights may also be plain arrays on the client, whatever X is.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dask.array
import numpy as np
from dask.base import is_dask_collection
from dask.delayed import Delayed, delayed
from distributed import Future

from separatrix.dask.partitions import bundle, read_bundle
from separatrix.errors import with_hint


@dataclass(frozen=True, eq=False)
class Inputs:
    """Partitions as delayed (X, y or None, weights or None); what is with the client already is kept apart."""

    bundles: list[Any]
    y: Any = None  #: labels of all rows, where the user gave a plain array
    weights: Any = None


def partitions(X: Any, y: Any, sample_weight: Any = None) -> Inputs:
    """The partitions of X with their labels and weights."""
    paths = _paths(X)
    if paths is not None:
        if is_dask_collection(y):
            raise TypeError("y must be None or a plain array where X is a path: the files hold the labels.")
        sample = _pieces(sample_weight, len(paths), None, "sample_weight")
        bundles = [delayed(read_bundle)(path, y is None, w) for path, w in zip(paths, sample, strict=True)]
        return Inputs(bundles, y, _plain(sample_weight))
    if y is None:
        raise ValueError("y must be given: one label for each row of X.")
    blocks, lengths = _blocks(X)
    labels = _pieces(y, len(blocks), lengths, "y")
    sample = _pieces(sample_weight, len(blocks), lengths, "sample_weight")
    bundles = [delayed(bundle)(*parts) for parts in zip(blocks, labels, sample, strict=True)]
    return Inputs(bundles, _plain(y), _plain(sample_weight))


def _paths(X: Any) -> list[str] | None:
    if isinstance(X, str | os.PathLike):
        return [os.fspath(X)]
    if isinstance(X, list | tuple) and X and all(isinstance(path, str | os.PathLike) for path in X):
        return [os.fspath(path) for path in X]
    return None


def _is_list(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(v, Delayed | Future) for v in value)
    )


def _plain(value: Any) -> Any:
    """The value if it is an array on the client; None if workers have it."""
    return None if value is None or is_dask_collection(value) or _is_list(value) else value


def _blocks(X: Any) -> tuple[list[Any], tuple[float, ...] | None]:
    """Delayed partitions of X, and their numbers of rows where they are known."""
    if _is_list(X):
        return list(X), None
    if isinstance(X, dask.array.Array):
        if X.ndim != 2:
            raise ValueError(f"X must have two dimensions; got shape {X.shape}.")
        if X.numblocks[1] != 1:
            raise with_hint(
                ValueError,
                f"X is cut into {X.numblocks[1]} pieces along its columns; a worker needs whole rows.",
                "X.rechunk({1: -1})",
            )
        array: Any = X
        return array.to_delayed().ravel().tolist(), array.chunks[0]
    if is_dask_collection(X) and hasattr(X, "npartitions"):
        return list(X.to_delayed()), None
    raise with_hint(
        TypeError,
        "X must be a Dask array, a Dask data frame, a list of futures or delayed partitions, or paths; got "
        f"{type(X).__name__}.",
        "for arrays in memory use separatrix.SVC, or dask.array.from_array(X, chunks=...)",
    )


def _pieces(value: Any, count: int, lengths: tuple[float, ...] | None, name: str) -> Sequence[Any]:
    """One piece of y or of the weights for each partition of X; None where the client has it all."""
    if _plain(value) is not None or value is None:
        return [None] * count
    if _is_list(value):
        pieces = list(value)
    elif isinstance(value, dask.array.Array):
        array: Any = value
        known = lengths is not None and not np.isnan([*lengths, *value.chunks[0]]).any()
        if known and value.chunks[0] != lengths and sum(value.chunks[0]) == sum(lengths or ()):
            array = array.rechunk({0: lengths})
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        pieces = array.to_delayed().ravel().tolist()
    else:
        pieces = list(value.to_delayed())
    if len(pieces) != count:
        raise ValueError(
            f"{name} has {len(pieces)} partitions and X has {count}; they must be cut at the same rows."
        )
    return pieces
