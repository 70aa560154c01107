"""C = inf: the widest slab, or the proof that there is none.

Tests `fitting/hard_margin.py`.
"""

import pickle

import numpy as np
import pytest
from scipy import sparse

import separatrix as sx
from separatrix.errors import InseparableError, ParameterError

INF = float("inf")
AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def separated(n=200, d=5, gap=0.1, seed=0):
    rng = np.random.default_rng(seed)
    w = rng.normal(size=d)
    w /= np.linalg.norm(w)
    X = rng.normal(size=(n, d))
    y = np.where(X @ w > 0.3, 1, -1)
    return X + gap * y[:, np.newaxis] * w, y


def test_the_slab_of_and_by_hand():
    """x1 + x2 = 3/2 with (0,1), (1,0) on one side and (1,1) on the other: w = (2, 2), b = -3."""
    model = sx.SVC(C=INF).fit(AND, [0, 0, 0, 1])
    np.testing.assert_allclose(model.coef_, [[2.0, 2.0]])
    np.testing.assert_allclose(model.intercept_, [-3.0])
    np.testing.assert_allclose(model.alpha_, [0.0, 2.0, 2.0, 4.0], atol=1e-12)
    assert model.margin_ == pytest.approx(np.sqrt(2) / 4)
    assert model.slab_width_ == pytest.approx(np.sqrt(2) / 2)
    assert model.C_hard_ == pytest.approx(4.0)
    assert model.support_kind_.tolist() == ["margin"] * 3
    assert not model.slack_.any()
    assert sx.verify(model.certificate_, AND, [0, 0, 0, 1], exact=False)
    assert sx.verify(model.certificate_, AND, [0, 0, 0, 1], exact=True)


@pytest.mark.parametrize("bias", ["free", "none"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)])
def test_every_row_is_outside_the_slab_and_the_gap_is_small(bias, form):
    X, y = separated()
    if bias == "none":
        X, y = X - X.mean(axis=0), np.where((X - X.mean(axis=0)) @ np.arange(1.0, 6.0) > 0, 1, -1)
    X = form(X)
    model = sx.SVC(C=INF, bias=bias).fit(X, y)
    assert model.status_ == "converged"
    assert 0 <= model.gap_ <= 1e-9
    assert np.min(y * model.decision_function(X)) >= 1 - 1e-9
    if bias == "free":
        assert abs(float(model.alpha_ @ y)) <= 1e-9 * model.alpha_.sum()
    lower, upper = sx.separability(X, y, bias=bias == "free").margin
    assert lower * (1 - 1e-9) <= model.margin_ <= upper * (1 + 1e-9)


def test_a_soft_margin_with_c_hard_is_the_same_and_below_it_is_not():
    X, y = separated(n=60)
    hard = sx.SVC(C=INF).fit(X, y)
    same = sx.SVC(C=1.01 * hard.C_hard_, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(same.coef_, hard.coef_, rtol=1e-5)
    softer = sx.SVC(C=0.9 * hard.C_hard_, tol=1e-10).fit(X, y)
    assert softer.primal_ < hard.primal_ * (1 - 1e-6)


def test_c_hard_is_the_least_where_alpha_is_not_unique():
    """Two copies of each end of the slab share alpha: 1/2 for the pair, so 1/4 each is the least maximum."""
    X, y = np.array([[-1.0], [-1.0], [1.0], [1.0]]), [0, 0, 1, 1]
    assert sx.SVC(C=INF).fit(X, y).C_hard_ == pytest.approx(0.25)


def test_inseparable_rows_are_named_and_proved():
    y = np.array([0, 1, 1, 0])
    with pytest.raises(InseparableError, match="Rows 0, 1, 2, 3 contradict each other") as caught:
        sx.SVC(C=INF).fit(AND, y)
    error = caught.value
    assert error.rows.tolist() == [0, 1, 2, 3]
    signs = np.where(y == 1, 1, -1)
    assert sum(int(s) * w for s, w in zip(signs, error.weights, strict=True)) == 0
    assert sx.verify(error.certificate, AND, y, exact=True)
    again = pickle.loads(pickle.dumps(error))
    assert again.rows.tolist() == [0, 1, 2, 3]


def test_touching_classes_have_no_hard_margin():
    with pytest.raises(InseparableError, match="quasi-separable"):
        sx.SVC(C=INF).fit(np.array([[-1.0], [0.0], [0.0], [1.0]]), [0, 0, 1, 1])


def test_a_weight_of_zero_removes_the_row_that_contradicts():
    X, y = np.array([[-2.0], [-1.0], [1.0], [-1.5]]), np.array([0, 0, 1, 1])
    with pytest.raises(InseparableError):
        sx.SVC(C=INF).fit(X, y)
    model = sx.SVC(C=INF).fit(X, y, sample_weight=[1.0, 2.0, 0.5, 0.0])
    assert model.margin_ == pytest.approx(1.0)
    assert model.alpha_[3] == 0
    assert sx.verify(model.certificate_, X, y, exact=True)


def test_many_classes_by_pairs():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0], [0.0, 8.0], [1.0, 8.0]])
    y = np.array(["a", "a", "b", "b", "c", "c"])
    model = sx.SVC(C=INF, multi_class="ovo").fit(X, y)
    assert model.problems_["a", "b"].margin == pytest.approx(2.0)
    assert model.C_hard_.shape == (3,)
    assert model.predict(X).tolist() == y.tolist()
    for certificate in model.certificate_.values():
        assert sx.verify(certificate, X, y, exact=True)


def test_ill_scaled_rows_are_settled_exactly():
    """Columns that differ by 1e12 defeat rounding; the answer is still proved or still an error."""
    X, y = separated(n=40, d=3, seed=3)
    X = X * np.array([1e-6, 1.0, 1e6])
    model = sx.SVC(C=INF).fit(X, y)
    assert model.gap_ <= 1e-6
    assert sx.verify(model.certificate_, X, y, exact=True)


def test_an_augmented_bias_gets_a_sentence():
    with pytest.raises(ParameterError, match="bias='free' or 'none'"):
        sx.SVC(C=INF, bias="augmented").fit(AND, [0, 0, 0, 1])


def test_c_hard_belongs_to_the_hard_margin():
    model = sx.SVC(C=1.0).fit(AND, [0, 0, 0, 1])
    with pytest.raises(AttributeError, match="hard margin"):
        _ = model.C_hard_


def test_rows_beyond_the_active_set_go_to_the_exact_verdict(monkeypatch):
    rng = np.random.default_rng(4)
    X = sparse.random_array((120, 300), density=0.05, rng=rng, format="csr")
    y = np.where(np.arange(120) % 2 == 0, 1, -1)
    X = sparse.csr_array(sparse.hstack([X, y[:, np.newaxis] * 0.5]))
    expected = sx.SVC(C=INF).fit(X, y)
    monkeypatch.setattr("separatrix.solvers.active_set._LARGEST_WORKING_SET", 1000)

    def refuse(*arguments):
        raise AssertionError("the active set was called")

    monkeypatch.setattr("separatrix._core.hard_margin", refuse)
    model = sx.SVC(C=INF).fit(X, y)
    assert model.status_ == "converged"
    assert model.gap_ <= 1e-8
    np.testing.assert_allclose(model.margin_, expected.margin_, rtol=1e-6)


def test_inseparable_rows_beyond_the_active_set_are_named(monkeypatch):
    monkeypatch.setattr("separatrix.solvers.active_set._LARGEST_WORKING_SET", 1)
    with pytest.raises(InseparableError, match="contradict each other"):
        sx.SVC(C=INF).fit(sparse.csr_array(AND), [0, 1, 1, 0])
