"""Blocks that know only w reach the optimum of the whole, and their sums are those of their alphas.

Tests `solvers/cocoa/rows.py`, `solvers/cocoa/tuning.py`.
"""

from __future__ import annotations

import numpy as np
import pytest

from separatrix.problem import HINGE, SQUARED_HINGE, Problem
from separatrix.problem.losses import Loss
from separatrix.solvers.cocoa.solver import BlockDescent


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
        BlockDescent(
            [X[s] for s in spans],
            np.concatenate([y[s] for s in spans]),
            np.concatenate([C[s] for s in spans]),
            loss,
            sigma=2.0,
        )
        for spans in parts
    ]
    before = -np.inf
    for _ in range(400):
        w = blocks[0].sums.v + blocks[1].sums.v
        for block in blocks:
            block.improve(w, 0.0, epochs=2)
            block.span()
            block.follow(np.zeros(0))
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
    block = BlockDescent([X], y, problem.C, SQUARED_HINGE, sigma=1.0)
    for _ in range(3):
        block.improve(block.sums.v, 0.0, epochs=1)
        block.span()
        block.follow(np.zeros(0))
    proposed = block.improve(block.sums.v, 0.0, epochs=1)
    v, span = block.sums.v + proposed.change, block.span()
    proposal, moves = block.proposal, len(span.s)
    assert proposal is not None
    c = 1e-3 * rng.standard_normal(moves)
    images = span.images.astype(float)
    H = span.curvature + images @ images.T
    expected = problem.dual(proposal) + c @ (span.slope - images @ v) - 0.5 * c @ H @ c
    sums = block.follow(c)
    assert problem.dual(block.alpha) == pytest.approx(expected, rel=1e-6)
    assert sums.v == pytest.approx(v + c @ images, rel=1e-4, abs=1e-5)  # nothing was clipped
    assert block.back().dual == pytest.approx(proposed.dual)


def test_a_clipped_step_is_known_to_its_own_block() -> None:
    """Alone, a block goes on from where it is, whatever w others were told to expect."""
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((60, 4)), np.where(rng.random(60) > 0.5, 1.0, -1.0)
    block = BlockDescent([X], y, np.ones(60), HINGE, sigma=1.0)
    start = block.improve(block.sums.v, 0.0, epochs=1)
    v, span = block.sums.v + start.change, block.span()
    c = np.full(len(span.s), 0.4)  # far beyond the bounds of some rows
    sums = block.follow(c)
    expected = v + c @ span.images
    assert np.abs(sums.v - expected).max() > 1e-2
    proposed = block.improve(expected, 0.0, epochs=1)
    assert block.proposal is not None
    whole = X.T @ (block.proposal * y)
    assert sums.v + proposed.change == pytest.approx(whole, abs=1e-4)


def test_parts_mix_like_one() -> None:
    """Rows with much in common, in one part and in eight: about as many epochs."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((800, 30)) + 3.0
    y = np.where((X - 3.0)[:, 0] + 0.8 * rng.standard_normal(800) > 0, 1.0, -1.0)
    whole = Problem(X, y, np.full(800, 0.01), HINGE, "none")

    def gap_after(parts: int) -> float:
        cuts = [X[first : first + 800 // parts] for first in range(0, 800, 800 // parts)]
        block = BlockDescent(cuts, y, whole.C, HINGE, sigma=1.0)
        for _ in range(10):
            block.improve(block.sums.v, 0.0, epochs=5)
            block.follow(np.zeros(0))
        return whole.primal(block.sums.v, 0.0) - whole.dual(block.alpha)

    assert gap_after(8) < 3.0 * gap_after(1) + 1e-9
