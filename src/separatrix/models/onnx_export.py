"""to_onnx: a fitted model as an ONNX graph of plain operators in float64.

The operators of ai.onnx.ml (LinearClassifier, SVMClassifier) work in float32, in which scores agree with ours to 1e-6
only by luck; MatMul, Exp and their like exist in float64. The graph computes what `decision_function` does:

    planes      X W^T + b
    kernel      k(X, vectors) coefficients + b                      k by `onnx_kernels`
    pairs       votes of each pair, with ties settled by the sums of scores, as `fitting.predicting.pair_votes`

and the label by ArgMax, or by the sign for two classes.
"""

from __future__ import annotations

import os
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

import separatrix
from separatrix.atomic import write_atomically
from separatrix.errors import ModelFileError
from separatrix.models.onnx_graph import Graph
from separatrix.models.onnx_kernels import add_kernel
from separatrix.models.onnx_probabilities import add_probabilities
from separatrix.perceptron.estimator import Perceptron
from separatrix.perceptron.online import KernelOnline
from separatrix.perceptron.result import ExpansionRule, VoteRule
from separatrix.svm.svc import SVC


def to_onnx(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    dtype: Literal["float64", "float32"] = "float64",
) -> Any:
    """A fitted `SVC` or `Perceptron` as an ONNX model with input ``X`` and outputs ``label`` and ``scores``.

    Parameters
    ----------
    model
        The fitted model; any kernel but a function or precomputed values, any number of classes.
    path : default None
        Where to write it, whole or not at all; None only returns it.
    dtype : "float64" or "float32", default "float64"
        Type of the input rows. Computation is in float64 either way.

    Returns
    -------
    onnx.ModelProto; ``scores`` has the shape of `decision_function`: (n,) for two classes, (n, k) for more. Of a
    calibrated model ``probabilities`` (n, k) is a third output.

    Example
    -------
    >>> import separatrix as sx
    >>> model = sx.SVC().fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> [output.name for output in sx.to_onnx(model).graph.output]
    ['label', 'scores']
    """
    if not isinstance(model, SVC | Perceptron):
        raise ModelFileError(f"A separatrix.SVC or Perceptron can be exported; got {type(model).__name__}.")
    if dtype not in ("float64", "float32"):
        raise ModelFileError(f"dtype must be 'float64' or 'float32'; got {dtype!r}.")
    check_is_fitted(model, "classes_")
    graph = Graph()
    rows = "X" if dtype == "float64" else graph.add("Cast", "X", to="float64")
    raw = _add_scores(graph, model, rows)
    k = len(model.classes_)
    if k <= 2:
        scores = graph.add("Squeeze", raw, graph.integers([1]), output="scores")
        code = graph.add("Cast", graph.add("Greater", scores, graph.real(0.0)), to="int64")
        if k == 1:
            code = graph.add("Mul", code, graph.integers([0]))
    else:
        pairwise = isinstance(model, SVC) and bool(model._pairwise)
        scores = _add_votes(graph, raw, k) if pairwise else graph.add("Identity", raw, output="scores")
        code = graph.add("ArgMax", scores, axis=1, keepdims=0)
    graph.add("Gather", graph.labels(model.classes_), code, output="label")
    outputs: dict[str, tuple[str, list[Any]]] = {
        "label": ("label", ["n"]),
        "scores": ("float64", ["n"] if k <= 2 else ["n", k]),
    }
    if "calibration_" in vars(model):
        add_probabilities(graph, model.calibration_, scores)
        outputs["probabilities"] = ("float64", ["n", k])
    made = graph.model(
        {"X": (dtype, ["n", int(model.n_features_in_)])},
        outputs,
        {"separatrix": separatrix.__version__, "model": type(model).__name__},
    )
    if path is not None:
        write_atomically(path, made.SerializeToString(deterministic=True))
    return made


def _add_scores(graph: Graph, model: Any, rows: str) -> str:
    """Scores before votes, (n, number of planes or problems)."""
    if isinstance(model, SVC):
        surface, scaling = getattr(model, "_surface", None), model.scaling_
        if scaling is not None:
            shifted = graph.add("Sub", rows, graph.reals(scaling.shift))
            rows = graph.add("Mul", shifted, graph.reals(scaling.factor))
        if surface is None:
            return _add_planes(graph, rows, model.coef_, model.intercept_)
        return _add_expansion(
            graph, rows, surface.kernel, surface.vectors, surface.coefficients, surface.intercept
        )
    if model._online is not None and isinstance(model._online.model, KernelOnline):
        return _add_online(graph, rows, model._online)
    if model._online is not None:
        return _add_planes(graph, rows, *model._online.planes())
    rules = [result.run.rule for result in model.problems_.values()]
    if any(isinstance(rule, VoteRule) for rule in rules):
        raise ModelFileError("The votes of every weight vector of a run are no graph; use output='averaged'.")
    if not isinstance(rules[0], ExpansionRule):
        return _add_planes(graph, rows, model.coef_, model.intercept_)
    parts = [
        _add_expansion(graph, rows, rule.kernel, rule.support, rule.beta, rule.gain * rule.beta.sum(axis=0))
        for rule in rules
    ]
    return parts[0] if len(parts) == 1 else graph.add("Concat", *parts, axis=1)


def _add_planes(graph: Graph, rows: str, W: Any, b: Any) -> str:
    return graph.add("Add", graph.add("MatMul", rows, graph.reals(np.asarray(W).T)), graph.reals(b))


def _add_expansion(graph: Graph, rows: str, kernel: Any, vectors: Any, coefficients: Any, b: Any) -> str:
    if vectors is None:
        raise ModelFileError("A precomputed kernel has no formula that a graph could compute.")
    values = add_kernel(graph, kernel, rows, vectors)
    return graph.add("Add", graph.add("MatMul", values, graph.reals(coefficients)), graph.reals(b))


def _add_online(graph: Graph, rows: str, online: Any) -> str:
    """partial_fit with a kernel: columns in the order of the sorted classes."""
    model = online.model
    if not model.rows:
        raise ModelFileError("This perceptron has learnt nothing yet; there is nothing to export.")
    beta = online.sorted_planes(model.coefficients(), axis=1)
    return _add_expansion(graph, rows, model.kernel, model.support(), beta, model.gain * beta.sum(axis=0))


def _add_votes(graph: Graph, raw: str, k: int) -> str:
    """Votes of pairs (i, j), i < j; see `pair_votes` for the formula."""
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    first, second = np.zeros((len(pairs), k)), np.zeros((len(pairs), k))
    for place, (i, j) in enumerate(pairs):
        first[place, i] = second[place, j] = 1.0
    won = graph.add("Cast", graph.add("Greater", raw, graph.real(0.0)), to="float64")
    # A vote lost by the first of a pair is one for the second: constant second, corrected by the wins.
    votes = graph.add(
        "Add", graph.add("MatMul", won, graph.reals(first - second)), graph.reals(second.sum(axis=0))
    )
    sums = graph.add("MatMul", raw, graph.reals(first - second))
    size = graph.add("Mul", graph.add("Add", graph.add("Abs", sums), graph.real(1.0)), graph.real(3.0))
    return graph.add("Add", votes, graph.add("Div", sums, size), output="scores")
