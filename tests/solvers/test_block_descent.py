"""Blocks that know only w reach the optimum of the whole, and their sums are those of their alphas."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix.problem import HINGE, SQUARED_HINGE, Problem
from separatrix.problem.losses import Loss
from separatrix.solvers.block_descent import BlockDescent


@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_blocks_reach_the_optimum(loss: Loss, dtype: type) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 5)).astype(dtype)
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(80) > 0, 1.0, -1.0)
    C = rng.uniform(0.5, 2.0, 80)
    whole = Problem(X, y, C, loss, "none")
    parts = [[slice(0, 20), slice(20, 40)], [slice(40, 80)]]
    blocks = [
        BlockDescent([Problem(X[s], y[s], C[s], loss, "none") for s in spans], sigma=2.0) for spans in parts
    ]
    before = -np.inf
    for _ in range(400):
        w = blocks[0].sums.v + blocks[1].sums.v
        for block in blocks:
            block.improve(w, 0.0, epochs=2)
            block.span()
            block.move(np.zeros(0))
        alpha = np.concatenate([block.alpha for block in blocks])
        dual = whole.dual(alpha)
        assert dual >= before - 1e-9  # adding up safe moves never hurts
        before = dual
    assert blocks[0].sums.v + blocks[1].sums.v == pytest.approx(whole.weighted_sum(alpha), rel=1e-9, abs=1e-9)
    assert sum(block.loss(w, 0.0) for block in blocks) + 0.5 * w @ w == pytest.approx(whole.primal(w, 0.0))
    assert whole.primal(w, 0.0) - dual <= 1e-3 * dual  # without the step along the last moves it is slow


def test_the_span_predicts_the_dual() -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 6))
    y = np.where(rng.random(40) > 0.5, 1.0, -1.0)
    problem = Problem(X, y, np.full(40, 5.0), SQUARED_HINGE, "none")
    block = BlockDescent([problem], sigma=1.0)
    for _ in range(3):
        block.improve(block.sums.v, 0.0, epochs=1)
        block.move(np.zeros(0))
    sums = block.improve(block.sums.v, 0.0, epochs=1)
    span = block.span()
    proposal, moves = block.proposal, len(span.s)
    c = 1e-3 * rng.standard_normal(moves)
    H = span.curvature + span.images.astype(float) @ span.images.astype(float).T
    expected = problem.dual(proposal) + c @ (span.slope - span.images @ sums.v) - 0.5 * c @ H @ c
    block.move(c)
    assert problem.dual(block.alpha) == pytest.approx(expected, rel=1e-6)
