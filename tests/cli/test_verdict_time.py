"""The time limit of a verdict is kept within compiled code too.

Tests `cli/verdicts.py`, `cli/progress.py`, and that the active-set method of the core hears signals.
"""

from __future__ import annotations

import time

import numpy as np
import pytest

from separatrix.cli.inputs import Table
from separatrix.cli.progress import TimeUp, at_most
from separatrix.cli.verdicts import decide
from separatrix.solvers.active_set import ActiveSet

LIMIT, LATE = 0.3, 3.0  # seconds; without a question in between the first takes nine, the second much longer


def test_a_long_call_of_the_active_set_hears_the_alarm():
    rng = np.random.default_rng(0)
    V = rng.normal(size=(8000, 1200))
    V[:, 0] += 1.5
    engine = ActiveSet(1200, False)
    engine.add(V, np.ones(len(V)))
    began = time.perf_counter()
    with pytest.raises(TimeUp), at_most(LIMIT):
        engine.solve(100_000)
    assert time.perf_counter() - began < LATE


def test_the_verdict_on_many_columns_ends_in_time():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 700))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=len(X)) > 0, 1, -1)
    began = time.perf_counter()
    verdicts = decide(Table(X, y, "rows", "npy", None, None), "ovr", True, LIMIT)
    assert verdicts.undecided
    assert time.perf_counter() - began < LATE


def test_an_engine_that_was_interrupted_goes_on_to_the_same_point():
    rng = np.random.default_rng(1)
    V = rng.normal(size=(4000, 300))
    V[:, 0] += 6.0
    whole, cut = ActiveSet(300, False), ActiveSet(300, False)
    for engine in (whole, cut):
        engine.add(V, np.ones(len(V)))
    assert whole.solve(100_000) == 0
    outcome, seconds = 2, 0.0
    while outcome == 2:
        seconds += 0.01
        try:
            with at_most(seconds):
                outcome = cut.solve(100_000)
        except TimeUp:
            continue
    np.testing.assert_array_equal(cut.point, whole.point)
