"""State at the end of a primal perceptron run, as plain values and back, so that a loaded model can go on learning.

Compiled code reads these arrays by their sizes in other arrays, so every shape is checked here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.models.fields import Fields
from separatrix.models.values import Arrays, write_value
from separatrix.perceptron.state import PassState

_PARTS = ("w", "b", "tally", "counts", "lag", "lag_b", "pocket_w", "pocket_b", "pocket")


def write_state(state: PassState, name: str, arrays: Arrays) -> dict[str, Any]:
    """The record of a state; the generator of the order of rows by its four numbers."""
    log = np.concatenate(state.log) if state.log else np.empty((0, 3), dtype=np.int64)
    record = {part: write_value(getattr(state, part), f"{name}.{part}", arrays) for part in _PARTS}
    generator: Any = state.rng.bit_generator.state
    numbers = [*generator["state"].values(), generator["has_uint32"], generator["uinteger"]]
    return {**record, "log": write_value(log, f"{name}.log", arrays), "generator": numbers}


def read_state(record: Fields, planes: int, n_rows: int, n_columns: int, extra: str | None) -> PassState:
    """The state of a record: so many planes in so many columns, after passes over so many rows."""
    two = planes == 1
    size: tuple[int, ...] = (n_columns,) if two else (planes, n_columns)
    state = PassState(record.array("w", size), record.array("b", (planes,)), _generator(record), 1)
    state.tally = record.array("tally", (3,), "count")
    state.counts = record.array("counts", (n_rows if two else 0,), "count")
    if extra == "averaged":
        state.lag, state.lag_b = record.array("lag", size), record.array("lag_b", (planes,))
    if extra == "pocket" and two:
        state.pocket_w, state.pocket_b = record.array("pocket_w", size), record.array("pocket_b", (planes,))
    state.pocket = record.array("pocket", (3,), "count")
    if min(state.tally.min(), state.counts.min(initial=0)) < 0:
        raise record.wrong("tally", "counts of at least 0", "negative numbers")
    log = record.array("log", (None, 3), "count")
    if len(log) and not (log.min() >= 0 and log[:, 0].max() < n_rows and log[:, 2].max() < max(2, planes)):
        raise record.wrong("log", f"rows below {n_rows} and classes below {max(2, planes)}", "others")
    state.log = [log] if len(log) else []
    return state


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
