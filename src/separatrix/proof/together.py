"""Primal, dual and gap of several problems on the same rows, in one pass over them.

The same recomputation from the data as `duality.certify`, for alphas that a solver has put on their bounds already:
products with the rows are taken for all problems at once, and so are the sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.problem.bias import bias_interval, middle
from separatrix.problem.problem import relative_gap
from separatrix.problem.problem_set import ProblemSet
from separatrix.problem.rows import scores, weighted_sum
from separatrix.proof.balance import balance
from separatrix.types import Vector


@dataclass(frozen=True, eq=False)
class Certified:
    """Points of k problems and their values. w follows from alpha; b is the middle of all best biases."""

    alpha: Vector  #: (k, n)
    w: Vector | None  #: (k, d); None with a kernel
    b: list[float]
    intervals: list[tuple[float, float]]  #: every best bias
    slack: Vector  #: (k, n) max(0, 1 - y_i (w.x_i + b)), where a row takes part
    squares: list[float]  #: ||w||^2
    primal: list[float]
    dual: list[float]

    def gap(self, index: int) -> float:
        """(primal - dual) / primal of one problem."""
        return relative_gap(self.primal[index], self.dual[index])


def certify_together(problems: ProblemSet, alpha: Vector, K: Vector | None = None) -> Certified:
    """The values at alpha (k, n) for w = sum_i alpha_i y_i phi(x_i), from the data.

    alpha is clipped to its bounds and, with a free bias, balanced exactly. With a kernel, K (n, n) are its values.

    >>> from separatrix.problem import HINGE
    >>> X, signs = np.array([[1.0], [-1.0]]), np.array([[1, -1]], dtype=np.int8)
    >>> found = certify_together(ProblemSet(X, signs, np.ones((1, 2)), HINGE, "free"), np.array([[0.5, 0.5]]))
    >>> found.primal, found.dual, found.w, found.b
    ([0.5], [0.5], array([[1.]]), [0.0])
    """
    C, signs, squared = problems.C, problems.signs.astype(np.float64), problems.loss.squared
    upper = np.where(C > 0, np.inf, 0.0) if squared else C
    alpha = np.clip(np.nan_to_num(alpha, nan=0.0, posinf=0.0), 0.0, upper)
    if problems.bias == "free":
        for i, part in enumerate(
            alpha
        ):  # sum_i alpha_i y_i is zero exactly, or the dual point bounds nothing
            alpha[i] = balance(part, signs[i], upper[i])
    signed = alpha * signs
    if K is None:
        w = np.ascontiguousarray(weighted_sum(problems.X, signed.T).T)
        f = scores(problems.X, w.T).T
        squares = np.einsum("ij,ij->i", w, w)
    else:
        w, f = None, signed @ K
        squares = np.einsum("ij,ij->i", signed, f)
    intervals, b = _biases(problems, f, signs, signed)
    slack = np.maximum(0.0, 1.0 - signs * (f + b[:, np.newaxis]))
    losses = np.einsum("ij,ij->i", C, slack * slack if squared else slack)
    primal, dual = 0.5 * squares + losses, alpha.sum(axis=1) - 0.5 * squares
    if squared:
        dual -= 0.25 * np.divide(alpha * alpha, C, out=np.zeros_like(C), where=C > 0).sum(axis=1)
    if problems.bias == "augmented":
        primal += 0.5 * b * b
        dual -= 0.5 * b * b
    return Certified(alpha, w, b.tolist(), intervals, slack, squares.tolist(), primal.tolist(), dual.tolist())


def _biases(
    problems: ProblemSet, f: Vector, signs: Vector, signed: Vector
) -> tuple[list[tuple[float, float]], Vector]:
    """All best biases of each problem, and the one that is taken (k,)."""
    if problems.bias == "free":
        intervals = []
        for i, scored in enumerate(f):
            parts = scored, signs[i], problems.C[i]
            if problems.loss.squared and not parts[2].all():
                parts = tuple(part[problems.rows(i)] for part in parts)  # type: ignore[assignment]
            intervals.append(bias_interval(*parts, problems.loss))
        return intervals, np.array([middle(interval) for interval in intervals])
    b = signed.sum(axis=1) if problems.bias == "augmented" else np.zeros(len(f))
    return [(each, each) for each in b.tolist()], b
