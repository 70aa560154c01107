"""certificate_ is built when it is asked for, survives pickling, and notices changed data.

Tests `fitting/training.py`.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import SVC, verify

X, Y = make_classification(80, 4, flip_y=0.2, random_state=0)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("exact", [False, True])
def test_certificates_verify(loss: str, bias: str, exact: bool) -> None:
    model = SVC(loss=loss, bias=bias).fit(X, Y)
    answer = verify(model.certificate_, X, Y, exact=exact)
    assert answer, answer.reason
    assert not verify(model.certificate_, X + 1e-9, Y, exact=exact)
    assert not verify(model.certificate_, X, 1 - Y, exact=exact)


def test_narrow_and_sparse_data_verify_as_given() -> None:
    small = (X * 4).astype(np.int8)
    for data in (X.astype(np.float32), small, sparse.csr_matrix(small), np.asfortranarray(X), X.tolist()):
        assert verify(SVC().fit(data, Y).certificate_, data, Y, exact=False)


def test_the_certificate_states_the_model() -> None:
    model = SVC().fit(X, Y)
    assert model.certificate_.kind == "optimal"
    assert model.certificate_ is model.certificate_  # built once


@pytest.mark.parametrize("save", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy])
def test_pickling_builds_the_certificate_and_leaves_the_data_behind(save: Any) -> None:
    wide = np.hstack([X, np.zeros((len(X), 2000))])
    wide[:, 4:] = np.random.default_rng(0).normal(size=(len(X), 2000)) * 1e-3
    model = SVC(C=0.1).fit(wide, Y)
    restored = save(model)
    np.testing.assert_array_equal(restored.predict(wide), model.predict(wide))
    assert verify(restored.certificate_, wide, Y, exact=False)
    np.testing.assert_array_equal(restored.support_vectors_, model.support_vectors_)
    assert restored.status_ == "converged"
    assert restored.history_["gap"].tolist() == model.history_["gap"].tolist()
    fresh = pickle.dumps(SVC(C=0.1).fit(np.tile(X, (1, 1)), Y))
    assert len(fresh) < 20 * X.nbytes


def test_data_changed_after_the_fit_are_noticed() -> None:
    data = X.copy()
    model = SVC().fit(data, Y)
    data[model.support_[0]] += 1.0
    with pytest.raises(ValueError, match="The training data were changed after the fit"):
        _ = model.certificate_
    with pytest.raises(ValueError, match="The training data were changed after the fit"):
        _ = model.support_vectors_
    # The model itself can still be saved; only its certificate is lost.
    restored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(restored.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="changed after the fit"):
        _ = restored.certificate_


def test_what_a_later_certificate_reads_cannot_be_written_to() -> None:
    model = SVC().fit(X, Y)
    for values in (model.alpha_, model.slack_):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1e3
    assert verify(model.certificate_, X, Y, exact=False)


def test_a_certificate_already_built_does_not_care() -> None:
    data = X.copy()
    model = SVC().fit(data, Y)
    certificate = model.certificate_
    data += 1.0
    assert model.certificate_ is certificate
    assert verify(certificate, X, Y, exact=False)


def test_joblib(tmp_path: Path) -> None:
    model = SVC().fit(X, Y)
    joblib.dump(model, tmp_path / "model.joblib")
    restored = joblib.load(tmp_path / "model.joblib")
    assert verify(restored.certificate_, X, Y, exact=False)


def test_clone_forgets_the_fit() -> None:
    model = SVC(C=3.0, class_weight={0: 2.0}).fit(X, Y)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "coef_")
    assert not hasattr(twin, "certificate_")


def test_pipelines_and_searches_in_threads() -> None:
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [0.1, 1.0]}, n_jobs=2, cv=3)
    with joblib.parallel_config(backend="threading"):
        search.fit(X, Y)
    assert search.best_score_ > 0.5
    model = search.best_estimator_[-1]
    assert verify(model.certificate_, StandardScaler().fit_transform(X), Y, exact=False)


def test_sample_weight_can_be_routed() -> None:
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        pipe = make_pipeline(StandardScaler(), SVC().set_fit_request(sample_weight=True))
        pipe[0].set_fit_request(sample_weight=False)
        pipe.fit(X, Y, sample_weight=np.ones(len(Y)) * 2)
    np.testing.assert_allclose(
        pipe[-1].coef_, SVC(C=2.0).fit(StandardScaler().fit_transform(X), Y).coef_, rtol=1e-6
    )


def test_rounding_is_not_mistaken_for_changed_data() -> None:
    # v is a tiny difference of huge sums here, so that its rounding is as large as the dual value.
    rng = np.random.default_rng(0)
    data, labels = rng.normal(size=(20, 3)) * 1e30, np.arange(20) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = SVC(max_time=2.0).fit(data, labels)
    answer = verify(model.certificate_, data, labels, exact=False)
    assert answer, answer.reason


def test_rows_left_out_do_not_blunt_the_proof() -> None:
    # 455 of 569 rows: a power of two lies between, and with it the width of the slices of the sharp bounds.
    data, labels = load_breast_cancer(return_X_y=True)
    weights = np.ones(len(labels))
    weights[::5] = 0.0
    model = SVC(C=0.1).fit(data, labels, sample_weight=weights)
    found = verify(model.certificate_, data, labels, exact=False)
    assert found, found.reason
