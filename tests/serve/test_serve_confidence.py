"""The interval of the running mistake rate: valid at all times at once, by simulation, and the same for any batches."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import zeta

from separatrix.serve.confidence import Drift, RunningRate, boundary, read_drift


def covered(x: np.ndarray, p: np.ndarray, confidence: float) -> bool:
    """Whether the interval held the mean of p at every one of the times: checked after each row."""
    n = np.arange(1, len(x) + 1)
    before = np.concatenate([[0.0], np.cumsum(x)[:-1]])
    V = np.cumsum((x - (before + 0.5) / n) ** 2)
    reach = np.array([boundary(v, (1 - confidence) / 2) for v in V]) / n
    return bool(np.all(np.abs(np.cumsum(x) / n - np.cumsum(p) / n) < reach))


@pytest.mark.parametrize("law", ["constant", "rare", "drifting", "adaptive"])
def test_it_holds_at_all_times_at_once(law):
    # At confidence 0.8, 150 runs of 2000 rows: were the truth missed in a fifth of them, fewer than 105 would hold
    # with probability 1e-3; the boundary is conservative, so that far more do.
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(150):
        n = 2000
        if law == "adaptive":  # the probability of a mistake depends on the mistakes so far
            x, p = np.zeros(n), np.zeros(n)
            for t in range(n):
                p[t] = 0.1 if t < 2 or x[t - 1] + x[t - 2] < 2 else 0.6
                x[t] = rng.random() < p[t]
        else:
            p = {
                "constant": np.full(n, 0.3),
                "rare": np.full(n, 0.003),
                "drifting": np.linspace(0.4, 0.02, n),
            }[law]
            x = (rng.random(n) < p).astype(float)
        held += covered(x, p, 0.8)
    assert held >= 105


def test_it_is_not_wide_for_nothing():
    rate = RunningRate()
    rate.add(np.random.default_rng(0).random(100_000) < 0.05)
    low, high = rate.interval()
    assert low < 0.05 < high
    # an ordinary interval for one fixed time would have 2 * 1.96 * sqrt(0.05 * 0.95 / n)
    assert high - low < 3 * 2 * 1.96 * math.sqrt(0.05 * 0.95 / 100_000)


@given(st.lists(st.booleans(), max_size=60), st.data())
def test_batches_do_not_matter(wrong, data):
    whole, parts = RunningRate(), RunningRate()
    whole.add(wrong)
    start = 0
    while start < len(wrong):
        stop = data.draw(st.integers(start + 1, len(wrong)))
        parts.add(wrong[start:stop])
        start = stop
    assert parts == whole


def test_the_boundary_is_that_of_the_paper():
    # Howard et al. (2021), equations (9) and (10): eta = 2, s = 1.4, c = 1, m = 1
    eta, s, alpha, v = 2.0, 1.4, 0.025, 50.0
    length = s * math.log(math.log(eta * v)) + math.log(zeta(s) / (alpha * math.log(eta) ** s))
    k1, k2 = (eta**0.25 + eta**-0.25) / math.sqrt(2), (math.sqrt(eta) + 1) / 2
    assert boundary(v, alpha) == pytest.approx(
        math.sqrt(k1**2 * v * length + (k2 * length) ** 2) + k2 * length
    )


def test_a_rise_is_noticed_and_chance_is_not():
    rng = np.random.default_rng(1)
    drift = Drift()
    for _ in range(40):
        drift.add((rng.random(500) < 0.05).tolist())
        assert not drift.risen
    for _ in range(3):
        drift.add((rng.random(500) < 0.3).tolist())
    assert drift.risen
    again = read_drift(drift.record())
    assert again.risen
    assert again.record() == drift.record()
    again.add([False] * (Drift.BLOCK - again.now.rows))
    assert again.now.rows == 0
    assert not again.risen
