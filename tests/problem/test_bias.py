"""The interval of best biases against a search, and the bias nearest to a wish.

Tests `problem/losses.py`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.problem import HINGE, LOSSES, SQUARED_HINGE, best_bias, bias_interval


def phi(b, f, y, C, loss):
    return float(C @ loss.values(y * (f + b)))


@st.composite
def scored_rows(draw):
    n = draw(st.integers(2, 12))
    values = st.integers(-8, 8).map(lambda k: k / 4)
    f = np.array(draw(st.lists(values, min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)))
    C = np.array(draw(st.lists(st.sampled_from([0.25, 1.0, 3.0]), min_size=n, max_size=n)))
    y[0], y[1] = 1.0, -1.0
    return f, y, C


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@given(rows=scored_rows())
def test_the_interval_holds_exactly_the_minimisers(loss, rows):
    f, y, C = rows
    lower, upper = bias_interval(f, y, C, loss)
    assert lower <= upper
    grid = np.linspace(-5, 5, 2001)
    values = np.array([phi(b, f, y, C, loss) for b in grid])
    best = min(phi(lower, f, y, C, loss), phi(upper, f, y, C, loss))
    assert best <= values.min() + 1e-12
    assert phi((lower + upper) / 2, f, y, C, loss) == pytest.approx(best, abs=1e-12)
    for outside in (lower - 1e-3, upper + 1e-3):
        assert phi(outside, f, y, C, loss) > best


def test_one_class_only_is_flat_out_to_infinity():
    f, C = np.array([0.5, 1.5]), np.ones(2)
    assert bias_interval(f, np.ones(2), C, HINGE) == (0.5, np.inf)
    assert bias_interval(f, -np.ones(2), C, HINGE) == (-np.inf, -2.5)
    assert bias_interval(f, np.ones(2), C, SQUARED_HINGE) == (0.5, np.inf)
    assert bias_interval(f, -np.ones(2), C, SQUARED_HINGE) == (-np.inf, -2.5)


def test_best_bias_is_the_minimiser_nearest_to_the_wish():
    f, y, C = np.array([2.0, -2.0]), np.array([1.0, -1.0]), np.ones(2)
    assert best_bias(f, y, C, HINGE, near=0.5) == 0.5
    assert best_bias(f, y, C, HINGE, near=7.0) == 1.0
