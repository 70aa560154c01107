"""scikit-learn's own tests of its support vector classifiers, run with ours in their place.

    python -m benchmarks.sklearn_svm_tests            (about a minute; --verbose shows why a test failed)

The installed files sklearn/svm/tests/test_svm.py and test_sparse.py are run as they are. Before they are imported,
`sklearn.svm.SVC` and `sklearn.svm.LinearSVC` are replaced by the adapters below, which translate parameters and
layouts and nothing else. A test passes, does not touch our classes, or does not apply for a reason given here;
anything else is a failure, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.svm
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

import separatrix

#: Why a test that fails does not apply, by the name of its function. Each was read before it was listed.
NOT_APPLICABLE = {
    "test_tweak_params": "writes into the private _dual_coef_ of LIBSVM's binding",
    "test_svc_raises_error_internal_representation": "writes into the private _n_support of LIBSVM's binding",
    "test_probability": "probability=True, deprecated there, does not exist here",
    "test_hasattr_predict_proba": "probability=True, deprecated there, does not exist here",
    "test_probability_raises_futurewarning": "probability=True, deprecated there, does not exist here",
    "test_svc_nusvc_probA_probB_deprecated": "probability=True, deprecated there, does not exist here",
    "test_negative_sample_weights_mask_all_samples": "an error here as there, in other words",
    "test_negative_weights_svc_leave_just_one_label": "an error here as there, in other words",
    "test_negative_weights_svc_leave_two_labels": "a negative weight is an error here, there it removes the row",
    "test_negative_weight_equal_coeffs": "a negative weight is an error here, there it removes the row",
    "test_svc_nonfinite_params": "an error here as there (squares overflow), in other words",
    "test_bad_input": "asks that sparse rows be refused after a dense fit; here they are accepted",
    "test_sparse_precomputed": "asks that a sparse kernel matrix be refused; here it is accepted",
    "test_linearsvc_parameters": "asks that what LIBLINEAR lacks be refused: l1 penalty, hinge in the primal",
    "test_dense_liblinear_intercept_handling": "intercept_scaling does not exist here",
    "test_sparse_liblinear_intercept_handling": "intercept_scaling does not exist here",
    "test_immutable_coef_property": "coef_ is an array of its own here, not one computed on demand",
    "test_libsvm_convergence_warnings": "two steps are enough here: nothing to warn of",
    "test_linear_svm_convergence_warnings": "two steps are enough here: nothing to warn of",
    "test_timeout": "one step is enough here: nothing to warn of",
    "test_svc_invalid_break_ties_param": "break_ties does not exist here: scores always settle ties",
    "test_svc_ovr_tie_breaking": "break_ties does not exist here: scores always settle ties",
    "test_custom_kernel_not_array_input": "kernels of texts: X must hold numbers here",
    "test_linearsvc_iris": "sparsify() does not exist here",
    "test_svc": "its sigmoid kernels are not positive semidefinite on these rows: refused here, with a witness",
    "test_sparse_svc_clone_with_callable_kernel": "calls predict_proba, which does not exist here",
    "test_sparse_realdata": "asks sparse and dense alphas to be equal to the last bit; ours agree to the gap",
    "test_unsorted_indices": "asks sparse and dense coef_ to agree to 1e-12; ours agree to the gap",
    "test_linearsvc_crammer_singer": "compares with LIBLINEAR's layout of the joint problem",
    "test_crammer_singer_binary": "two classes are one problem here: coef_ has one row, not two",
}


#: Tests of which only some cases do not apply: what the name of such a case holds.
ONLY = {"test_svc": "sigmoid", "test_linearsvc_parameters": "hinge"}


class _Adapter(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Delegates to separatrix.SVC; counts how often it is used."""

    uses = 0

    def _begin(self, model: separatrix.SVC, X: Any, y: Any, sample_weight: Any) -> Any:
        type(self).uses += 1
        _Adapter.uses += 1
        self._sparse = sparse.issparse(X)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The sigmoid kernel")
            self.model_ = model.fit(X, y, sample_weight=sample_weight)
        self.classes_, self.n_features_in_ = model.classes_, model.n_features_in_
        self.intercept_ = model.intercept_
        return self

    def _layout(self, array: Any) -> Any:
        return sparse.csr_matrix(array) if self._sparse else array

    def predict(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        return self.model_.predict(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = getattr(self, "kernel", None) == "precomputed"
        return tags


class SVC(_Adapter):
    """The parameters of sklearn.svm.SVC."""

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: Any = "deprecated",
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
    ) -> None:
        for name, value in list(locals().items()):
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Pairs of classes, as LIBSVM has them, to a relative gap of 1e-9."""
        model = separatrix.SVC(
            self.C,
            kernel=self.kernel,
            degree=self.degree,
            gamma=self.gamma,
            coef0=self.coef0,
            tol=1e-8 if self.max_iter < 0 else 1e-3,
            max_iter=None if self.max_iter < 0 else self.max_iter,
            class_weight=self.class_weight,
            multi_class="ovo",
            random_state=self.random_state,
        )
        self._begin(model, X, y, sample_weight)
        self.support_, self.n_support_ = model.support_, model.n_support_
        self.support_vectors_ = model.support_vectors_
        self.dual_coef_ = self._layout(model.dual_coef_)
        self._gamma = getattr(getattr(model._surface, "kernel", None), "gamma", None)
        self.n_iter_ = np.array([each.n_iter for each in model.problems_.values()], dtype=np.int32)
        self.fit_status_ = int(model.status_ != "converged")
        return self

    @property
    def coef_(self) -> Any:
        check_is_fitted(self, "model_")
        return self._layout(self.model_.coef_)

    def decision_function(self, X: Any) -> Any:
        """All pairs for "ovo", votes of them for "ovr"."""
        check_is_fitted(self, "model_")
        scores = self.model_.decision_function(X)
        if self.decision_function_shape == "ovr" or len(self.classes_) == 2:
            return scores
        X = X if sparse.issparse(X) else np.asarray(X)
        if hasattr(self.model_, "coef_"):
            return X @ self.model_.coef_.T + self.intercept_
        return self.model_._surface.scores(X)


class LinearSVC(_Adapter):
    """The parameters of sklearn.svm.LinearSVC; penalty="l1" does not exist here."""

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: Any = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
    ) -> None:
        for name, value in list(locals().items()):
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """LIBLINEAR's problem: the bias is penalised."""
        joint = self.multi_class == "crammer_singer"  # where LIBLINEAR ignores the loss
        model = separatrix.SVC(
            self.C,
            loss="hinge" if joint else self.loss,
            bias="augmented" if self.fit_intercept else "none",
            tol=1e-9,
            class_weight=self.class_weight,
            multi_class="crammer-singer" if joint else self.multi_class,
            random_state=self.random_state,
        )
        self._begin(model, X, y, sample_weight)
        self.n_iter_ = model.n_iter_
        return self

    @property
    def coef_(self) -> Any:
        check_is_fitted(self, "model_")
        return self.model_.coef_

    @coef_.setter
    def coef_(self, value: Any) -> None:
        self.model_.coef_ = value

    def decision_function(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        return self.model_.decision_function(X)


class _Recorder:
    """A pytest plugin: the outcome of each test, and whether our classes took part."""

    def __init__(self) -> None:
        self.outcome: dict[str, str] = {}
        self.reason: dict[str, str] = {}
        self.touched: dict[str, bool] = {}
        self._before = 0

    def pytest_runtest_setup(self, item: Any) -> None:
        self._before = _Adapter.uses

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or report.outcome != "passed":
            self.outcome[report.nodeid] = report.outcome
            crash = getattr(report.longrepr, "reprcrash", None)
            self.reason[report.nodeid] = str(crash.message if crash else report.longrepr or "")
        if report.when == "call":
            self.touched[report.nodeid] = _Adapter.uses > self._before


def main() -> int:
    """Run both files and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--verbose", action="store_true", help="show why each test failed")
    options = parser.parse_args()
    folder = Path(sklearn.svm.__file__).parent / "tests"
    sklearn.svm.SVC, sklearn.svm.LinearSVC = SVC, LinearSVC
    recorder = _Recorder()
    arguments = ["-q", "-p", "no:cacheprovider", "--no-header", "--tb=line", "-W", "ignore"]
    with Path(os.devnull).open("w") as nowhere:
        shown, sys.stdout = sys.stdout, nowhere
        try:
            pytest.main(
                [*arguments, str(folder / "test_svm.py"), str(folder / "test_sparse.py")], plugins=[recorder]
            )
        finally:
            sys.stdout = shown
    totals: Counter[str] = Counter()
    lines: dict[str, list[str]] = {}
    for test, outcome in sorted(recorder.outcome.items()):
        name = test.split("::")[1].split("[")[0]
        if outcome == "passed":
            group = "passed" if recorder.touched[test] else "not about our classes"
        elif outcome == "skipped":
            group = "skipped by scikit-learn"
        elif not recorder.touched.get(test, False) and "SVC" not in recorder.reason[test]:
            group = "not about our classes"
        else:
            excused = name in NOT_APPLICABLE and ONLY.get(name, "") in test
            group = "does not apply" if excused else "FAILED"
        totals[group] += 1
        lines.setdefault(group, []).append(test.split("/")[-1])
        if options.verbose and group in ("FAILED", "does not apply"):
            print(f"{group}: {test.split('::')[1]}: {recorder.reason[test][:300]}")
    for group, count in totals.most_common():
        print(f"{count:5d}  {group}")
    for name in sorted({test.split("::")[1].split("[")[0] for test in lines.get("does not apply", [])}):
        print(f"       {name}: {NOT_APPLICABLE[name]}")
    for test in lines.get("FAILED", []):
        print(f"FAILED {test}")
    return 1 if totals["FAILED"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
