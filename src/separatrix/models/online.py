"""The state from which a loaded perceptron goes on learning, as plain values and back.

The state of a primal run of fit; and the result of partial_fit: planes, or rows with their coefficients, and the
history. Every shape is checked here, and a wrong one is refused with a sentence.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from separatrix.models.fields import Fields
from separatrix.models.parts import read_kernel, write_kernel
from separatrix.models.tensors import Arrays, write_value
from separatrix.perceptron.budget import Ledger
from separatrix.perceptron.online import KernelOnline, LinearOnline
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.partial_fit import OnlineState
from separatrix.perceptron.passes import PLANES, PerceptronState, fill, new_state, to_arrays
from separatrix.perceptron.result import PrimalState

#: Arrays of a primal run.
_PARTS = ("b", "tally", "counts", "lag", "lag_b", "pocket_w", "pocket_b", "pocket", "log")


def write_online(online: OnlineState, arrays: Arrays) -> dict[str, Any]:
    """The record of a model that learns row by row."""
    model = online.model
    record = {
        "names": write_value(online.labels, "online.names", arrays),
        "mistakes": online.mistakes,
        "records": [write_value(list(line), "online", {}) for line in online.records],
        "stride": online.stride,
        "since": online.since,
        "seen": int(model.seen),
        "one_vs_rest": bool(model.settings.one_vs_rest),
    }
    if isinstance(model, LinearOnline):
        groups = [
            {part: write_value(group[part], f"online.{i}.{part}", arrays) for part in PLANES}
            for i, group in enumerate(map(to_arrays, model.groups))
        ]
        return {**record, "constant": write_value(model.constant, "", {}), "groups": groups}
    parts: dict[str, Any] = {"gain": model.gain, "updates": int(model.updates), "radius": model.radius}
    if model.rows:
        parts |= {"rows": model.support(), "beta": np.array(model.beta), "lag": np.array(model.lag)}
    written = {name: write_value(value, f"online.{name}", arrays) for name, value in parts.items()}
    if model.ledger is not None:
        written["ledger"] = write_ledger(model.ledger)
    return {**record, **written, "kernel": write_kernel(model.kernel)}


def write_ledger(ledger: Ledger) -> Any:
    """The cost of the removals of a budget."""
    return asdict(ledger)


def read_ledger(record: Fields) -> Ledger | None:
    """The ledger of a record, if there was a budget."""
    if not record.has("ledger"):
        return None
    part = record.record("ledger")
    return Ledger(
        part.count("budget", least=1), part.count("dropped"), part.real("damage"), part.real("shrinkage")
    )


def read_online(record: Fields, settings: Settings, n_columns: int) -> OnlineState:
    """The model that learns row by row."""
    names = record.value("names")
    if not isinstance(names, np.ndarray) or names.ndim != 1 or len(np.unique(names)) != len(names):
        raise record.wrong("names", "distinct class names", names)
    settings = replace(settings, multi_class="ovr" if record.flag("one_vs_rest") else "kesler")
    read = _read_kernel_model if settings.dual else _read_planes
    online = OnlineState(read(record, settings, len(names), n_columns), names.tolist())
    online.mistakes = record.count("mistakes")
    online.records = _records(record)
    online.stride, online.since = record.count("stride", least=1), record.count("since")
    return online


def _records(record: Fields) -> list[tuple[float, int, int, int, float]]:
    lines = record.value("records")
    kinds = ((float, int), (int,), (int,), (int,), (float, int))
    for line in lines if isinstance(lines, list) else [lines]:
        values = line if isinstance(line, list) and len(line) == 5 else [None] * 5
        if not all(type(value) in kind for value, kind in zip(values, kinds, strict=True)):
            raise record.wrong("records", "lists of time, rows, mistakes, updates and bound", line)
    return [(float(line[0]), line[1], line[2], line[3], float(line[4])) for line in lines]


def _read_planes(record: Fields, settings: Settings, k: int, d: int) -> LinearOnline:
    model = LinearOnline(settings, d, record.real("constant", finite=False), k, seen=record.count("seen"))
    rest = model.settings.one_vs_rest
    records, expected = record.records("groups"), 0 if k < 2 else k if rest and k > 2 else 1
    if len(records) != expected:
        raise record.wrong("groups", f"{expected} groups of planes", len(records))
    model.groups = [_group(group, model.zero(1 if k == 2 or rest else k)) for group in records]
    return model


def _group(record: Fields, planes: PerceptronState) -> PerceptronState:
    """Planes from arrays of the sizes that they have without any update."""
    parts = {}
    for name, blank in to_arrays(planes).items():
        # A third class leaves the pocket behind, which only two classes have.
        if name in PLANES and (blank.size or planes.planes == 1):
            kind = "count" if blank.dtype == np.int64 else "real"
            parts[name] = record.array(name, blank.shape, kind, finite=name != "watch")
    if parts["tally"].min() < 0:
        raise record.wrong("tally", "counts of at least 0", "negative numbers")
    fill(planes, parts)
    return planes


def _read_kernel_model(record: Fields, settings: Settings, k: int, d: int) -> KernelOnline:
    model = KernelOnline(read_kernel(record.record("kernel")), record.real("gain"), settings, k)
    model.seen, model.updates = record.count("seen"), record.count("updates")
    model.radius = record.real("radius")
    if record.has("rows"):
        width = 1 if k <= 2 else k
        beta = record.array("beta", (None, width))
        model.rows = [record.matrix("rows", len(beta), d)]
        model.beta, model.lag = list(beta), list(record.array("lag", beta.shape))
    model.ledger = read_ledger(record)
    if model.ledger is not None and len(model.beta) > model.ledger.budget:
        raise record.wrong("beta", f"at most {model.ledger.budget} support vectors", len(model.beta))
    return model


def write_state(state: PrimalState, name: str, arrays: Arrays) -> dict[str, Any]:
    """The record of a state; the generator of the order of rows by its four numbers."""
    parts = to_arrays(state.run)
    shape = (-1,) if state.run.planes == 1 else parts["W"].shape  # one plane is a vector in the file
    parts |= {part: parts[part].reshape(shape) for part in ("W", "lag", "pocket_w") if parts[part].size}
    record = {part: write_value(parts[part], f"{name}.{part}", arrays) for part in _PARTS}
    generator: Any = state.rng.bit_generator.state
    numbers = [*generator["state"].values(), generator["has_uint32"], generator["uinteger"]]
    return {"w": write_value(parts["W"], f"{name}.w", arrays), **record, "generator": numbers}


def read_state(
    record: Fields, planes: int, n_rows: int, n_columns: int, gain: float, settings: Settings
) -> PrimalState:
    """The state of a record: so many planes in so many columns, after passes over so many rows."""
    two = planes == 1
    state = new_state(planes, n_columns, gain, settings, rows=n_rows if two else 0)
    size: tuple[int, ...] = (n_columns,) if two else (planes, n_columns)
    parts = {
        "W": record.array("w", size),
        "b": record.array("b", (planes,)),
        "tally": record.array("tally", (3,), "count"),
        "counts": record.array("counts", state.counts.shape, "count"),
        "pocket": record.array("pocket", (3,), "count"),
        "log": record.array("log", (None, 3), "count"),
    }
    if state.lag.size:
        parts |= {"lag": record.array("lag", size), "lag_b": record.array("lag_b", (planes,))}
    if state.pocket_w.size:
        parts |= {"pocket_w": record.array("pocket_w", size), "pocket_b": record.array("pocket_b", (planes,))}
    if min(parts["tally"].min(), parts["counts"].min(initial=0)) < 0:
        raise record.wrong("tally", "counts of at least 0", "negative numbers")
    log = parts["log"]
    if len(log) and not (log.min() >= 0 and log[:, 0].max() < n_rows and log[:, 2].max() < max(2, planes)):
        raise record.wrong("log", f"rows below {n_rows} and classes below {max(2, planes)}", "others")
    fill(state, parts)
    return PrimalState(state, _generator(record), n_rows)


def _generator(record: Fields) -> np.random.Generator:
    numbers = record.raw("generator")
    limits = (2**128, 2**128, 2, 2**32)
    if not (
        isinstance(numbers, list)
        and len(numbers) == 4
        and all(type(n) is int and 0 <= n < limit for n, limit in zip(numbers, limits, strict=True))
    ):
        raise record.wrong("generator", "four integers", numbers)
    generator = np.random.PCG64()
    generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": numbers[0], "inc": numbers[1]},
        "has_uint32": numbers[2],
        "uinteger": numbers[3],
    }
    return np.random.Generator(generator)
