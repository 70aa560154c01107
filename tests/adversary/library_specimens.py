"""Certificates that the library itself makes, as further documents for the mutations to start from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import separatrix
from tests.adversary.document import Data
from tests.adversary.specimens import APART, CLOSE, MIXED, THREE, THREE_MIXED, TOUCHING, TWINS, XOR, Specimen


def _arrays(data: Data) -> tuple[Any, Any]:
    y = np.array(data.y) if data.labels == "text" else np.array(data.y, dtype=np.float64)
    return np.array(data.X), y


def _certificates(found: Any) -> list[Any]:
    """One certificate, or one for each pair or class."""
    if isinstance(found, dict):
        return list(found.values())
    return list(found) if isinstance(found, list | tuple) else [found]


def _made() -> Iterator[tuple[str, Any, Data]]:
    for data, name in ((APART, "apart"), (MIXED, "mixed"), (THREE_MIXED, "three mixed")):
        X, y = _arrays(data)
        for options in ({}, {"kernel": "rbf"}, {"loss": "squared_hinge"}, {"C": 10.0}):
            yield f"SVC {name} {options}", separatrix.SVC(**options).fit(X, y).certificate_, data
    scaled: tuple[dict[str, Any], ...] = (
        {"scaling": "standard"},
        {"scaling": "range", "kernel": "rbf"},
        {"scaling": "standard", "bias": "augmented", "loss": "squared_hinge"},
        {"scaling": "range", "kernel": "poly", "degree": 2, "coef0": 1.0},
    )
    for options in scaled:
        yield f"SVC mixed {options}", separatrix.SVC(**options).fit(*_arrays(MIXED)).certificate_, MIXED
    hard = separatrix.SVC(C=float("inf"), scaling="standard")
    yield "SVC apart, scaled, hard", hard.fit(*_arrays(APART)).certificate_, APART
    try:
        hard.fit(*_arrays(XOR))
    except separatrix.InseparableError as error:
        yield "SVC xor, scaled, hard", error.separability.certificate, XOR
    for data, name in ((APART, "apart"), (TOUCHING, "touching"), (XOR, "xor"), (TWINS, "twins")):
        yield f"separability {name}", separatrix.separability(*_arrays(data)).certificate, data
    for data, name in ((CLOSE, "close"), (THREE, "three")):
        yield f"Perceptron {name}", separatrix.Perceptron().fit(*_arrays(data)).certificate_, data


@cache
def library_specimens() -> list[Specimen]:
    """All of them, made once; the checkers must find every one proved."""
    return [
        Specimen(name, certificate.to_dict(), data)
        for name, made, data in _made()
        for certificate in _certificates(made)
        if certificate is not None
    ]
