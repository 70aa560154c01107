"""Problem: products in every form, weak duality, the augmented bias as a column of ones."""

import numpy as np
import pytest
from scipy import sparse

from separatrix.problem import HINGE, LOSSES, Problem, row_blocks, scores, weighted_sum
from separatrix.problem.problem import relative_gap


def forms(X):
    return {
        "dense64": X.astype(np.float64),
        "dense32": X.astype(np.float32),
        "csr64": sparse.csr_array(X.astype(np.float64)),
        "csr32": sparse.csr_array(X.astype(np.float32)),
    }


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.integers(-4, 5, (300, 7)) / 8 * (rng.random((300, 7)) < 0.6)
    return X, rng.normal(size=7), rng.normal(size=300)


def test_products_agree_in_every_form_and_stay_float64(data):
    X, w, c = data
    for name, form in forms(X).items():
        np.testing.assert_allclose(scores(form, w), X @ w, atol=1e-13, err_msg=name)
        np.testing.assert_allclose(weighted_sum(form, c), X.T @ c, atol=1e-13, err_msg=name)
        assert scores(form, w).dtype == np.float64


def test_blocks_cover_all_rows_in_order(monkeypatch, data):
    monkeypatch.setattr("separatrix.problem.rows._BLOCK_ENTRIES", 50)
    X, w, _ = data
    for form in forms(X).values():
        starts = [rows.start for rows, _ in row_blocks(form)]
        assert len(starts) > 1
        assert starts == sorted(starts)
        np.testing.assert_allclose(scores(form, w), X @ w, atol=1e-13)


def test_int64_indices_are_read():
    X = sparse.csr_array(np.eye(3))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    np.testing.assert_array_equal(scores(X, np.array([1.0, 2.0, 3.0])), [1.0, 2.0, 3.0])


@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_weak_duality(loss, bias, data):
    X, w, _ = data
    rng = np.random.default_rng(1)
    y = np.where(np.arange(300) % 2 == 0, 1.0, -1.0)
    problem = Problem(X, y, rng.uniform(0.1, 2.0, 300), loss, bias)
    alpha = np.repeat(rng.uniform(0, 0.1, 150), 2)  # rows in pairs of opposite labels: balanced
    assert alpha @ y == 0
    b = 0.0 if bias == "none" else 0.3
    assert problem.dual(alpha) <= problem.primal(w, b)


def test_augmented_bias_is_a_column_of_ones(data):
    X, w, _ = data
    y = np.where(np.arange(300) % 3 == 0, 1.0, -1.0)
    C, alpha = np.ones(300), np.full(300, 0.2)
    inside = Problem(X, y, C, HINGE, "augmented")
    outside = Problem(np.column_stack([X, np.ones(300)]), y, C, HINGE, "none")
    assert inside.primal(w, 0.7) == pytest.approx(outside.primal(np.append(w, 0.7), 0.0))
    assert inside.dual(alpha) == pytest.approx(outside.dual(alpha))


def test_take_keeps_rows_together(data):
    X, _, _ = data
    y = np.where(np.arange(300) % 3 == 0, 1.0, -1.0)
    part = Problem(X, y, np.arange(1.0, 301.0), HINGE, "free").take(np.array([4, 9]))
    assert part.n_rows == 2
    np.testing.assert_array_equal(part.C, [5.0, 10.0])
    np.testing.assert_array_equal(part.X, X[[4, 9]])


def test_relative_gap_of_nothing_is_zero():
    assert relative_gap(0.0, 0.0) == 0.0
