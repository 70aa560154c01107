"""What a fitted SVC consists of is what `models/trusted.py` lists, so that skops can be told to trust just that."""

from __future__ import annotations

from enum import Enum
from importlib import import_module
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from model_variants import VARIANTS, fitted, rows_for
from sklearn.datasets import load_iris

import separatrix as sx
from separatrix.models.trusted import SKOPS_TYPES

NAMES = [name for name in VARIANTS if name.startswith("svc")]


def states(value: Any, seen: set[str]) -> None:
    """The types of everything that pickling a value would reach."""
    if value is None or isinstance(value, bool | int | float | str | bytes | np.ndarray | np.generic):
        if isinstance(value, Enum):
            seen.add(f"{type(value).__module__}.{type(value).__qualname__}")
        return
    if isinstance(value, dict):
        for key, item in value.items():
            states(key, seen)
            states(item, seen)
        return
    assert not isinstance(value, FunctionType), "a file of numbers cannot hold a function"
    kind = type(value)
    if kind.__module__.startswith("separatrix"):
        seen.add(f"{kind.__module__}.{kind.__qualname__}")
        states(value.__reduce_ex__(2)[2], seen)
    if isinstance(value, list | tuple):
        for item in value:
            states(item, seen)


@pytest.mark.parametrize("name", NAMES)
def test_a_model_consists_of_listed_types(name):
    seen: set[str] = set()
    states(fitted(name), seen)
    assert seen <= set(SKOPS_TYPES)


def test_every_listed_type_exists_and_is_met():
    seen: set[str] = set()
    for name in NAMES:
        states(fitted(name), seen)
    for name in SKOPS_TYPES:
        module, _, kind = name.rpartition(".")
        assert isinstance(getattr(import_module(module), kind), type), name
    ours = {name for name in SKOPS_TYPES if name.startswith("separatrix.")}
    assert ours - seen == {"separatrix.validation.select.SVCCV", "separatrix.problem.kernels.Sigmoid"}


@pytest.mark.parametrize("name", [*NAMES, "cv"])
def test_skops_reads_what_it_wrote(name):
    io = pytest.importorskip("skops.io")
    if name == "cv":
        X, y = load_iris(return_X_y=True)
        model: Any = sx.SVCCV(Cs=[0.1, 1.0], cv=3).fit(X, y)
        rows: Any = X
    else:
        model = fitted(name)
        rows = rows_for(model)
    content = io.dumps(model)
    assert set(io.get_untrusted_types(data=content)) <= set(SKOPS_TYPES)
    again = io.loads(content, trusted=list(SKOPS_TYPES))
    assert again.decision_function(rows).tobytes() == model.decision_function(rows).tobytes()
    if name != "svc precomputed":  # whose certificate cannot be made
        assert again.certificate_ == model.certificate_
