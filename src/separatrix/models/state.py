"""The state of a primal perceptron run as plain values and back, so that a loaded model can go on learning.

Every shape is checked here, and said in words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.models.fields import Fields
from separatrix.models.values import Arrays, write_value
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.passes import fill, new_state, to_arrays
from separatrix.perceptron.result import PrimalState

_PARTS = ("b", "tally", "counts", "lag", "lag_b", "pocket_w", "pocket_b", "pocket", "log")


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
