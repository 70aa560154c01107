"""A fitted SVC as plain values, and back. Arrays keep the layouts of the attributes of the same names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import ModelFileError
from separatrix.estimators.binary import BinaryResult
from separatrix.estimators.deferred import Deferred
from separatrix.estimators.layouts import summary
from separatrix.estimators.multiclass import Problems
from separatrix.estimators.parameters import check_parameters
from separatrix.estimators.surface import Surface
from separatrix.estimators.svc import SVC
from separatrix.files.model_fields import Fields
from separatrix.files.model_kernel import read_kernel, write_kernel
from separatrix.files.model_parts import (
    failing,
    read_certificates,
    read_history,
    read_parameters,
    write_certificates,
    write_history,
    write_parameters,
)
from separatrix.files.model_values import Arrays, write_value
from separatrix.problem import Status

_KINDS = np.array(["", "margin", "slack"])
_NO_VECTORS = (
    "This model was saved without its support vectors, which a linear kernel does not need to predict; support_ has "
    "their rows. Hint: save(model, path, support_vectors=True)."
)


def write_svc(model: SVC, arrays: Arrays, support_vectors: bool) -> dict[str, Any]:
    """The document of a fitted model."""
    results = list(model.problems_.values())
    binary, n = len(results) == 1, int(model.alpha_.shape[-1])
    put = {
        "classes": model.classes_,
        "coef": getattr(model, "coef_", None),
        "intercept": model.intercept_,
        "intercept_interval": np.reshape(model.intercept_interval_, (len(results), 2)),
        "alpha": np.atleast_2d(model.alpha_),
        "slack": np.atleast_2d(model.slack_),
        "cost": _costs(results, n),
        "dual_coef": model.dual_coef_,
        "support": model.support_.astype(np.int64),
        "n_support": model.n_support_.astype(np.int64),
        "support_kind": np.atleast_2d(np.searchsorted(_KINDS, model.support_kind_)).astype(np.int64),
    }
    document = {name: write_value(value, name, arrays) for name, value in put.items()}
    surface = getattr(model, "_surface", None)
    document["kernel"] = None if surface is None else write_kernel(surface.kernel)
    if surface is not None:
        document["coefficients"] = write_value(surface.coefficients, "coefficients", arrays)
        support_vectors = surface.vectors is not None  # predictions need them
    document["support_vectors"] = (
        write_value(model.support_vectors_, "support_vectors", arrays) if support_vectors else None
    )
    pairwise = not binary and results[0].negative is not None
    document["pairwise"] = pairwise
    document["problems"] = [
        _write_problem(key, result, n, pairwise, f"problems.{i}", arrays)
        for i, (key, result) in enumerate(model.problems_.items())
    ]
    document["certificates"] = write_certificates([result.deferred for result in results], arrays)
    return {"parameters": write_parameters(model), **document}


def _costs(results: list[BinaryResult], n: int) -> NDArray[np.float64]:
    """C_i of every training row, 0 where a row takes no part in any problem; the same in all of them."""
    cost = np.zeros(n)
    for result in results:
        cost[result.rows] = result.cost
    return cost


def _write_problem(
    key: Any, result: BinaryResult, n: int, pairwise: bool, name: str, arrays: Arrays
) -> dict[str, Any]:
    everything = len(result.rows) == n
    numbers = ("positive", "negative", "primal", "dual", "gap", "n_iter", "squared", "kernel_norm")
    C_hard = None if result.C_hard is None else result.C_hard.get()
    parts: dict[str, Any] = {"key": key, "C_hard": C_hard}
    parts["rows"] = None if everything else result.rows.astype(np.int64)
    if pairwise:  # the layout of alpha_ does not say which of two classes a row without alpha has
        parts |= {"alpha": result.alpha, "slack": result.slack}
    parts |= {each: getattr(result, each) for each in numbers}
    record = {field: write_value(value, f"{name}.{field}", arrays) for field, value in parts.items()}
    return {**record, "status": result.status.value, "history": write_history(result.history)}


def read_svc(document: Fields, n_columns: int) -> SVC:
    """The fitted model of a document."""
    model = read_parameters(document, SVC, check_parameters)
    classes = document.labels("classes", least=2)
    k, pairwise, problems = len(classes), document.flag("pairwise"), document.records("problems")
    expected = 1 if k == 2 else k * (k - 1) // 2 if pairwise else k
    if len(problems) != expected or (pairwise and k == 2):
        raise ModelFileError(f"A model of {k} classes must have {expected} problems; got {len(problems)}.")
    p, lines = expected, k - 1 if pairwise else expected
    alpha = document.array("alpha", (lines, None))
    n = alpha.shape[1]
    slack, cost = document.array("slack", (lines, n)), document.array("cost", (n,), finite=False)
    plane = not document.has("kernel")
    coef = document.array("coef", (p, n_columns)) if plane else np.empty((p, 0))
    intercept = document.array("intercept", (p,))
    interval = document.array("intercept_interval", (p, 2), finite=False)
    proofs = read_certificates(document, p)
    results = {}
    for i, record in enumerate(problems):
        rows = np.arange(n) if not record.has("rows") else record.indices("rows", None, n)
        own = (
            (record.array("alpha", (len(rows),)), record.array("slack", (len(rows),)))
            if pairwise
            else (alpha[i, rows], slack[i, rows])
        )
        parts = (coef[i], float(intercept[i]), (float(interval[i, 0]), float(interval[i, 1])))
        key, result = _read_problem(record, rows, parts, cost[rows], own, proofs[i])
        results[key] = result
    if len(results) != p:
        raise ModelFileError("Two problems of the model file have the same name.")
    _set_attributes(model, document, Problems(results), (lines, n), n_columns)
    model._pairwise = pairwise
    model.classes_, model.intercept_ = classes, intercept
    if plane:
        model.coef_ = coef
    model.intercept_interval_ = interval[0] if p == 1 else interval
    model.alpha_, model.slack_ = (alpha[0], slack[0]) if p == 1 else (alpha, slack)
    return model


def _read_problem(
    record: Fields,
    rows: NDArray[np.intp],
    plane: tuple[Any, float, tuple[float, float]],
    cost: NDArray[np.float64],
    own: tuple[Any, Any],
    proof: Deferred[Any],
) -> tuple[Any, BinaryResult]:
    key, C_hard = record.value("key"), None
    if record.has("C_hard"):
        value = record.real("C_hard")
        C_hard = Deferred(lambda: value)
    try:
        hash(key)
    except TypeError:
        raise record.wrong("key", "the name of a problem", key) from None
    return key, BinaryResult(
        positive=record.value("positive"),
        negative=record.value("negative"),
        rows=rows,
        coef=plane[0],
        intercept=plane[1],
        intercept_interval=plane[2],
        cost=cost,
        alpha=own[0],
        slack=own[1],
        primal=record.real("primal", finite=False),
        dual=record.real("dual", finite=False),
        gap=record.real("gap", finite=False),
        status=Status(record.text("status", [status.value for status in Status])),
        n_iter=record.count("n_iter"),
        history=read_history(record),
        squared=record.flag("squared"),
        deferred=proof,
        C_hard=C_hard,
        kernel_norm=record.real("kernel_norm") if record.has("kernel_norm") else None,
    )


def _set_attributes(
    model: SVC, document: Fields, problems: Problems, shape: tuple[int, int], n_columns: int
) -> None:
    lines, n = shape
    dual_coef = document.array("dual_coef", (lines, None))
    m = dual_coef.shape[1]
    kinds = document.array("support_kind", (lines, m), "count")
    if kinds.size and not (kinds.min() >= 0 and kinds.max() < len(_KINDS)):
        raise document.wrong("support_kind", "0, 1 or 2", "other numbers")
    kind = _KINDS[kinds]
    model.problems_ = problems
    model.dual_coef_, model.support_ = dual_coef, document.indices("support", m, n)
    model.n_support_ = document.array("n_support", (None,), "count").astype(np.int32)
    model.support_kind_ = kind[0] if len(problems) == 1 else kind
    for name, value in summary(problems).items():
        setattr(model, name, value)
    model._surface = None
    vectors = None
    if document.has("support_vectors"):
        vectors = document.matrix("support_vectors", m, n_columns)
        model._support_vectors = Deferred(lambda: vectors)
    else:
        model._support_vectors = failing(_NO_VECTORS, AttributeError)
    if document.has("kernel"):
        kernel = read_kernel(document.record("kernel"))
        if (vectors is None) != (kernel.name == "precomputed") or (vectors is None and n != n_columns):
            raise document.wrong("support_vectors", "what its kernel needs to predict", "something else")
        coefficients = document.array("coefficients", (m, len(problems)))
        intercept = document.array("intercept", (len(problems),))
        model._surface = Surface(kernel, vectors, model.support_, coefficients, intercept)
