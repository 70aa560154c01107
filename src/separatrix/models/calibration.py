"""The calibration of a model in its file: the method, and the numbers of each map."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from separatrix.fitting.probabilities import Calibration, Isotonic, Map, Sigmoid, VennAbers
from separatrix.models.fields import Fields
from separatrix.models.tensors import Arrays, write_value

_METHODS = ("sigmoid", "isotonic", "venn-abers")


def write_calibration(calibration: Calibration, arrays: Arrays) -> dict[str, Any]:
    """The record of a calibration."""
    maps = [
        {name: write_value(value, f"calibration.{i}.{name}", arrays) for name, value in asdict(own).items()}
        for i, own in enumerate(calibration.maps)
    ]
    return {"method": calibration.method, "rows": calibration.rows, "maps": maps}


def read_calibration(record: Fields, n_classes: int) -> Calibration:
    """The calibration of a record; its maps are functions from scores to numbers between 0 and 1."""
    method, records = record.text("method", _METHODS), record.records("maps")
    if len(records) != (1 if n_classes == 2 else n_classes):
        raise record.wrong("maps", f"the maps of {n_classes} classes", f"{len(records)} of them")
    return Calibration(method, tuple(_read_map(method, each) for each in records), record.count("rows"))


def _read_map(method: str, record: Fields) -> Map:
    if method == "sigmoid":
        return Sigmoid(record.real("slope"), record.real("offset"))
    if method == "isotonic":
        x = record.array("x", (None,))
        y = record.array("y", (len(x),))
        if not len(x) or np.any(np.diff(x) <= 0):
            raise record.wrong("x", "increasing numbers, one at least", "others")
        if np.any(np.diff(y) < 0) or y[0] < 0 or y[-1] > 1:
            raise record.wrong("y", "numbers from 0 to 1 that do not fall", "others")
        return Isotonic(x, y)
    scores = record.array("scores", (None,))
    if not len(scores) or np.any(np.diff(scores) <= 0):
        raise record.wrong("scores", "increasing numbers, one at least", "others")
    low, high = (record.array(name, (2 * len(scores) + 1,)) for name in ("low", "high"))
    if np.any(low < 0) or np.any(low > high) or np.any(high > 1) or np.any(high == 0):
        raise record.wrong(
            "low", "numbers from 0 to those of high, which are above 0 and at most 1", "others"
        )
    return VennAbers(scores, low, high)
