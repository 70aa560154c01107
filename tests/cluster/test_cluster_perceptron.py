"""Iterative parameter mixing: it separates what can be separated, within the bound of its theorem.

Tests `dask/perceptron.py`, `dask/parameter_mixing.py`.
"""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import separatrix as sx
from separatrix.dask import Perceptron
from separatrix.errors import ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


def separable(n: int = 400, d: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((3 * n, d))
    score = X @ np.array([1.0, -2.0, 0.5, 1.0]) + 0.4
    keep = np.abs(score) > 0.3
    return X[keep][:n], np.where(score > 0, "up", "down")[keep][:n]


@pytest.mark.parametrize("bias", ["unit", "radius"])
def test_separable_rows(client: Any, bias: str) -> None:
    X, y = separable()
    A, b = da.from_array(X, chunks=(150, 4)), da.from_array(y, chunks=150)
    model = Perceptron(bias=bias, client=client).fit(A, b)
    assert model.status_ == "converged"
    assert (model.predict(X) == y).all()
    assert (model.predict(A).compute() == y).all()
    assert 0 < model.mixed_updates_ <= model.bound_
    assert model.n_updates_ <= 3 * model.mixed_updates_  # at most three shards: Cauchy-Schwarz
    assert model.history_[-1].mistakes == 0
    assert model.certificate_.kind == "separating"
    assert sx.verify(model.certificate_, X, y, exact=False)


def test_many_classes_and_limits(client: Any) -> None:
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((150, 3)), rng.integers(0, 3, 150)
    with pytest.warns(ConvergenceWarning, match="separable"):
        model = Perceptron(max_epochs=5, output="averaged", client=client).fit(
            da.from_array(X, chunks=(60, 3)), y
        )
    assert model.status_ == "max_iter"
    assert model.coef_.shape == (3, 3)
    assert model.n_epochs_ == 5
    with pytest.raises(AttributeError, match="separate"):
        _ = model.certificate_


def test_what_mixing_cannot_do(client: Any) -> None:
    X, y = separable(40)
    with pytest.raises(ParameterError, match="output"):
        Perceptron(output="voted", client=client).fit(da.from_array(X, chunks=(20, 4)), y)
