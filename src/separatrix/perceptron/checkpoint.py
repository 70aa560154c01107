"""The state of an online perceptron as one file of plain arrays: never pickle, and replaced in one step.

The file is written under another name in the same folder, flushed to the disk, and renamed over the old one, which
the operating system does as a whole: at every moment the name holds a complete checkpoint.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.atomic import replacing
from separatrix.errors import with_hint
from separatrix.perceptron.budget import Ledger
from separatrix.perceptron.online import OnlineState, refresh
from separatrix.perceptron.online_models import KernelOnline, LinearOnline
from separatrix.perceptron.parameters import Settings, check_parameters
from separatrix.perceptron.state import PLANES, fill, to_arrays

_FORMAT = "separatrix-stream-1"


def save_checkpoint(estimator: Any, path: Path, rows: int, mistakes: int) -> None:
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


def load_checkpoint(estimator: Any, path: Path) -> tuple[int, int]:
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
