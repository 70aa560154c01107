"""SVC(scaling=...): the scaled problem is that of a pipeline, and everything else takes rows as they come."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

import separatrix as sx
from separatrix.problem.scaling import scaling_of

X, Y = load_wine(return_X_y=True)
TWO_X, TWO_Y = load_breast_cancer(return_X_y=True)
SCALERS = {"standard": StandardScaler, "range": MinMaxScaler}


def certificates(model):
    found = model.certificate_
    return list(found.values()) if isinstance(found, dict) else [found]


@pytest.mark.parametrize("kind", SCALERS)
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "crammer-singer"])
def test_the_model_is_that_of_a_pipeline(kind, kernel, multi_class):
    options = {"kernel": kernel, "multi_class": multi_class, "tol": 1e-6}
    ours = sx.SVC(scaling=kind, **options).fit(X, Y)
    theirs = make_pipeline(SCALERS[kind](), sx.SVC(**options)).fit(X, Y)
    assert ours.primal_ == pytest.approx(theirs[-1].primal_, rel=1e-5)
    assert np.mean(ours.predict(X) == theirs.predict(X)) >= 0.99
    for proof in certificates(ours):
        for exact in (True, False):
            assert sx.verify(proof, X, Y, exact=exact), proof.claim


@pytest.mark.parametrize("kind", SCALERS)
def test_shift_and_factor_are_those_of_scikit_learn(kind):
    found, theirs = scaling_of(X, kind), SCALERS[kind]().fit(X)
    np.testing.assert_allclose(found.apply(X), theirs.transform(X), rtol=1e-9, atol=1e-12)


def test_sparse_rows_are_divided_and_not_shifted():
    rows = sparse.csr_array(np.where(np.median(TWO_X, axis=0) < TWO_X, TWO_X, 0.0))
    for kind, theirs in (("standard", StandardScaler(with_mean=False)), ("range", MaxAbsScaler())):
        found = scaling_of(rows, kind)
        assert not found.shift.any()
        np.testing.assert_allclose(
            found.apply(rows).toarray(), theirs.fit_transform(rows).toarray(), rtol=1e-12
        )
    model = sx.SVC(scaling="standard").fit(rows, TWO_Y)
    assert sparse.issparse(model.support_vectors_)
    assert sx.verify(model.certificate_, rows, TWO_Y, exact=True)
    assert sx.verify(model.certificate_, rows.toarray(), TWO_Y, exact=False)
    np.testing.assert_allclose(
        model.decision_function(rows), model.decision_function(rows.toarray()), atol=1e-10
    )


def test_a_fit_of_dense_rows_takes_sparse_ones():
    model = sx.SVC(scaling="standard", kernel="rbf").fit(X, Y)
    np.testing.assert_allclose(
        model.decision_function(sparse.csr_array(X)), model.decision_function(X), atol=1e-10
    )
    for proof in certificates(model):
        assert sx.verify(proof, sparse.csr_array(X), Y)


def test_single_precision_is_scaled_in_double():
    single = TWO_X.astype(np.float32)
    model = sx.SVC(scaling="standard").fit(single, TWO_Y)
    assert np.array_equal(model.scaling_.apply(single), model.scaling_.apply(single.astype(np.float64)))
    assert sx.verify(model.certificate_, single, TWO_Y, exact=True)
    assert sx.verify(model.certificate_, single.astype(np.float64), TWO_Y, exact=True)


@given(
    hnp.arrays(np.float64, (5, 3), elements=st.floats(-1e300, 1e300)),
    st.sampled_from(["standard", "range"]),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_any_rows_up_to_1e300_are_scaled(rows, kind, is_sparse):
    given_rows = sparse.csr_array(rows) if is_sparse else rows
    found = scaling_of(given_rows, kind)
    scaled = found.apply(given_rows)
    dense = scaled.toarray() if is_sparse else scaled
    assert np.isfinite(dense).all()
    assert np.all(found.factor > 0)
    assert np.array_equal(dense, (rows - found.shift) * found.factor)
    constant = rows.min(axis=0) == rows.max(axis=0)
    assert np.all(found.factor[constant] == 1.0)
    if not is_sparse:
        # Of five rows none is farther than two standard deviations from the mean, which may itself be rounded.
        assert np.abs(dense).max() <= (1.0 if kind == "range" else 5.0)
        assert not dense[:, constant].any()


def test_a_column_beyond_the_range_of_doubles_is_refused():
    with pytest.raises(ValueError, match="Column 0 of X runs from"):
        sx.SVC(scaling="range").fit([[-1.7e308], [1.7e308], [0.0]], [0, 1, 0])
    with pytest.raises(ValueError, match="beyond the largest double"):
        sx.SVC(scaling="standard").fit([[-1.7e308], [1.7e308], [-1.7e308]], [0, 1, 0])


def test_a_constant_column_becomes_zero_and_rounding_is_no_spread():
    rows = np.column_stack([np.arange(10.0), np.full(10, 0.1), np.full(10, 1e300)])
    model = sx.SVC(scaling="standard").fit(rows, np.arange(10) > 4)
    assert model.scaling_.factor[1:].tolist() == [1.0, 1.0]
    assert not model.scaling_.apply(rows)[:, 1:].any()
    assert not model.coef_[0, 1:].any()


def test_weights_count_rows():
    rng = np.random.default_rng(0)
    times = rng.integers(0, 4, len(TWO_Y))
    for kind in SCALERS:
        weighted = scaling_of(TWO_X, kind, times.astype(float))
        repeated = scaling_of(np.repeat(TWO_X, times, axis=0), kind)
        np.testing.assert_allclose(weighted.shift, repeated.shift, rtol=1e-12)
        np.testing.assert_allclose(weighted.factor, repeated.factor, rtol=1e-12)
        apart = scaling_of(sparse.csr_array(TWO_X), kind, times.astype(float))
        np.testing.assert_allclose(
            apart.factor, scaling_of(sparse.csr_array(np.repeat(TWO_X, times, 0)), kind).factor
        )
    model = sx.SVC(scaling="standard").fit(TWO_X, TWO_Y, sample_weight=times)
    assert sx.verify(model.certificate_, TWO_X, TWO_Y, exact=False)


def test_the_hard_margin_of_scaled_rows_and_its_absence():
    rows, labels = X[Y < 2], Y[Y < 2]
    model = sx.SVC(math.inf, scaling="standard").fit(rows, labels)
    assert model.certificate_.kind == "separating"
    assert sx.verify(model.certificate_, rows, labels, exact=True)
    with pytest.raises(sx.InseparableError) as caught:
        sx.SVC(math.inf, scaling="range").fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    proof = caught.value.separability.certificate
    assert sx.verify(proof, np.array([[0.0], [1.0], [2.0]]), [0, 1, 0])
    assert sx.verify(pickle.loads(pickle.dumps(proof)), np.array([[0.0], [1.0], [2.0]]), [0, 1, 0])


def test_the_certificate_is_about_rows_as_they_come():
    model = sx.SVC(scaling="standard").fit(TWO_X, TWO_Y)
    plain = sx.SVC().fit(TWO_X, TWO_Y, sample_weight=np.ones(len(TWO_Y)))
    assert model.certificate_.data.X == plain.certificate_.data.X
    assert not sx.verify(model.certificate_, model.scaling_.apply(TWO_X), TWO_Y)
    assert "every entry x of a column as (x - shift) * factor" in model.certificate_.claim
    assert "scaling" not in plain.certificate_.problem
    assert sx.verify(model.certificate_, TWO_X, TWO_Y, expect={"C": 1.0, "rows": "all", "scaling": "given"})
    assert not sx.verify(model.certificate_, TWO_X, TWO_Y, expect={"scaling": "none"})
    assert sx.verify(plain.certificate_, TWO_X, TWO_Y, expect={"scaling": "none"})
    assert not sx.verify(plain.certificate_, TWO_X, TWO_Y, expect={"scaling": "given"})


@pytest.mark.parametrize("exact", [True, False])
def test_a_changed_scaling_is_rejected(exact):
    document = sx.SVC(scaling="standard").fit(TWO_X, TWO_Y).certificate_.body()
    for name, value in (("shift", 0.0), ("shift", 15.0), ("factor", 1.0), ("factor", -1.0), ("factor", 0.0)):
        changed = json.loads(json.dumps(document))
        changed["problem"]["scaling"][name]["values"][3] = float(value).hex()
        proof = sx.Certificate(
            changed["kind"],
            changed["claim"],
            sx.SVC(scaling="standard").fit(TWO_X, TWO_Y).certificate_.data,
            changed["problem"],
            changed["proof"],
        )
        assert not sx.verify(proof, TWO_X, TWO_Y, exact=exact), (name, value)


def test_rows_that_are_changed_after_the_fit_are_noticed():
    for kernel in ("linear", "rbf"):
        rows = TWO_X.copy()
        model = sx.SVC(scaling="range", kernel=kernel).fit(rows, TWO_Y)
        rows[5, 5] += 1e-9
        with pytest.raises(ValueError, match="changed after the fit"):
            _ = model.certificate_


def test_a_path_and_folds_scale_by_their_training_rows():
    found = sx.path(TWO_X, TWO_Y, [0.1, 1.0], scaling="standard")
    assert all(sx.verify(proof, TWO_X, TWO_Y) for proof in found.certificates)
    search = sx.SVCCV(Cs=[0.1, 1.0], scaling="range", kernel="rbf", gammas=[0.1, 1.0], cv=3).fit(TWO_X, TWO_Y)
    for fold, (train, test) in enumerate(search.splits_):
        for g, gamma in enumerate([0.1, 1.0]):
            alone = sx.SVC(1.0, scaling="range", kernel="rbf", gamma=gamma).fit(TWO_X[train], TWO_Y[train])
            assert alone.score(TWO_X[test], TWO_Y[test]) == pytest.approx(
                search.scores_[g, 1, fold], abs=0.006
            )
    assert search.best_estimator_.scaling_ is not None


def test_a_warm_start_ends_where_a_cold_one_does():
    model = sx.SVC(0.1, scaling="standard", solver="coordinate-descent", warm_start=True).fit(TWO_X, TWO_Y)
    warm = model.set_params(C=1.0).fit(TWO_X, TWO_Y)
    assert warm.primal_ == pytest.approx(sx.SVC(scaling="standard").fit(TWO_X, TWO_Y).primal_, rel=1e-3)
    assert sx.verify(warm.certificate_, TWO_X, TWO_Y)


def test_audit_and_validation_see_the_scaled_problem():
    model = sx.SVC(scaling="standard").fit(TWO_X, TWO_Y)
    found = sx.audit(model, TWO_X, TWO_Y)
    assert found.gap < 1e-6
    assert sx.verify(found.certificate, TWO_X, TWO_Y)
    gone = sx.validation.removal(
        model, TWO_X, TWO_Y, int(np.flatnonzero((model.alpha_ == 0) & (model.slack_ == 0))[0])
    )
    assert gone
    assert sx.verify(gone.certificate, TWO_X, TWO_Y)
    rows = TWO_X[:100]
    small = sx.SVC(scaling="standard").fit(rows, TWO_Y[:100])
    plain = sx.SVC().fit(small.scaling_.apply(rows), TWO_Y[:100])
    ours, theirs = (
        sx.validation.leave_one_out(m, r, TWO_Y[:100])
        for m, r in ((small, rows), (plain, small.scaling_.apply(rows)))
    )
    assert np.array_equal(ours.errors, theirs.errors)
    with pytest.raises(ValueError, match="support vectors of the model"):
        sx.validation.check_unseen(model, TWO_X[model.support_[:1]])
    with pytest.raises(ValueError, match="scaling='standard'"):
        sx.validation.robustness_radius(model, TWO_X)


@pytest.mark.parametrize("bad", ["Standard", True, 1, "minmax"])
def test_other_words_are_refused(bad):
    with pytest.raises(sx.ParameterError, match="scaling must be None, 'standard', 'range'"):
        sx.SVC(scaling=bad).fit(X, Y)


def test_kernel_values_have_no_columns():
    with pytest.raises(sx.ParameterError, match="precomputed"):
        sx.SVC(scaling="standard", kernel="precomputed").fit(X @ X.T, Y)
