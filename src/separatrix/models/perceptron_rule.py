"""The decision rule of a fitted perceptron as plain values and back: planes, an expansion in rows, or votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.models.fields import Fields
from separatrix.models.kernel import read_kernel, write_kernel
from separatrix.models.values import Arrays, write_value
from separatrix.perceptron.result import ExpansionRule, PlaneRule, Rule, VoteRule


def write_rule(rule: Rule, name: str, arrays: Arrays) -> dict[str, Any]:
    """The record of a rule."""
    if isinstance(rule, PlaneRule):
        return {"kind": "planes", **_put({"W": rule.W, "b": rule.b}, name, arrays)}
    assert isinstance(rule, ExpansionRule | VoteRule)
    parts: dict[str, Any] = {"support": rule.support, "places": rule.places.astype(np.int64)}
    kind = "expansion"
    if isinstance(rule, ExpansionRule):
        parts["beta"] = rule.beta
    else:
        kind, parts["planes"] = "votes", rule.planes
        parts |= {each: getattr(rule, each).astype(np.int64) for each in ("rows", "gains", "losses")}
        parts |= {"amounts": rule.amounts, "survivals": rule.survivals}
    record = _put({**parts, "gain": rule.gain}, name, arrays)
    return {"kind": kind, "kernel": write_kernel(rule.kernel), **record}


def _put(parts: dict[str, Any], name: str, arrays: Arrays) -> dict[str, Any]:
    return {field: write_value(value, f"{name}.{field}", arrays) for field, value in parts.items()}


def read_rule(record: Fields, planes: int, n_rows: int, n_columns: int) -> Rule:
    """Read the rule from a record: ``planes`` planes, from ``n_rows`` training rows and ``n_columns`` columns."""
    kind = record.text("kind", ("planes", "expansion", "votes"))
    if kind == "planes":
        return PlaneRule(record.array("W", (planes, n_columns)), record.array("b", (planes,)))
    kernel, gain = read_kernel(record.record("kernel")), record.real("gain")
    places = record.indices("places", None, n_rows)
    support = None
    if kernel.name == "precomputed":
        if n_rows != n_columns:
            raise record.wrong("places", "rows of a square matrix", f"{n_rows} rows, {n_columns} columns")
    else:
        support = record.matrix("support", len(places), n_columns)
    if kind == "expansion":
        return ExpansionRule(kernel, support, places, record.array("beta", (len(places), planes)), gain)
    rows = record.indices("rows", None, len(places))
    updates = len(rows)
    record.count("planes", planes, planes)
    return VoteRule(
        kernel,
        support,
        places,
        gain,
        rows,
        record.array("amounts", (updates,)),
        record.indices("gains", updates, planes),
        record.indices("losses", updates, planes),
        record.array("survivals", (updates,)),
        planes,
    )
