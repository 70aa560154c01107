"""A calibration as ONNX operators in float64: probabilities (n, k) of scores (n,) or (n, k)."""

from __future__ import annotations

import numpy as np

from separatrix.fitting.probabilities import Calibration, Isotonic, Map, Sigmoid
from separatrix.models.onnx_graph import Graph


def add_probabilities(graph: Graph, calibration: Calibration, scores: str) -> None:
    """Add the output ``probabilities``; one class against the rest is divided by the sum, or 1 / k where that is 0."""
    if len(calibration.maps) == 1:
        p = _add_map(graph, calibration.maps[0], graph.add("Unsqueeze", scores, graph.integers([1])))
        graph.add("Concat", graph.add("Sub", graph.real(1.0), p), p, axis=1, output="probabilities")
        return
    parts = []
    for code, own in enumerate(calibration.maps):
        column = graph.add("Gather", scores, graph.integers([code]), axis=1)
        parts.append(_add_map(graph, own, column))
    each = graph.add("Concat", *parts, axis=1)
    total = graph.add("ReduceSum", each, graph.integers([1]), keepdims=1)
    some = graph.add("Greater", total, graph.real(0.0))
    shares = graph.add("Div", each, graph.add("Where", some, total, graph.real(1.0)))
    even = graph.reals(np.full((1, len(parts)), 1.0 / len(parts)))
    graph.add("Where", some, shares, even, output="probabilities")


def _add_map(graph: Graph, own: Map, column: str) -> str:
    """Probabilities (n, 1) of scores (n, 1)."""
    if isinstance(own, Sigmoid):
        linear = graph.add("Add", graph.add("Mul", column, graph.real(own.slope)), graph.real(own.offset))
        grown = graph.add("Exp", linear)  # infinite where the probability is 0
        return graph.add("Div", graph.real(1.0), graph.add("Add", grown, graph.real(1.0)))
    if isinstance(own, Isotonic):
        return _add_isotonic(graph, own, column)
    # Entry of the table: as many as there are scores below, and again as many as there are not above.
    known = graph.reals(own.scores[np.newaxis])
    below, upto = (
        _count(graph, graph.add(operator, column, known)) for operator in ("Greater", "GreaterOrEqual")
    )
    place = graph.add("Cast", graph.add("Add", below, upto), to="int64")
    return graph.add("Gather", graph.reals(own.single), place)


def _add_isotonic(graph: Graph, own: Isotonic, column: str) -> str:
    """y_i + (y_{i+1} - y_i) (s - x_i) / (x_{i+1} - x_i) between two points, clipped to the ends."""
    if len(own.x) == 1:
        flat = graph.add("Mul", column, graph.real(0.0))
        return graph.add("Add", flat, graph.real(float(own.y[0])))
    inside = graph.add(
        "Min", graph.add("Max", column, graph.real(float(own.x[0]))), graph.real(float(own.x[-1]))
    )
    passed = _count(graph, graph.add("GreaterOrEqual", inside, graph.reals(own.x[np.newaxis, 1:-1])))
    place = graph.add("Cast", passed, to="int64")
    x, y, slope = (
        graph.add("Gather", graph.reals(values), place)
        for values in (own.x[:-1], own.y[:-1], np.diff(own.y) / np.diff(own.x))
    )
    return graph.add("Add", y, graph.add("Mul", graph.add("Sub", inside, x), slope))


def _count(graph: Graph, mask: str) -> str:
    """Return the number of entries of each row that are true, (n, 1)."""
    return graph.add("ReduceSum", graph.add("Cast", mask, to="float64"), graph.integers([1]), keepdims=1)
