"""The user's data as partitions, one delayed (X, y, weights) each, and what the shards say of them.

A partition is computed on the worker that will keep it.

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
from dask.delayed import delayed
from numpy.typing import NDArray

from separatrix.dask.cluster import WorkerGroup
from separatrix.dask.estimator import check_whole_rows, is_partition_list
from separatrix.dask.partition import Description, given_partition, read_partition
from separatrix.dask.rows import ClusterRows
from separatrix.errors import with_hint
from separatrix.fitting.inputs import check_labels


@dataclass(frozen=True, eq=False)
class Inputs:
    """Partitions as delayed (X, y or None, weights or None); arrays that are on the client stay there."""

    partitions: list[Any]
    y: Any = None  #: labels of all rows, where the user gave a plain array
    weights: Any = None  #: sample weights of all rows, where the user gave a plain array


def as_partitions(X: Any, y: Any, sample_weight: Any = None) -> Inputs:
    """Cut X, with its labels and weights, into partitions."""
    paths = _paths(X)
    if paths is not None:
        if is_dask_collection(y):
            raise TypeError("y must be None or a plain array where X is a path: the files hold the labels.")
        sample = _pieces(sample_weight, len(paths), None, "sample_weight")
        parts = [delayed(read_partition)(path, y is None, w) for path, w in zip(paths, sample, strict=True)]
        return Inputs(parts, y, _plain(sample_weight))
    if y is None:
        raise ValueError("y must be given: one label for each row of X.")
    blocks, lengths = _blocks(X)
    labels = _pieces(y, len(blocks), lengths, "y")
    sample = _pieces(sample_weight, len(blocks), lengths, "sample_weight")
    parts = [delayed(given_partition)(*each) for each in zip(blocks, labels, sample, strict=True)]
    return Inputs(parts, _plain(y), _plain(sample_weight))


def _paths(X: Any) -> list[str] | None:
    if isinstance(X, str | os.PathLike):
        return [os.fspath(X)]
    if isinstance(X, list | tuple) and X and all(isinstance(path, str | os.PathLike) for path in X):
        return [os.fspath(path) for path in X]
    return None


def _plain(value: Any) -> Any:
    """The value if it is an array on the client; None if workers have it."""
    return None if value is None or is_dask_collection(value) or is_partition_list(value) else value


def _blocks(X: Any) -> tuple[list[Any], tuple[float, ...] | None]:
    """Delayed partitions of X, and their numbers of rows where they are known."""
    if is_partition_list(X):
        return list(X), None
    if isinstance(X, dask.array.Array):
        if X.ndim != 2:
            raise ValueError(f"X must have two dimensions; got shape {X.shape}.")
        check_whole_rows(X, "a worker needs whole rows")
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
    if is_partition_list(value):
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


class ClusterData:
    """Training data of all shards: ``X``, ``classes`` (k,), ``codes`` (n,), ``weights`` (n,) or None."""

    def __init__(self, group: WorkerGroup, inputs: Inputs) -> None:
        found: list[Description] = group.each("describe")
        order = [(p, i, j) for i, parts in enumerate(group.shares) for j, p in enumerate(parts)]
        self._pieces = [(found[i], j) for _, i, j in sorted(order)]
        self.names = found[0].names
        columns = {each.columns for each in found}
        if len(columns) > 1:
            raise with_hint(
                ValueError,
                f"Partitions of X differ in their number of columns: {sorted(columns)}.",
                "read sparse files with the same n_columns",
            )
        lengths = [each.rows[j] for each, j in self._pieces]
        dtype = np.result_type(*(each.dtype for each in found))
        self.X = ClusterRows(group, lengths, columns.pop(), dtype=dtype)
        n = self.X.shape[0]
        self.square = sum(each.square for each in found) / max(1, n)
        self.bytes = [each.bytes for each in found]
        self.classes, self.codes = self._labels(inputs.y, n)
        self.weights = inputs.weights if inputs.weights is not None else self._weights()

    def _labels(self, given: Any, n: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
        if given is not None:
            return check_labels(given, n)
        pieces = [(each.labels or [])[j] for each, j in self._pieces]
        distinct = np.concatenate([values for values, _ in pieces])
        classes, place = check_labels(distinct, len(distinct))
        ends = np.cumsum([0, *(len(values) for values, _ in pieces)])
        codes = [place[begin + local] for begin, (_, local) in zip(ends[:-1], pieces, strict=True)]
        whole = np.concatenate(codes)
        if len(whole) != n:
            raise ValueError(f"X has {n} rows but y has {len(whole)} labels.")
        return classes, whole

    def _weights(self) -> Any:
        if any(each.weights is None for each, _ in self._pieces):
            return None
        return np.concatenate([(each.weights or [])[j] for each, j in self._pieces])
