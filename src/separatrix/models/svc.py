"""A fitted SVC as plain values, and back. Arrays keep the layouts of the attributes of the same names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import ModelFileError, with_hint
from separatrix.fitting.parameters import check_parameters
from separatrix.fitting.predicting import Surface
from separatrix.fitting.results import BinaryFit, Deferred, JointProblems, Problems
from separatrix.models.fields import Fields
from separatrix.models.joint import read_joint, write_joint
from separatrix.models.parts import (
    failing,
    read_certificates,
    read_kernel,
    read_outcome,
    read_parameters,
    write_certificates,
    write_history,
    write_kernel,
    write_parameters,
)
from separatrix.models.tensors import Arrays, write_value
from separatrix.problem.scaling import Scaling
from separatrix.svm.fitted import FittedSVC, Support
from separatrix.svm.svc import SVC

_KINDS = np.array(["", "margin", "slack"])
_NO_VECTORS = with_hint(
    AttributeError,
    "This model was saved without its support vectors, which a linear kernel does not need to predict; support_ has "
    "their rows.",
    "save(model, path, support_vectors=True)",
)


@dataclass(frozen=True)
class Shape:
    """Numbers of planes (or surfaces), lines of alpha, training rows and columns."""

    planes: int
    lines: int
    rows: int
    columns: int


def write_svc(model: SVC, arrays: Arrays, support_vectors: bool) -> dict[str, Any]:
    """The document of a fitted model."""
    joint = model.problems_.joint if isinstance(model.problems_, JointProblems) else None
    results: list[Any] = list(model.problems_.values()) if joint is None else [joint]
    n = int(model.alpha_.shape[-1])
    put = {
        "classes": model.classes_,
        "coef": getattr(model, "coef_", None),
        "intercept": model.intercept_,
        "intercept_interval": np.reshape(model.intercept_interval_, (-1, 2)),
        "alpha": np.atleast_2d(model.alpha_),
        "slack": np.atleast_2d(model.slack_),
        "cost": _costs(results, n),
        "dual_coef": model.dual_coef_,
        "support": np.asarray(model.support_, dtype=np.int64),
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
    if model.scaling_ is not None:
        document["scaling"] = _write_scaling(model.scaling_, arrays)
    document["pairwise"] = bool(model._pairwise)
    document["joint"] = None if joint is None else write_joint(joint, n, arrays)
    document["problems"] = [
        _write_problem(key, result, n, model._pairwise, f"problems.{i}", arrays)
        for i, (key, result) in enumerate(model.problems_.items())
        if joint is None
    ]
    document["certificates"] = write_certificates([result.deferred for result in results], arrays)
    return {"parameters": write_parameters(model), **document}


def _write_scaling(scaling: Scaling, arrays: Arrays) -> dict[str, Any]:
    numbers = {name: getattr(scaling, name) for name in ("shift", "factor")}
    record = {name: write_value(value, f"scaling.{name}", arrays) for name, value in numbers.items()}
    return {"kind": scaling.kind, **record}


def _read_scaling(document: Fields, model: SVC, n_columns: int) -> Scaling | None:
    if document.has("scaling") != (model.scaling is not None):
        raise document.wrong(
            "scaling", f"what a model with scaling={model.scaling!r} predicts with", "something else"
        )
    if model.scaling is None:  # as in all files of version 0.1
        return None
    record = document.record("scaling")
    shift, factor = (record.array(name, (n_columns,)) for name in ("shift", "factor"))
    if not np.all(factor > 0):
        raise record.wrong("factor", "an array of numbers above 0", "one with others")
    return Scaling(record.text("kind", (model.scaling,)), shift, factor)


def _costs(results: list[Any], n: int) -> NDArray[np.float64]:
    """C_i of every training row, 0 where a row takes no part in any problem; the same in all of them."""
    cost = np.zeros(n)
    for result in results:
        cost[result.rows] = result.cost
    return cost


def _write_problem(
    key: Any, result: BinaryFit, n: int, pairwise: bool, name: str, arrays: Arrays
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
    classes, pairwise, joint = (
        document.labels("classes", least=2),
        document.flag("pairwise"),
        document.has("joint"),
    )
    k = len(classes)
    p = 1 if k == 2 else k * (k - 1) // 2 if pairwise else k
    if pairwise and (k == 2 or joint):
        raise ModelFileError("A model of two classes, or of a joint problem, has no pairs of classes.")
    shape = Shape(p, k - 1 if pairwise else p, document.array("alpha", (None, None)).shape[1], n_columns)
    alpha = document.array("alpha", (shape.lines, shape.rows))
    slack = document.array("slack", (1 if joint else shape.lines, shape.rows))
    plane = not document.has("kernel")
    coef = document.array("coef", (p, n_columns)) if plane else np.empty((p, 0))
    intercept = document.array("intercept", (p,))
    interval = document.array("intercept_interval", (p, 2), finite=False)
    proofs = read_certificates(document, 1 if joint else p)
    if joint:
        problems: Any = read_joint(
            document.record("joint"), classes, (coef, intercept), shape.rows, proofs[0]
        )
    else:
        weights = (alpha, slack)
        problems = _read_problems(document, shape, pairwise, (coef, intercept, interval), weights, proofs)
    one = p == 1
    support = _read_support(document, shape, one or joint)
    vectors, surface = _read_vectors(document, shape, support, intercept, model)
    model._assign(
        FittedSVC(
            problems=problems,
            classes=classes,
            coef=coef if plane else None,
            intercept=intercept,
            intercept_interval=interval[0] if one else interval,
            alpha=alpha[0] if one else alpha,
            slack=slack[0] if one or joint else slack,
            support=Deferred(lambda: support),
            support_vectors=vectors,
            pairwise=pairwise,
            surface=surface,
            scaling=_read_scaling(document, model, n_columns),
        )
    )
    return model


def _read_problems(
    document: Fields,
    shape: Shape,
    pairwise: bool,
    planes: tuple[Any, Any, Any],
    weights: tuple[Any, Any],
    proofs: list[Deferred[Any]],
) -> Problems:
    records = document.records("problems")
    if len(records) != shape.planes:
        raise ModelFileError(f"The model file must have {shape.planes} problems; it has {len(records)}.")
    coef, intercept, interval = planes
    alpha, slack = weights
    n, cost = shape.rows, document.array("cost", (shape.rows,), finite=False)
    results = {}
    for i, record in enumerate(records):
        rows = np.arange(n) if not record.has("rows") else record.indices("rows", None, n)
        own = (
            (record.array("alpha", (len(rows),)), record.array("slack", (len(rows),)))
            if pairwise
            else (alpha[i, rows], slack[i, rows])
        )
        parts = (coef[i], float(intercept[i]), (float(interval[i, 0]), float(interval[i, 1])))
        key, result = _read_problem(record, rows, parts, cost[rows], own, proofs[i])
        results[key] = result
    if len(results) != len(records):
        raise ModelFileError("Two problems of the model file have the same name.")
    return Problems(results)


def _read_problem(
    record: Fields,
    rows: NDArray[np.intp],
    plane: tuple[Any, float, tuple[float, float]],
    cost: NDArray[np.float64],
    own: tuple[Any, Any],
    proof: Deferred[Any],
) -> tuple[Any, BinaryFit]:
    key, C_hard = record.value("key"), None
    if record.has("C_hard"):
        value = record.real("C_hard")
        C_hard = Deferred(lambda: value)
    try:
        hash(key)
    except TypeError:
        raise record.wrong("key", "the name of a problem", key) from None
    return key, BinaryFit(
        positive=record.value("positive"),
        negative=record.value("negative"),
        rows=rows,
        coef=plane[0],
        intercept=plane[1],
        intercept_interval=plane[2],
        cost=cost,
        alpha=own[0],
        slack=own[1],
        **read_outcome(record),
        squared=record.flag("squared"),
        deferred=proof,
        C_hard=C_hard,
        kernel_norm=record.real("kernel_norm") if record.has("kernel_norm") else None,
    )


def _read_support(document: Fields, shape: Shape, one_line: bool) -> Support:
    dual_coef = document.array("dual_coef", (shape.lines, None))
    m = dual_coef.shape[1]
    kinds = document.array("support_kind", (1 if one_line else shape.lines, m), "count")
    if kinds.size and not (kinds.min() >= 0 and kinds.max() < len(_KINDS)):
        raise document.wrong("support_kind", "0, 1 or 2", "other numbers")
    counts = document.array("n_support", (None,), "count").astype(np.int32)
    words = _KINDS[kinds][0] if one_line else _KINDS[kinds]
    return Support(document.indices("support", m, shape.rows), counts, dual_coef, words)


def _read_vectors(
    document: Fields, shape: Shape, support: Support, intercept: Any, model: SVC
) -> tuple[Deferred[Any], Surface | None]:
    """The support vectors, and the surface of a kernel model."""
    m, vectors = len(support.rows), None
    if document.has("support_vectors"):
        vectors = document.matrix("support_vectors", m, shape.columns)
    if not document.has("kernel"):
        known = vectors is not None
        return Deferred(lambda: vectors) if known else failing(_NO_VECTORS), None
    kernel = read_kernel(document.record("kernel"))
    if (vectors is None) != (kernel.name == "precomputed") or (
        vectors is None and shape.rows != shape.columns
    ):
        raise document.wrong("support_vectors", "what its kernel needs to predict", "something else")
    coefficients = document.array("coefficients", (m, shape.planes))
    threads = check_parameters(model.get_params(deep=False)).n_threads
    surface = Surface(kernel, vectors, support.rows, coefficients, intercept, threads)
    return Deferred(surface.support_vectors), surface
