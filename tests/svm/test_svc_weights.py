"""A weight means repetition: k is k copies, 0 is removal; class weights multiply in.

Tests `fitting/training.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.utils.class_weight import compute_class_weight

from separatrix import SVC, verify


def noisy(seed: int = 0, classes: int = 2) -> tuple[Any, Any, Any]:
    X, y = make_classification(
        80, 5, n_informative=3, n_classes=classes, flip_y=0.2, random_state=seed, n_clusters_per_class=1
    )
    return X, y, np.random.default_rng(seed).integers(0, 4, len(y))


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize(("classes", "multi_class"), [(2, "ovr"), (3, "ovr"), (3, "ovo")])
def test_weight_k_equals_k_copies(
    loss: str, bias: str, class_weight: Any, classes: int, multi_class: str
) -> None:
    X, y, k = noisy(1, classes)
    make = lambda: SVC(  # noqa: E731
        loss=loss, bias=bias, class_weight=class_weight, multi_class=multi_class, random_state=0
    )
    weighted = make().fit(X, y, sample_weight=k)
    copies = make().fit(np.repeat(X, k, axis=0), np.repeat(y, k))
    np.testing.assert_allclose(weighted.coef_, copies.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(weighted.intercept_, copies.intercept_, rtol=1e-6, atol=1e-8)
    assert weighted.primal_ == pytest.approx(copies.primal_, rel=1e-9)


def test_weight_k_equals_k_copies_on_larger_problems() -> None:
    # Beyond the entries up to which problems are solved further than tol: equal to within the gap.
    X, y = make_classification(6000, 10, flip_y=0.2, random_state=0)
    k = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = SVC(tol=1e-5).fit(X, y, sample_weight=k)
    copies = SVC(tol=1e-5).fit(np.repeat(X, k, axis=0), np.repeat(y, k))
    assert weighted.status_ == copies.status_ == "converged"
    assert weighted.primal_ == pytest.approx(copies.primal_, rel=1e-5)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("classes", [2, 3])
def test_weight_zero_equals_removal(multi_class: str, classes: int) -> None:
    X, y, k = noisy(2, classes)
    weight = (k > 0).astype(float)
    keep = weight > 0
    zero = SVC(multi_class=multi_class).fit(X, y, sample_weight=weight)
    removed = SVC(multi_class=multi_class).fit(X[keep], y[keep])
    np.testing.assert_array_equal(zero.coef_, removed.coef_)
    np.testing.assert_array_equal(zero.intercept_, removed.intercept_)
    np.testing.assert_array_equal(zero.alpha_[..., keep], removed.alpha_)
    np.testing.assert_array_equal(zero.slack_[..., keep], removed.slack_)
    assert not zero.alpha_[..., ~keep].any()
    np.testing.assert_array_equal(np.flatnonzero(keep)[removed.support_], zero.support_)
    np.testing.assert_array_equal(zero.support_vectors_, removed.support_vectors_)
    certificates = [zero.certificate_] if classes == 2 else zero.certificate_.values()
    assert all(verify(certificate, X, y, exact=False) for certificate in certificates)


def test_a_class_whose_rows_all_weigh_nothing_is_gone() -> None:
    X, y, _ = noisy(3, 3)
    model = SVC().fit(X, y, sample_weight=(y != 1).astype(float))
    removed = SVC().fit(X[y != 1], y[y != 1])
    assert model.classes_.tolist() == [0, 2]
    np.testing.assert_array_equal(model.coef_, removed.coef_)
    assert verify(model.certificate_, X, y, exact=False)


def test_a_number_as_weight_scales_C() -> None:
    X, y, _ = noisy(4)
    np.testing.assert_allclose(
        SVC(C=1.0).fit(X, y, sample_weight=3.0).coef_, SVC(C=3.0).fit(X, y).coef_, rtol=1e-6
    )


def test_balanced_agrees_with_scikit_learn() -> None:
    X, y, _ = noisy(5, 3)
    weights = compute_class_weight("balanced", classes=np.arange(3), y=y)
    balanced = SVC(class_weight="balanced").fit(X, y)
    named = SVC(class_weight=dict(enumerate(weights))).fit(X, y)
    np.testing.assert_allclose(balanced.coef_, named.coef_, rtol=1e-6)


def test_class_weights_by_name_may_leave_classes_out() -> None:
    X, y, _ = noisy(6)
    names = np.array(["no", "yes"])[y]
    one = SVC(class_weight={"yes": 5.0}).fit(X, names)
    other = SVC().fit(X, names, sample_weight=np.where(names == "yes", 5.0, 1.0))
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-7)
    assert np.max(one.alpha_[names == "no"]) <= 1.0
    assert np.max(one.alpha_) == 5.0


def test_the_caller_s_weights_are_left_alone() -> None:
    X, y, k = noisy(7)
    weights = k.astype(np.float64)
    before = weights.copy()
    SVC(class_weight="balanced").fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(weights, before)
