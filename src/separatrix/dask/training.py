"""The training data of a cluster as one `TrainingData`: sizes, classes and costs from what the shards say."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.dask.cluster import Gang
from separatrix.dask.inputs import Inputs
from separatrix.dask.partition import Description
from separatrix.dask.rows import ClusterRows
from separatrix.fitting.inputs import check_labels


class ClusterData:
    """What the shards of a gang hold: ``X``, ``classes`` (k,), ``codes`` (n,), ``weights`` (n,) or None."""

    def __init__(self, gang: Gang, inputs: Inputs) -> None:
        found: list[Description] = gang.each("describe", [()] * len(gang.partitions))
        order = [(p, i, j) for i, parts in enumerate(gang.partitions) for j, p in enumerate(parts)]
        self._pieces = [(found[i], j) for _, i, j in sorted(order)]
        self.names = found[0].names
        columns = {each.columns for each in found}
        if len(columns) > 1:
            raise ValueError(
                f"Partitions of X differ in their number of columns: {sorted(columns)}. Hint: read sparse files with "
                "the same n_columns."
            )
        lengths = [each.rows[j] for each, j in self._pieces]
        dtype = np.result_type(*(each.dtype for each in found))
        self.X = ClusterRows(gang, lengths, columns.pop(), dtype=dtype)
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
