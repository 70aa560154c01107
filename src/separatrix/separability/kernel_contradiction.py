"""Rows that contradict each other in the space of a kernel, exactly.

    lambda >= 0, not 0,   sum_i lambda_i y_i = 0 (with a bias),   sum_i lambda_i y_i phi(x_i) = 0

The last line holds if and only if (lambda y).K (lambda y) = 0, K being positive semidefinite. Two equal rows with
opposite labels do it for every kernel. Otherwise floats name the rows, and the null vector of their kernel matrix
is found in integers, which needs exact kernel values: polynomial kernels, and matrices that were given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np

from separatrix.checker.kernels import contradicting, points_of, read_kernel, values_of
from separatrix.problem import Problem
from separatrix.proof.certificate import Certificate, make
from separatrix.proof.fingerprint import Fingerprint
from separatrix.proof.optimal import alone, whose
from separatrix.proof.signed_rows import SignedRows
from separatrix.proof.writing import write_kernel, write_weights
from separatrix.separability.candidates import opposite_pair
from separatrix.separability.lifting import eliminate
from separatrix.types import Index

#: Rows up to which a linear system is solved in integers.
_MOST_ROWS = 120


@dataclass(frozen=True, eq=False)
class KernelContradiction:
    """Proof for an `InseparableError` with a kernel: rows, as the user numbers them, that contradict each other."""

    rows: Index
    weights: tuple[Fraction, ...]  #: lambda > 0, summing to 1
    certificate: Certificate
    verdict: str = "inseparable"


def contradiction(
    problem: Problem,
    candidates: Index,
    fingerprint: Fingerprint,
    positive: Iterable[Any],
    negative: Iterable[Any],
    members: Index,
) -> KernelContradiction | None:
    """Find an exact contradiction: two equal rows, or one among the candidates; None where none is found."""
    assert problem.kernel is not None
    try:
        record = write_kernel(problem.kernel)
    except ValueError:  # a kernel that no certificate holds
        return None
    found = _equal_rows(problem, record) or _null_vector(problem, record, np.sort(candidates))
    if found is None:
        return None
    rows, weights = found
    divisor = gcd(*weights)
    weights = [weight // divisor for weight in weights]
    user_rows = members[rows]
    source, _ = whose(problem, fingerprint, positive, negative, members)
    certificate = make(
        "inseparable",
        source,
        {"bias": problem.bias, "kernel": record, "classes": "two"},
        {"circuit": write_weights(user_rows.tolist(), weights, source.rows)},
        lambda claim: contradicting(claim, len(rows)),
    )
    total = sum(weights)
    return KernelContradiction(user_rows, tuple(Fraction(weight, total) for weight in weights), certificate)


def _equal_rows(problem: Problem, record: dict[str, Any]) -> tuple[Index, list[int]] | None:
    if record["name"] == "function":
        return None
    # With a given matrix, equal rows of it are equal points: K_ii = K_ij = K_jj.
    pair = opposite_pair(SignedRows(problem.X, problem.y, bias=False), np.arange(problem.n_rows))
    return None if pair is None else (np.sort(np.array(pair)), [1, 1])


def _null_vector(problem: Problem, record: dict[str, Any], rows: Index) -> tuple[Index, list[int]] | None:
    kernel = read_kernel(record)
    if kernel.name == "function" or not kernel.exact or not 0 < len(rows) <= _MOST_ROWS:
        return None
    data = alone(problem.take(rows))
    value, k_scale = values_of(kernel, data.scale)
    points, y = points_of(data), data.part
    # Signed: G_ij = y_i y_j (k(x_i, x_j) + 1 with a bias), whose null vector is lambda itself.
    one = 1 << k_scale if problem.bias == "free" else 0
    G = [
        [a * b * (value(x, z)[0] + one) for b, z in zip(y, points, strict=True)]
        for a, x in zip(y, points, strict=True)
    ]
    weights = _positive_null(G)
    return None if weights is None else (rows, weights)


def _positive_null(G: Sequence[Sequence[int]]) -> list[int] | None:
    """Find lambda > 0 in integers with G lambda = 0, for a circuit: without its last row the rest is regular."""
    k = len(G) - 1
    solved = eliminate([row[:k] for row in G[:k]], [-row[k] for row in G[:k]]) if k else ([], 1)
    if solved is None:
        return None
    weights = [*solved[0], solved[1]]
    cancels = not any(sum(a * b for a, b in zip(row, weights, strict=True)) for row in G)
    return weights if cancels and min(weights) > 0 else None
