"""Scores of new rows against planes: right to rounding, and the same for a row whatever rows come with it."""

import numpy as np
import pytest
from scipy import sparse

from separatrix import SVC
from separatrix.fitting.predicting import raw_scores

KINDS = {
    "dense": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sparse.csr_array,
    "csr, long indices": lambda X: _long(sparse.csr_array(X)),
    "columns first": np.asfortranarray,
}


def _long(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("n", "d", "planes"), [(1, 1, 1), (9, 3, 2), (67, 13, 8), (130, 20, 9), (5, 40, 23), (0, 4, 3)]
)
def test_scores_are_products_and_do_not_depend_on_other_rows(kind, n, d, planes):
    rng = np.random.default_rng(n + d)
    X = KINDS[kind](rng.normal(size=(n, d)).astype(np.float32).astype(np.float64))
    W, b = rng.normal(size=(planes, d)), rng.normal(size=planes)
    found = raw_scores(X, W, b)
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    bound = (d + 2) * 2.0**-52 * (np.abs(dense) @ np.abs(W.T) + np.abs(b))
    assert found.shape == (n, planes)
    assert (np.abs(found - (dense @ W.T + b)) <= bound).all()
    for i in range(n):
        assert (raw_scores(X[[i]], W, b) == found[i]).all()
    some = rng.permutation(n)[: n // 2 + 1]
    assert (raw_scores(X[some], W, b) == found[some]).all()


def test_a_value_that_overflows_stays_in_its_row():
    X = np.array([[1.0, 1.0], [1e308, 1e308], [np.nan, 0.0], [0.5, 0.25]])
    W = np.array([[1.0, 2.0], [10.0, 10.0], [1.0, -1.0]])
    found = raw_scores(X, W, np.zeros(3))
    assert np.isinf(found[1, :2]).all()
    assert found[1, 2] == 0
    assert np.isnan(found[2]).all()
    assert (found[[0, 3]] == X[[0, 3]] @ W.T).all()


def test_a_tie_between_classes_is_settled_alike_in_every_batch():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 7)), np.repeat([0, 1, 2], 20)
    model = SVC().fit(X, y)
    model.coef_[1] = model.coef_[0]
    model.intercept_[1] = model.intercept_[0]
    together = model.predict(X)
    assert (together == [model.predict(row[None])[0] for row in X]).all()
