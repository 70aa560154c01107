"""Vectors over rows that a solver needs at a time: memory of a worker whose rows are narrow."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from separatrix.problem import HINGE, LOSSES, Problem
from separatrix.solvers.cocoa.solver import BlockDescent
from separatrix.solvers.interior_point.central_path import CentralPath
from separatrix.solvers.interior_point.normal_equations import PrimalSide
from separatrix.solvers.interior_point.signed_rows import SignedRows

_ROWS = 300_000
_FIXED = 4 << 20  # bytes that do not grow with the rows


def peak_bytes(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def rows_and_signs() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((_ROWS, 3)).astype(np.float32)
    return X, np.where(X[:, 0] + rng.standard_normal(_ROWS) > 0, 1, -1).astype(np.int8)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
def test_an_interior_point_step_keeps_56_bytes_a_row(loss: object) -> None:
    X, y = rows_and_signs()
    C = np.broadcast_to(1.0, _ROWS)
    problem = Problem(X, y, C, loss, "free")  # type: ignore[arg-type]

    def steps() -> None:
        algebra = PrimalSide(SignedRows(problem, in_place=True))
        path = CentralPath.start(algebra, problem.loss, C, np.zeros(4), np.zeros(4), C)
        for _ in range(6):
            assert path.advance()
        assert path.primal() > path.dual() > 0.0

    assert peak_bytes(steps) <= 56 * _ROWS + _FIXED


def test_a_round_of_descent_keeps_24_bytes_a_row_beside_the_core() -> None:
    X, y = rows_and_signs()
    C = np.broadcast_to(1.0, _ROWS)

    def rounds() -> None:
        block = BlockDescent([X[: _ROWS // 2], X[_ROWS // 2 :]], y, C, HINGE, sigma=2.0)
        for _ in range(3):
            block.loss(block.sums.v, 0.0)
            block.improve(block.sums.v, 0.0, epochs=1)
            span = block.span()
            block.follow(np.full(len(span.s), 0.01))
        block.back()

    # Labels and costs of one part in float64, for the core to copy, come before the moves.
    assert peak_bytes(rounds) <= 24 * _ROWS + _FIXED
