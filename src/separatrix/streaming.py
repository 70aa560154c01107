"""stream: predict, then learn, row after row, with progressive validation and checkpoints.

    for progress in stream(Perceptron(), X, y):     # arrays: a block of rows at a time
    for progress in stream(Perceptron(), pairs):    # any iterator of (row, label) or (rows, labels)

Every row is predicted by the model as it was before that row, so the running accuracy is an honest test score.
A checkpoint is written under another name in its folder and moved to its place in one step: a process that is killed
between any two rows leaves the last whole checkpoint, and a stream that starts again from it ends in the same model,
bit for bit.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.atomic import replacing
from separatrix.errors import with_hint
from separatrix.perceptron.budget import Ledger
from separatrix.perceptron.estimator import Perceptron
from separatrix.perceptron.online import KernelOnline, LinearOnline
from separatrix.perceptron.parameters import Settings, check_parameters
from separatrix.perceptron.partial_fit import OnlineState, learn_batch, refresh
from separatrix.perceptron.passes import PLANES, fill, to_arrays

_FORMAT = "separatrix-stream-1"  # of a checkpoint: one file of plain arrays, never pickle


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
    """Feed rows to the model, each of them once; yields after every block.

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
        rows, mistakes = _load_checkpoint(model, path)
    began, saved = time.perf_counter(), rows
    for X, labels in _batches(data, y, rows, block):
        predicted = learn_batch(model, X, labels, classes)
        assert model._online is not None
        predictions = model._online.labels[predicted]
        rows += len(predictions)
        mistakes += int(np.count_nonzero(predictions != np.asarray(labels)))
        if path is not None and rows - saved >= checkpoint_every:
            _save_checkpoint(model, path, rows, mistakes)
            saved = rows
        yield StreamProgress(
            rows, mistakes, model.n_updates_, model.bound_, time.perf_counter() - began, predictions
        )
    if path is not None and rows > saved:
        _save_checkpoint(model, path, rows, mistakes)


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


def _save_checkpoint(estimator: Any, path: Path, rows: int, mistakes: int) -> None:
    """Write the state of the model, and how many rows and mistakes it took."""
    online: OnlineState = estimator._online
    model = online.model
    own, arrays = _of_kernel(estimator, model) if isinstance(model, KernelOnline) else _of_planes(model)
    meta = {
        "format": _FORMAT,
        "rows": rows,
        "mistakes": mistakes,
        "names": online.names,
        "columns": estimator.n_features_in_,
        "seen": model.seen,
        "noted": online.mistakes,
        "parameters": _written(estimator),
        "records": [[when.hex(), *rest, float(bound).hex()] for when, *rest, bound in online.records],
        "stride": [online.stride, online.since],
        **own,
    }
    arrays["meta"] = np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)
    with replacing(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def _load_checkpoint(estimator: Any, path: Path) -> tuple[int, int]:
    """Put the model where the checkpoint was; returns the rows and mistakes that it took."""
    with np.load(path, allow_pickle=False) as file:
        try:
            meta = json.loads(file["meta"].tobytes().decode())
        except (KeyError, ValueError) as error:
            raise ValueError(f"{path} is not a checkpoint of a stream: {error}.") from None
        if meta.get("format") != _FORMAT:
            raise ValueError(f"{path} is not a checkpoint of a stream: its format is {meta.get('format')!r}.")
        arrays = {name: file[name] for name in file.files if name != "meta"}
    if meta["parameters"] != _written(estimator):
        raise ValueError(
            f"The checkpoint {path} was made with other parameters: {meta['parameters']}, not {_written(estimator)}."
        )
    settings = check_parameters(estimator.get_params(deep=False))
    model = (_kernel_model if settings.dual else _plane_model)(estimator, settings, meta, arrays)
    online = OnlineState(model, meta["names"])
    online.mistakes = meta["noted"]
    online.records = [
        (float.fromhex(when), *rest, float.fromhex(bound)) for when, *rest, bound in meta["records"]
    ]
    online.stride, online.since = meta["stride"]
    estimator._online = online
    estimator.n_features_in_ = meta["columns"]
    refresh(estimator)
    return meta["rows"], meta["mistakes"]


def _of_planes(model: LinearOnline) -> tuple[dict[str, Any], dict[str, Any]]:
    groups = [to_arrays(planes) for planes in model.groups]
    arrays = {f"{number}.{name}": group[name] for number, group in enumerate(groups) for name in PLANES}
    return {"constant": model.constant.hex(), "groups": len(groups)}, arrays


def _plane_model(
    estimator: Any, settings: Settings, meta: dict[str, Any], arrays: dict[str, Any]
) -> LinearOnline:
    constant = float.fromhex(meta["constant"])
    model = LinearOnline(settings, meta["columns"], constant, len(meta["names"]), seen=meta["seen"])
    for number in range(meta["groups"]):
        planes = model.zero(len(arrays[f"{number}.b"]))
        fill(planes, {name: arrays[f"{number}.{name}"] for name in PLANES})
        model.groups.append(planes)
    return model


def _of_kernel(estimator: Any, model: KernelOnline) -> tuple[dict[str, Any], dict[str, Any]]:
    """The support and, as a number, the width that was taken from the first row."""
    if not isinstance(estimator.kernel, str):
        raise with_hint(
            ValueError,
            "A checkpoint holds a kernel by its name, not a function or an object.",
            "kernel='rbf'",
        )
    width = getattr(model.kernel, "gamma", 1.0)
    own: dict[str, Any] = {
        "gamma": float(width).hex(),
        "gain": model.gain.hex(),
        "radius": model.radius.hex(),
    }
    own |= {"updates": model.updates, "sparse": False, "ledger": None}
    if model.ledger is not None:
        ledger = model.ledger
        own["ledger"] = [ledger.dropped, ledger.damage.hex(), ledger.shrinkage.hex()]
    arrays: dict[str, Any] = {"beta": np.array(model.beta), "lag": np.array(model.lag)}
    if model.rows:
        support = model.support()
        own["sparse"] = bool(sparse.issparse(support))
        names = ("data", "indices", "indptr") if own["sparse"] else ()
        arrays |= {name: getattr(support, name) for name in names} or {"support": support}
    return own, arrays


def _kernel_model(
    estimator: Any, settings: Settings, meta: dict[str, Any], arrays: dict[str, Any]
) -> KernelOnline:
    columns, width = meta["columns"], float.fromhex(meta["gamma"])
    parameters = {**estimator.get_params(deep=False), "gamma": width}
    model = KernelOnline.make(parameters, settings, np.zeros((1, columns)))
    model.gain, model.radius = float.fromhex(meta["gain"]), float.fromhex(meta["radius"])
    model.n_classes, model.seen, model.updates = len(meta["names"]), meta["seen"], meta["updates"]
    model.beta, model.lag = list(arrays["beta"]), list(arrays["lag"])
    if meta["sparse"]:
        parts = arrays["data"], arrays["indices"], arrays["indptr"]
        model.rows = [sparse.csr_array(parts, shape=(len(model.beta), columns))]
    elif model.beta:
        model.rows = [arrays["support"]]
    if model.ledger is not None:
        dropped, damage, shrinkage = meta["ledger"]
        model.ledger = Ledger(model.ledger.budget, dropped, float.fromhex(damage), float.fromhex(shrinkage))
    return model


def _written(estimator: Any) -> dict[str, Any]:
    """The parameters that decide what a row does to the model."""
    names = ["bias", "step", "output", "multi_class"]
    if check_parameters(estimator.get_params(deep=False)).dual:
        names += ["kernel", "degree", "gamma", "coef0", "budget"]
    return {name: getattr(estimator, name) for name in names}
