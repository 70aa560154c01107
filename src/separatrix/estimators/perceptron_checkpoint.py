"""The state of an online perceptron as one file of plain arrays: never pickle, and replaced in one step.

The file is written under another name in the same folder, flushed to the disk, and renamed over the old one, which
the operating system does as a whole: at every moment the name holds a complete checkpoint.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from separatrix.estimators.perceptron_kernel_online import KernelOnline
from separatrix.estimators.perceptron_parameters import check_choice
from separatrix.estimators.perceptron_partial import Online, refresh
from separatrix.solvers.passes import Settings
from separatrix.solvers.perceptron_online import OnlinePerceptron, Planes

_FORMAT = "separatrix-stream-1"
_ARRAYS = [field.name for field in fields(Planes)]


def save_checkpoint(estimator: Any, path: Path, rows: int, mistakes: int) -> None:
    """Write what the model has learnt, and how many rows and mistakes that took."""
    online: Online = estimator._online
    model = online.model
    if isinstance(model, KernelOnline):
        raise ValueError("A checkpoint holds planes; with a kernel there are none. Hint: kernel='linear'.")
    meta = {
        "format": _FORMAT,
        "rows": rows,
        "mistakes": mistakes,
        "names": online.names,
        "columns": model.n_columns,
        "constant": model.constant.hex(),
        "seen": model.seen,
        "noted": online.mistakes,
        "groups": len(model.groups),
        "parameters": _written(estimator),
        "records": [[when.hex(), *rest, float(bound).hex()] for when, *rest, bound in online.records],
        "stride": [online.stride, online.since],
    }
    arrays: dict[str, Any] = {"meta": np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)}
    for number, planes in enumerate(model.groups):
        for name in _ARRAYS:
            arrays[f"{number}.{name}"] = getattr(planes, name)
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


def load_checkpoint(estimator: Any, path: Path) -> tuple[int, int]:
    """Put the model where the checkpoint was; returns the rows and mistakes that took."""
    with np.load(path, allow_pickle=False) as file:
        try:
            meta = json.loads(file["meta"].tobytes().decode())
        except (KeyError, ValueError) as error:
            raise ValueError(f"{path} is not a checkpoint of a stream: {error}.") from None
        if meta.get("format") != _FORMAT:
            raise ValueError(f"{path} is not a checkpoint of a stream: its format is {meta.get('format')!r}.")
        groups = [
            Planes(**{name: file[f"{number}.{name}"] for name in _ARRAYS}) for number in range(meta["groups"])
        ]
    if meta["parameters"] != _written(estimator):
        raise ValueError(
            f"The checkpoint {path} was made with other parameters: {meta['parameters']}, not {_written(estimator)}."
        )
    choice = check_choice(estimator.get_params(deep=False))
    settings = Settings(step=choice.settings.step, extra=choice.settings.extra)
    model = OnlinePerceptron(
        settings,
        meta["columns"],
        choice.multi_class == "ovr",
        float.fromhex(meta["constant"]),
        len(meta["names"]),
        groups,
        meta["seen"],
    )
    online = Online(model, (settings.step, settings.extra, choice.bias))
    online.names = meta["names"]
    online.codes = {name: code for code, name in enumerate(online.names)}
    online.sort()
    online.mistakes = meta["noted"]
    online.records = [
        (float.fromhex(when), *rest, float.fromhex(bound)) for when, *rest, bound in meta["records"]
    ]
    online.stride, online.since = meta["stride"]
    estimator._online = online
    estimator.n_features_in_ = meta["columns"]
    refresh(estimator, online)
    return meta["rows"], meta["mistakes"]


def _written(estimator: Any) -> dict[str, Any]:
    """The parameters that decide what a row does to the model."""
    names = ("bias", "step", "output", "multi_class")
    return {name: getattr(estimator, name) for name in names}
