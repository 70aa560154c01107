"""State of partial_fit, as plain values and back: planes, or rows with their coefficients, and the history."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.models.fields import Fields
from separatrix.models.kernel import read_kernel, write_kernel
from separatrix.models.values import Arrays, write_value
from separatrix.perceptron.budget import Ledger
from separatrix.perceptron.kernel_online import KernelOnline
from separatrix.perceptron.online import OnlinePerceptron
from separatrix.perceptron.online_state import Online
from separatrix.perceptron.parameters import Choice
from separatrix.perceptron.planes import Planes
from separatrix.perceptron.state import Settings

_PLANES = [field.name for field in fields(Planes)]


def write_online(online: Online, arrays: Arrays) -> dict[str, Any]:
    """The record of a model that learns row by row."""
    model = online.model
    record = {
        "names": write_value(online.labels, "online.names", arrays),
        "mistakes": online.mistakes,
        "records": [write_value(list(line), "online", {}) for line in online.records],
        "stride": online.stride,
        "since": online.since,
        "seen": int(model.seen),
        "one_vs_rest": bool(model.one_vs_rest),
    }
    if isinstance(model, OnlinePerceptron):
        groups = [
            {part: write_value(getattr(group, part), f"online.{i}.{part}", arrays) for part in _PLANES}
            for i, group in enumerate(model.groups)
        ]
        return {**record, "constant": write_value(model.constant, "", {}), "groups": groups}
    parts: dict[str, Any] = {"gain": model.gain, "updates": int(model.updates), "radius": model.radius}
    if model.rows:
        stack = sparse.csr_array(sparse.vstack(model.rows)) if sparse.issparse(model.rows[0]) else None
        parts["rows"] = np.vstack(model.rows) if stack is None else stack
        parts |= {"beta": np.array(model.beta), "lag": np.array(model.lag)}
    written = {name: write_value(value, f"online.{name}", arrays) for name, value in parts.items()}
    if model.ledger is not None:
        written["ledger"] = write_ledger(model.ledger)
    return {**record, **written, "kernel": write_kernel(model.kernel)}


def write_ledger(ledger: Ledger) -> Any:
    """Cost of the removals of a budget."""
    return asdict(ledger)


def read_ledger(record: Fields) -> Ledger | None:
    """The ledger of a record, if there was a budget."""
    if not record.has("ledger"):
        return None
    part = record.record("ledger")
    return Ledger(
        part.count("budget", least=1), part.count("dropped"), part.real("damage"), part.real("shrinkage")
    )


def read_online(record: Fields, choice: Choice, n_columns: int) -> Online:
    """The model that learns row by row."""
    names = record.value("names")
    if not isinstance(names, np.ndarray) or names.ndim != 1 or len(np.unique(names)) != len(names):
        raise record.wrong("names", "distinct class names", names)
    extra = choice.settings.extra
    if choice.dual:
        settings = Settings(step=choice.settings.step, extra=extra if extra == "averaged" else None)
        model: OnlinePerceptron | KernelOnline = _read_kernel_model(record, settings, len(names), n_columns)
    else:
        settings = Settings(step=choice.settings.step, extra=extra)
        model = _read_planes(record, settings, len(names), n_columns)
    online = Online(model, (choice.settings.step, extra, choice.bias))
    online.names = names.tolist()
    online.codes = {name: code for code, name in enumerate(online.names)}
    if len(names):
        online.sort()
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


def _read_planes(record: Fields, settings: Settings, k: int, d: int) -> OnlinePerceptron:
    rest = record.flag("one_vs_rest")
    each = 1 if k == 2 or rest else k
    groups = [_group(group, each, d, settings.extra) for group in record.records("groups")]
    expected = 0 if k < 2 else k if rest and k > 2 else 1
    if len(groups) != expected:
        raise record.wrong("groups", f"{expected} groups of planes", len(groups))
    constant = record.real("constant", finite=False)
    return OnlinePerceptron(settings, d, rest, constant, k, groups, record.count("seen"))


def _group(record: Fields, p: int, d: int, extra: str | None) -> Planes:
    """Planes whose arrays have the sizes that compiled code takes for granted."""
    planes = Planes.zero(p, d, extra)
    for name in _PLANES:
        blank = getattr(planes, name)
        kind = "count" if blank.dtype == np.int64 else "real"
        # A third class leaves the pocket behind, which only two classes have.
        if blank.size and name in ("pocket_w", "pocket_b") and p > 1:
            setattr(planes, name, np.empty(0))
            continue
        setattr(planes, name, record.array(name, blank.shape, kind, finite=name != "watch"))
    if planes.tally.min() < 0:
        raise record.wrong("tally", "counts of at least 0", "negative numbers")
    return planes


def _read_kernel_model(record: Fields, settings: Settings, k: int, d: int) -> KernelOnline:
    model = KernelOnline(
        read_kernel(record.record("kernel")), record.real("gain"), settings, record.flag("one_vs_rest"), k
    )
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
