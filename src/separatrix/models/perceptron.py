"""A fitted Perceptron as plain values, and back: the result of each problem, and what partial_fit has learnt."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.errors import ModelFileError
from separatrix.fitting.results import Deferred
from separatrix.models.fields import Fields
from separatrix.models.online import (
    read_ledger,
    read_online,
    read_state,
    write_ledger,
    write_online,
    write_state,
)
from separatrix.models.parts import (
    failing,
    read_certificates,
    read_kernel,
    read_mistake_history,
    read_parameters,
    write_certificates,
    write_history,
    write_kernel,
    write_parameters,
)
from separatrix.models.tensors import Arrays, write_value
from separatrix.perceptron.certificate import Theory
from separatrix.perceptron.estimator import Perceptron
from separatrix.perceptron.parameters import Settings, check_parameters
from separatrix.perceptron.partial_fit import refresh
from separatrix.perceptron.result import ExpansionRule, PlaneRule, Rule, RunResult, VoteRule
from separatrix.perceptron.run import PerceptronResult
from separatrix.problem import Status

_STATUSES = [status.value for status in Status]


def write_perceptron(model: Perceptron, arrays: Arrays) -> dict[str, Any]:
    """The document of a fitted model."""
    results: dict[Any, PerceptronResult] = getattr(model, "problems_", {})
    kernel = getattr(model, "_kernel", None)
    return {
        "parameters": write_parameters(model),
        "classes": write_value(model.classes_, "classes", arrays),
        "kernel": None if kernel is None else write_kernel(kernel),
        "problems": [
            _write_problem(key, result, f"problems.{place}", arrays)
            for place, (key, result) in enumerate(results.items())
        ],
        "certificates": write_certificates([result.deferred for result in results.values()], arrays),
        "online": None if model._online is None else write_online(model._online, arrays),
    }


def _write_problem(key: Any, result: PerceptronResult, name: str, arrays: Arrays) -> dict[str, Any]:
    run = result.run
    try:
        known = result.theory.get()
        theory = {f: getattr(known, f) for f in ("radius", "margin", "max_margin", "bound", "witness")}
    except ValueError as error:
        theory = {"none": str(error)}
    parts = {"key": key, "positive": result.positive, "negative": result.negative}
    parts |= {"constant": result.constant, "w": run.w, "b": run.b, "beta": run.beta}
    parts |= {"counts": run.counts.astype(np.int64), "pairs": run.pairs, "support": run.support}
    record = {field: write_value(value, f"{name}.{field}", arrays) for field, value in parts.items()}
    if run.ledger is not None:
        record["ledger"] = write_ledger(run.ledger)
    return {
        **record,
        "theory": {f: write_value(value, f"{name}.theory.{f}", arrays) for f, value in theory.items()},
        "status": result.status.value,
        "found_status": run.status.value,
        "epochs": int(run.epochs),
        "updates": int(run.updates),
        "history": write_history(run.history),
        "rule": write_rule(run.rule, f"{name}.rule", arrays),
        "state": None if run.state is None else write_state(run.state, f"{name}.state", arrays),
    }


def read_perceptron(document: Fields, n_columns: int) -> Perceptron:
    """The fitted model of a document."""
    model = read_parameters(document, Perceptron, check_parameters)
    settings = check_parameters(model.get_params(deep=False))
    classes, records = document.labels("classes"), document.records("problems")
    k, many = len(classes), settings.multi_class == "kesler" and len(classes) > 2
    online = document.has("online")
    # partial_fit may have met more classes than the fit before it
    if not online and len(records) != (1 if k == 2 or many else k):
        raise ModelFileError(f"A perceptron of {k} classes cannot have {len(records)} problems.")
    proofs = read_certificates(document, len(records))
    results = {}
    for record, proof in zip(records, proofs, strict=True):
        key, result = _read_problem(record, n_columns, settings, proof)
        results[key] = result
    if len(results) != len(records):
        raise ModelFileError("Two problems of the model file have the same name.")
    model.n_features_in_ = n_columns
    model.classes_ = classes
    if document.has("kernel"):
        model._kernel = read_kernel(document.record("kernel"))
    if results:
        model.problems_ = results
        planes = sum(result.run.beta.shape[1] for result in results.values())
        if not online and planes != (1 if k == 2 else k):
            raise ModelFileError(f"A perceptron of {k} classes cannot have {planes} planes.")
        if len({result.run.beta.shape[0] for result in results.values()}) > 1:
            raise ModelFileError("The problems of the model file have different numbers of rows.")
        model._publish()
    if online:
        model._online = read_online(document.record("online"), settings, n_columns)
        refresh(model)
        if not np.array_equal(model.classes_, classes):
            raise ModelFileError("The classes of the model file are not those that partial_fit has met.")
        model.classes_ = classes
    return model


def _read_problem(
    record: Fields, n_columns: int, settings: Settings, proof: Deferred[Any]
) -> tuple[Any, PerceptronResult]:
    beta = record.array("beta", (None, None))
    n, planes = beta.shape
    w = record.array("w", (planes, n_columns)) if record.has("w") else None
    rule = read_rule(record.record("rule"), planes, n, n_columns)
    constant, state = record.real("constant"), None
    if record.has("state"):
        gain = constant * constant
        state = read_state(record.record("state"), planes, n, n_columns, gain, settings)
    run = RunResult(
        Status(record.text("found_status", _STATUSES)),
        record.count("epochs"),
        record.count("updates"),
        read_mistake_history(record),
        w,
        record.array("b", (planes,)),
        beta,
        record.array("counts", (n,), "count"),
        rule,
        state,
        _read_support(record, planes, n_columns) if record.has("support") else None,
        record.array("pairs", (n, planes), "count") if record.has("pairs") else None,
        read_ledger(record),
    )
    key, positive, negative = (record.value(name) for name in ("key", "positive", "negative"))
    if not isinstance(positive, tuple) or not isinstance(negative, tuple):
        raise record.wrong("positive", "a tuple of classes", positive)
    try:
        hash(key)
    except TypeError:
        raise record.wrong("key", "the name of a problem", key) from None
    status = Status(record.text("status", _STATUSES))
    theory = _read_theory(record.record("theory"), planes, n_columns)
    return key, PerceptronResult(positive, negative, run, status, constant, theory, proof)


def _read_support(record: Fields, planes: int, n_columns: int) -> tuple[Any, Any, Any, int]:
    """Rows, beta, lag and visits of a dual run, for partial_fit."""
    value = record.value("support")
    if not isinstance(value, tuple) or len(value) != 4 or type(value[3]) is not int or value[3] < 0:
        raise record.wrong("support", "rows, coefficients, lags and visits", value)
    rows, beta, lag, visits = value
    shapes = [getattr(each, "shape", None) for each in (rows, beta, lag)]
    m = 0 if not shapes[0] else shapes[0][0]
    floats = all(getattr(each, "dtype", None) == np.float64 for each in (beta, lag))
    if shapes != [(m, n_columns), (m, planes), (m, planes)] or not floats:
        raise record.wrong("support", f"rows of {n_columns} columns with {planes} coefficients", shapes)
    if rows.dtype not in (np.float32, np.float64):
        raise record.wrong("support", "rows of floats", rows.dtype)
    return rows, beta, lag, visits


def _read_theory(record: Fields, planes: int, n_columns: int) -> Deferred[Theory]:
    if record.has("none"):
        return failing(ValueError(record.text("none")))
    witness = None
    if record.has("witness"):
        pair = record.value("witness")
        if not isinstance(pair, tuple) or [getattr(part, "shape", None) for part in pair] != [
            (planes, n_columns),
            (planes,),
        ]:
            raise record.wrong("witness", "planes and biases", pair)
        witness = (pair[0], pair[1])
    radius, margin, max_margin, bound = (
        record.real(name, finite=False) for name in ("radius", "margin", "max_margin", "bound")
    )
    known = Theory(radius, margin, max_margin, bound, witness)
    return Deferred(lambda: known)


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
