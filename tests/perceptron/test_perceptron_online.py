"""partial_fit between pickles, files and fits; streams are in test_streaming.py.

Tests `perceptron/online.py`, `perceptron/partial_fit.py`.
"""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from separatrix import Perceptron
from separatrix.perceptron.passes import to_arrays
from tests.perceptron_data import EIGHT, EIGHT_LABELS


def test_a_model_survives_pickling_and_goes_on_learning():
    X, y = EIGHT, EIGHT_LABELS
    model = Perceptron().partial_fit(X, y, classes=[-1, 1])
    copy = pickle.loads(pickle.dumps(model))
    for _ in range(5):
        model.partial_fit(X[:1], y[:1])
        copy.partial_fit(X[:1], y[:1])
        model.partial_fit(X, y)
        copy.partial_fit(X, y)
    assert np.array_equal(model.coef_, copy.coef_)
    assert np.array_equal(model.predict(X), copy.predict(X))


@pytest.mark.parametrize("output", ["last", "averaged", "pocket"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_state_is_copied_whole(output, classes):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 4))  # past two restarts of the comparator
    y = rng.integers(0, classes, 300)
    state = Perceptron(output=output).partial_fit(X, y)._online.model.groups[0]
    before = to_arrays(state)
    for other in (copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert other.most_updates() == state.most_updates()
        for name, array in to_arrays(other).items():
            assert array.dtype == before[name].dtype
            assert np.array_equal(array, before[name])
        other.w[:] = 0.0
    assert np.array_equal(to_arrays(state)["W"], before["W"])


def test_weights_outlive_their_model():
    model = Perceptron().partial_fit(EIGHT, EIGHT_LABELS)
    coef, values = model.coef_, model.coef_.copy()
    del model
    assert np.array_equal(coef, values)


def test_an_average_cannot_begin_in_the_middle():
    model = Perceptron().fit(EIGHT, EIGHT_LABELS).set_params(output="averaged")
    with pytest.raises(ValueError, match="needs the run from its first row on"):
        model.partial_fit(EIGHT, EIGHT_LABELS)


def test_a_row_too_long_for_its_square_is_named_and_nothing_is_learnt():
    model = Perceptron().partial_fit(EIGHT, EIGHT_LABELS)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="Row 1 has a norm that is not a finite number"):
        model.partial_fit(np.array([[1.0, 2.0], [1e200, 0.0]]), EIGHT_LABELS[:2])
    assert np.array_equal(model.coef_, before)


@pytest.mark.parametrize("form", ["primal", "dual"])
def test_a_first_row_of_zeros_leaves_a_bias_of_the_radius(form):
    X, y = np.array([[0.0], [1.0], [0.0], [3.0], [2.0]]), np.array([1, 0, 1, 0, 0])
    model = Perceptron(bias="radius", form=form)
    for _ in range(20):
        model.partial_fit(X, y)
    assert model.score(X, y) == 1.0
