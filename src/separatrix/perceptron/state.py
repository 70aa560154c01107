"""State of a run on the weights (`_core.PerceptronState`) as plain arrays, and back.

Model files, checkpoints and pickles hold the arrays; the compiled object has a name for each number in them.
"""

from __future__ import annotations

import copyreg
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._core import PerceptronState as PerceptronState

# Arrays that share the memory of the state, by their names in files.
_SHARED = {
    "W": "w",
    "b": "b",
    "lag": "lag",
    "lag_b": "lag_b",
    "pocket_w": "pocket_w",
    "pocket_b": "pocket_b",
    "counts": "counts",
}
#: The arrays of planes that learn row by row, by the names that files have for them.
PLANES = ("W", "b", "tally", "lag", "lag_b", "pocket_w", "pocket_b", "pocket", "watch", "u", "u_b")


def to_arrays(state: PerceptronState) -> dict[str, NDArray[Any]]:
    """Everything that a run has changed; an empty array where something is not kept.

    ``tally`` is (visits, updates, run), ``pocket`` (run, errors, ratchet), ``watch`` the comparator's numbers.
    """
    comparator = state.comparator
    u, u_b = comparator.direction or (np.zeros(state.w.size), np.zeros(state.planes))
    watch = [comparator.restart_at, comparator.updates, comparator.visits, comparator.direction is not None]
    return {
        **{name: getattr(state, field).copy() for name, field in _SHARED.items()},
        "tally": np.array([state.visits, state.updates, state.run]),
        "pocket": np.array([state.pocket_run, state.pocket_errors, int(state.ratchet)]),
        "watch": np.array([*watch, comparator.longest, comparator.margin, *comparator.deficits]),
        "u": u.reshape(state.w.shape),
        "u_b": u_b,
        "log": state.log,
    }


def fill(state: PerceptronState, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Put back what `to_arrays` wrote down; what the state does not keep is left out, as is what is missing."""
    for name, field in _SHARED.items():
        array = getattr(state, field)
        if array.size:
            array[:] = arrays[name].reshape(array.shape)
    state.visits, state.updates, state.run = arrays["tally"].tolist()
    state.pocket_run, state.pocket_errors = arrays["pocket"][:2].tolist()
    if state.logged:
        state.log = np.ascontiguousarray(arrays["log"], dtype=np.int64)
    if "watch" in arrays:
        comparator, numbers = state.comparator, arrays["watch"].tolist()
        comparator.restart_at, comparator.updates, comparator.visits = (int(number) for number in numbers[:3])
        comparator.longest, comparator.margin = numbers[4:6]
        comparator.deficits[:] = numbers[6:]
        if numbers[3]:
            state.set_direction(np.ascontiguousarray(arrays["u"]), np.ascontiguousarray(arrays["u_b"]))


def copied(state: PerceptronState, arrays: Mapping[str, NDArray[Any]]) -> PerceptronState:
    """A state of the same kind with these arrays."""
    return _restored(_kind(state), arrays)


def _kind(state: PerceptronState) -> dict[str, Any]:
    return {
        "planes": state.planes,
        "columns": state.columns,
        "step": state.step,
        "gain": state.gain,
        "decreasing": state.decreasing,
        "averaged": state.lag.size > 0,
        "pocket": state.pocket_w.size > 0,
        "ratchet": state.ratchet,
        "logged": state.logged,
        "rows": len(state.counts),
    }


def _restored(kind: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> PerceptronState:
    state = PerceptronState(**kind)
    fill(state, arrays)
    return state


# For pickle and copy.deepcopy.
copyreg.pickle(PerceptronState, lambda state: (_restored, (_kind(state), to_arrays(state))))
