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
from separatrix.threads import large_product
from separatrix.types import Vector


@dataclass(frozen=True, eq=False)
class Certified:
    """Points of k problems and their values; a free b is the middle of all best biases."""

    alpha: Vector  #: (k, n)
    w: Vector | None  #: (k, d); None with a kernel
    b: list[float]
    intervals: list[tuple[float, float]]  #: every best bias
    slack: Vector  #: (k, n) max(0, 1 - y_i (w.x_i + b)), where a row takes part
    scores: Vector  #: (k, n) w.x_i, whether a row takes part or not
    squares: list[float]  #: ||w||^2
    primal: list[float]
    dual: list[float]

    def gap(self, index: int) -> float:
        """(primal - dual) / primal of one problem."""
        return relative_gap(self.primal[index], self.dual[index])


def certify_together(
    problems: ProblemSet, alpha: Vector, planes: tuple[Vector, Vector] | None = None, K: Vector | None = None
) -> Certified:
    """Values of the dual at alpha (k, n) and of the primal at the ``planes`` w (k, d), b (k,), from the data.

    alpha is clipped to its bounds and, with a free bias, balanced exactly. Without planes w = sum_i alpha_i y_i x_i
    and b is best for it, as always with a kernel, whose values K (n, n) are given.

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
    sums = signed.sum(axis=1)
    if K is not None:
        used = np.flatnonzero(signed.any(axis=0))  # few, where the problems are of pairs of classes
        with large_product(float(len(signed)) * len(used) * len(K)):
            f = signed[:, used] @ K[used] if 2 * len(used) < len(K) else signed @ K
        w, squares = None, np.einsum("ij,ij->i", signed, f)
        dual_squares = squares
    else:
        v = weighted_sum(problems.X, signed.T).T
        w = v if planes is None else np.where(np.isfinite(planes[0]), planes[0], v)
        f = scores(problems.X, w.T).T
        squares, dual_squares = np.einsum("ij,ij->i", w, w), np.einsum("ij,ij->i", v, v)
    if problems.bias == "free":
        intervals = _best_biases(problems, f, signs)
        b = np.array([middle(interval) for interval in intervals])
    else:
        b = np.zeros(len(f)) if problems.bias == "none" else sums if planes is None else planes[1]
        intervals = [(each, each) for each in b.tolist()]
    slack = np.maximum(0.0, 1.0 - signs * (f + b[:, np.newaxis]))
    primal = 0.5 * squares + np.einsum("ij,ij->i", C, slack * slack if squared else slack)
    dual = alpha.sum(axis=1) - 0.5 * dual_squares
    if squared:
        dual -= 0.25 * np.divide(alpha * alpha, C, out=np.zeros_like(C), where=C > 0).sum(axis=1)
    if problems.bias == "augmented":
        primal += 0.5 * b * b
        dual -= 0.5 * sums * sums
    lists = (values.tolist() for values in (squares, primal, dual))
    return Certified(alpha, w, b.tolist(), intervals, slack, f, *lists)


def _best_biases(problems: ProblemSet, f: Vector, signs: Vector) -> list[tuple[float, float]]:
    """All best biases of each problem."""
    intervals = []
    for i, scored in enumerate(f):
        y, cost = signs[i], problems.C[i]
        if problems.loss.squared and not cost.all():
            rows = problems.rows(i)
            scored, y, cost = scored[rows], y[rows], cost[rows]
        intervals.append(bias_interval(scored, y, cost, problems.loss))
    return intervals
