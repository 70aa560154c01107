"""Primal, dual and gap of the joint multi-class SVM recomputed from the data, whatever a solver claims.

A dual point must have rows that sum to zero and, with a free bias, columns that do. Both are met exactly: the weights
beta_im = -A_im of the other classes are rounded to whole multiples of a power of two, a row's own entry is their sum,
and column sums are made zero by taking weight away along a flow between classes,

    excess of class m  ->  class j :   lower beta_ij of rows of class m,

which always exists, because taking away everything is such a flow.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import JointPoint, JointProblem, JointSolution, Status
from separatrix.problem.problem import relative_gap
from separatrix.types import Vector

_BITS = 52  # of the largest weight of a row, or fewer: sums over all rows must be exact in 62
_Ints = NDArray[np.int64]


def certify_joint(problem: JointProblem, point: JointPoint) -> JointSolution:
    """Make a proposal feasible and compute primal, dual and gap from the data.

    A of the solution is exactly feasible; its W is A^T X, or the proposal's own, with its own b, where that is better.
    """
    A = feasible(problem, np.nan_to_num(point.A, nan=0.0, posinf=0.0, neginf=0.0))
    space, W = problem.space, _finite(point.W)
    given = np.zeros(problem.n_classes) if problem.bias == "none" else _finite(point.b)
    image = space.combine(A)
    F = space.products(image)
    b = np.zeros(problem.n_classes)
    if problem.bias == "augmented":
        b = A.sum(axis=0)
    elif problem.bias == "free" and given is not None:
        b = given.copy()
    primal, dual = problem.primal(float(np.vdot(A, F)), F, b), problem.dual(A, F)
    own = space.vector(image)
    own = None if own is None else np.ascontiguousarray(own.T)
    if own is not None and W is not None and given is not None and W.shape == own.shape:
        theirs = problem.primal(float(np.vdot(W, W)), space.products(W.T), given)
        if theirs < primal:
            primal, own, b = theirs, W, given
    gap = relative_gap(primal, dual)
    return JointSolution(own, b, A, primal=primal, dual=dual, gap=gap, status=Status.MAX_ITER)


def _finite(values: Vector | None) -> Vector | None:
    return None if values is None or not np.all(np.isfinite(values)) else values


def feasible(problem: JointProblem, A: Vector) -> Vector:
    """The nearest exactly feasible dual point that the rounding and the flow give.

    >>> problem = JointProblem(np.eye(3), np.array([0, 1, 2]), np.ones(3), 3, "free")
    >>> A = feasible(problem, np.array([[0.3, -0.2, -0.1], [-0.1, 0.1, 0.0], [0.0, -0.1, 0.1]]))
    >>> A.sum(axis=0).tolist(), A.sum(axis=1).tolist()
    ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    """
    beta = np.maximum(-A, 0.0)
    beta[problem.own] = 0.0
    over = beta.sum(axis=1) / problem.C
    beta /= np.maximum(over, 1.0)[:, None]
    bits = min(_BITS, 62 - int(problem.n_rows).bit_length())
    unit = 2.0 ** (np.frexp(float(beta.sum(axis=1).max(initial=0.0)))[1] - bits)
    limit = np.minimum(np.floor(problem.C / unit), 2.0**62).astype(np.int64)
    whole = np.floor(beta / unit + 0.5).astype(np.int64)
    for _ in range(problem.n_classes):  # rounding up may pass C by a few units
        excess = np.maximum(whole.sum(axis=1) - limit, 0)
        if not excess.any():
            break
        largest = whole.argmax(axis=1)
        rows = np.arange(len(whole))
        whole[rows, largest] -= np.minimum(excess, whole[rows, largest])
    if problem.bias == "free":
        _balance(whole, problem.codes, limit)
    out = np.asarray(0.0 - whole * unit, dtype=np.float64)
    out[problem.own] = whole.sum(axis=1) * unit
    return out


def _balance(beta: _Ints, codes: NDArray[np.int64], limit: _Ints) -> None:
    """Lower weights (n, k) in place until what each class gives equals what it takes.

    Rows below their bound give first: they lie on their margin, and lose nothing to first order.
    """
    full = beta.sum(axis=1) >= limit
    k = beta.shape[1]
    capacity = np.zeros((k, k), dtype=np.int64)
    np.add.at(capacity, codes, beta)
    # Class m holds what its rows give, less what the rows of other classes take from it.
    excess = capacity.sum(axis=1) - capacity.sum(axis=0)
    for m, j, amount in _flow(capacity, excess):
        giving = (codes == m) & (beta[:, j] > 0)
        for rows in (np.flatnonzero(giving & ~full), np.flatnonzero(giving & full)):
            share = min(amount, int(beta[rows, j].sum()))
            if share:
                _lower(beta, rows, j, share)
            amount -= share


def _flow(capacity: _Ints, excess: _Ints) -> list[tuple[int, int, int]]:
    """Amounts to move from class to class so that no excess is left: shortest augmenting paths."""
    k = len(excess)
    left, moved, excess = capacity.copy(), np.zeros_like(capacity), excess.copy()
    while (sources := np.flatnonzero(excess > 0)).size:
        before = {int(sources[0]): -1}
        queue, end = deque(before), -1
        while queue and end < 0:
            m = queue.popleft()
            for j in range(k):
                if j not in before and (left[m, j] > 0 or moved[j, m] > 0):
                    before[j] = m
                    queue.append(j)
                    if excess[j] < 0:
                        end = j
                        break
        assert end >= 0, "taking away every weight would balance the classes"
        path = [end]
        while before[path[-1]] >= 0:
            path.append(before[path[-1]])
        steps = list(zip(path[:0:-1], path[-2::-1], strict=True))
        room = [int(left[m, j] + moved[j, m]) for m, j in steps]
        amount = min(*room, int(excess[path[-1]]), int(-excess[end]))
        for m, j in steps:
            back = min(amount, int(moved[j, m]))
            moved[j, m] -= back
            left[j, m] += back
            moved[m, j] += amount - back
            left[m, j] -= amount - back
        excess[path[-1]] -= amount
        excess[end] += amount
    return [(int(m), int(j), int(moved[m, j])) for m, j in zip(*np.nonzero(moved), strict=True)]


def _lower(beta: _Ints, rows: NDArray[np.intp], j: int, amount: int) -> None:
    """Take an amount from the weights of some rows, in proportion; the rest from the largest."""
    weights = beta[rows, j]
    total = int(weights.sum())
    taken = np.minimum(weights, np.floor(weights * (amount / total)).astype(np.int64))
    rest = amount - int(taken.sum())
    for place in np.argsort(-(weights - taken), kind="stable") if rest > 0 else ():
        more = min(rest, int(weights[place] - taken[place]))
        taken[place] += more
        rest -= more
        if not rest:
            break
    beta[rows, j] = weights - taken
