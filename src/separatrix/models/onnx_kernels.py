"""Kernels as ONNX operators in float64: k(x_i, z_j), shape (n, m), for rows x of the input and constant rows z."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.errors import ModelFileError
from separatrix.models.onnx_graph import Graph
from separatrix.problem.kernels import Laplacian, Linear, Poly, Product, Rbf, Scaled, Sigmoid, Sum


def add_kernel(graph: Graph, kernel: Any, rows: str, vectors: Any) -> str:
    """The name of the node that holds the kernel's values."""
    is_sparse = bool(sparse.issparse(vectors))
    Z = np.asarray(vectors.toarray() if is_sparse else vectors, dtype=np.float64)
    return _add(graph, kernel, rows, Z)


def _add(graph: Graph, kernel: Any, rows: str, Z: NDArray[np.float64]) -> str:
    match kernel:
        case Linear():
            return graph.add("MatMul", rows, graph.reals(Z.T))
        case Poly():
            return graph.add("Pow", _affine(graph, kernel, rows, Z), graph.real(float(kernel.degree)))
        case Sigmoid():
            return graph.add("Tanh", _affine(graph, kernel, rows, Z))
        case Rbf():
            return _decay(graph, _squared_distances(graph, rows, Z), kernel.gamma)
        case Laplacian():
            return _decay(graph, _city_distances(graph, rows, Z), kernel.gamma)
        case Sum():
            return graph.add("Add", _add(graph, kernel.first, rows, Z), _add(graph, kernel.second, rows, Z))
        case Product():
            return graph.add("Mul", _add(graph, kernel.first, rows, Z), _add(graph, kernel.second, rows, Z))
        case Scaled():
            return graph.add("Mul", _add(graph, kernel.kernel, rows, Z), graph.real(kernel.factor))
    raise ModelFileError(f"The kernel {kernel.name!r} has no formula that a graph could compute.")


def _affine(graph: Graph, kernel: Any, rows: str, Z: NDArray[np.float64]) -> str:
    """gamma x.z + coef0."""
    products = graph.add("MatMul", rows, graph.reals(float(kernel.gamma) * Z.T))
    return graph.add("Add", products, graph.real(float(kernel.coef0)))


def _squared_distances(graph: Graph, rows: str, Z: NDArray[np.float64]) -> str:
    """||x||^2 - 2 x.z + ||z||^2, not below 0."""
    norms = graph.add("ReduceSum", graph.add("Mul", rows, rows), graph.integers([1]), keepdims=1)
    products = graph.add("Add", graph.add("MatMul", rows, graph.reals(-2.0 * Z.T)), norms)
    return graph.add("Max", graph.add("Add", products, graph.reals(np.sum(Z * Z, axis=1))), graph.real(0.0))


def _city_distances(graph: Graph, rows: str, Z: NDArray[np.float64]) -> str:
    """sum_c |x_c - z_c|, from an (n, m, d) array of differences."""
    lifted = graph.add("Unsqueeze", rows, graph.integers([1]))
    differences = graph.add("Abs", graph.add("Sub", lifted, graph.reals(Z[None, :, :])))
    return graph.add("ReduceSum", differences, graph.integers([2]), keepdims=0)


def _decay(graph: Graph, distances: str, gamma: Any) -> str:
    return graph.add("Exp", graph.add("Mul", distances, graph.real(-float(gamma))))
