"""What a worker runs to get a partition: (X, y or None, weights or None). Kept apart, so that it loads nothing else."""

from __future__ import annotations

from typing import Any


def bundle(X: Any, y: Any, weight: Any) -> tuple[Any, Any, Any]:
    """The three together, so that one worker has them."""
    return X, y, weight


def read_bundle(path: str, with_labels: bool, weight: Any) -> tuple[Any, Any, Any]:
    """A file's rows and, where wanted, its labels."""
    from scipy import sparse

    from separatrix.data.read import read  # readers of tables are slow to load, and optional

    data = read(path)
    # The parts of one data set have one layout, however full each of them is.
    X = sparse.csr_array(data.X) if data.source.format == "libsvm" else data.X
    if with_labels and data.y is None:
        raise ValueError(f"{path} holds no labels; give y.")
    return X, data.y if with_labels else None, weight
