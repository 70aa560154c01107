"""stream: predict, then learn, row after row, with progressive validation and checkpoints.

    for progress in stream(Perceptron(), X, y):     # arrays: a block of rows at a time
    for progress in stream(Perceptron(), pairs):    # any iterator of (row, label) or (rows, labels)

Every row is predicted by the model as it was before that row, so the running accuracy is an honest test score.
A checkpoint is written beside its place and moved there in one step: a process that is killed between any two rows
leaves the last whole checkpoint, and a stream that starts again from it ends in the same model, bit for bit.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.perceptron.checkpoint import load_checkpoint, save_checkpoint
from separatrix.perceptron.estimator import Perceptron
from separatrix.perceptron.online import learn_batch


@dataclass(frozen=True, eq=False)
class StreamProgress:
    """The state of a stream after a block of rows."""

    rows: int  #: rows learnt so far
    mistakes: int  #: of them, predicted wrongly before they were learnt
    updates: int  #: updates of the model
    bound: float  #: the most updates these rows can have caused
    time: float  #: seconds since this stream began
    predictions: NDArray[Any] = field(repr=False)  #: of the block's rows, made before they were learnt

    @property
    def accuracy(self) -> float:
        """Progressive accuracy: the share of all rows so far that were predicted correctly."""
        return 1.0 - self.mistakes / self.rows if self.rows else float("nan")


def stream(
    model: Perceptron,
    data: Any,
    y: Any = None,
    *,
    classes: Any = None,
    block: int = 1024,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 100_000,
) -> Iterator[StreamProgress]:
    """Feed rows to the model, one look at each; yields after every block.

    Parameters
    ----------
    model
        A `Perceptron`; it learns in place, as by `partial_fit`.
    data, y
        Rows X (n, d), dense or sparse, and labels (n,); or, with ``y=None``, any iterable of pairs: (row, label) or
        (rows, labels). An iterable is read as it comes, one pair at a time.
    classes
        Announces classes in advance; others may still appear.
    block
        Rows of an array learnt between two yields.
    checkpoint
        A file. If it exists the model takes up its state and as many rows of ``data`` as it had learnt are skipped.
    checkpoint_every
        Rows between two checkpoints; there is always one at the end.

    Examples
    --------
    >>> from separatrix import Perceptron, stream
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.5]] * 4), np.array([1, -1, 1] * 4)
    >>> for progress in stream(Perceptron(), X, y, block=6):
    ...     print(progress.rows, progress.mistakes)
    6 2
    12 2
    """
    if block < 1 or checkpoint_every < 1:
        raise ValueError(
            f"block and checkpoint_every must be at least 1; got {block} and {checkpoint_every}."
        )
    path = None if checkpoint is None else Path(checkpoint)
    rows = mistakes = 0
    if path is not None and path.exists():
        rows, mistakes = load_checkpoint(model, path)
    began, saved = time.perf_counter(), rows
    for X, labels in _batches(data, y, rows, block):
        predicted = learn_batch(model, X, labels, classes)
        assert model._online is not None
        predictions = model._online.labels[predicted]
        rows += len(predictions)
        mistakes += int(np.count_nonzero(predictions != np.asarray(labels)))
        if path is not None and rows - saved >= checkpoint_every:
            save_checkpoint(model, path, rows, mistakes)
            saved = rows
        yield StreamProgress(
            rows, mistakes, model.n_updates_, model.bound_, time.perf_counter() - began, predictions
        )
    if path is not None and rows > saved:
        save_checkpoint(model, path, rows, mistakes)


def _batches(data: Any, y: Any, skip: int, block: int) -> Iterator[tuple[Any, Any]]:
    """Blocks of rows with their labels, the first ``skip`` rows left out."""
    if y is not None:
        X = _rows(data)
        labels = np.asarray(y)
        if len(labels) != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows but y has {len(labels)} labels.")
        for start in range(skip, X.shape[0], block):
            yield X[start : start + block], labels[start : start + block]
        return
    if not isinstance(data, Iterable):
        raise TypeError(
            f"stream needs arrays X and y, or an iterable of (row, label) pairs; got {type(data).__name__}."
        )
    for pair in data:
        X, labels = _pair(pair)
        n = X.shape[0]
        if skip >= n:
            skip -= n
            continue
        yield (X[skip:], labels[skip:]) if skip else (X, labels)
        skip = 0


def _pair(pair: Any) -> tuple[Any, Any]:
    """One (row, label) or (rows, labels) as rows (m, d) and labels (m,)."""
    try:
        X, label = pair
    except (TypeError, ValueError):
        raise ValueError(f"A stream yields (row, label) or (rows, labels) pairs; got {pair!r}.") from None
    rows = _rows(X)
    rows = rows.reshape(1, -1) if rows.ndim == 1 else rows
    single = np.ndim(label) == 0
    return rows, ([label] if single else label)


def _rows(X: Any) -> Any:
    """A NumPy array, or CSR."""
    is_sparse = bool(sparse.issparse(X))
    return X.tocsr() if is_sparse else np.asarray(X)
