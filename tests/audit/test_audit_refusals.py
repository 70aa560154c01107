"""Models and inputs that an audit refuses, each with its reason.

Tests `audit/models.py`.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC

import separatrix
from separatrix.audit import Unauditable

RNG = np.random.default_rng(2)
X = RNG.standard_normal((40, 3))
Y = np.where(X[:, 0] + 0.5 * RNG.standard_normal(40) > 0, 1, 0)
THREE = np.arange(40) % 3


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (RidgeClassifier(), "least squares"),
        (LogisticRegression(), "logistic loss"),
        (SVR(), "predicts numbers"),
        (KNeighborsClassifier(), "not among the models"),
        (make_pipeline(StandardScaler(), LinearSVC()), "Audit its last step"),
        (GridSearchCV(LinearSVC(), {"C": [1.0]}, cv=2), "best_estimator_"),
        (LinearSVC(penalty="l1"), "not a widest margin"),
        (SGDClassifier(loss="log_loss"), "log_loss"),
        (SGDClassifier(penalty="l1"), "penalty"),
        (NuSVC(nu=0.2, class_weight={1: 2.0}), "class_weight"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_models_that_solve_another_problem(model, reason):
    with pytest.raises(Unauditable, match=reason):
        separatrix.audit(model.fit(X, Y), X, Y)


def test_joint_problems_of_many_classes():
    model = LinearSVC(multi_class="crammer_singer").fit(X, THREE)
    with pytest.raises(Unauditable, match="joint problem"):
        separatrix.audit(model, X, THREE)


@pytest.mark.parametrize("model", [SVC(), LinearSVC(), separatrix.SVC()])
def test_models_that_are_not_fitted(model):
    with pytest.raises(ValueError, match="not fitted"):
        separatrix.audit(model, X, Y)


def test_subclasses_are_read_as_what_they_extend():
    class Mine(LinearSVC):
        pass

    assert separatrix.audit(Mine().fit(X, Y), X, Y).model == "sklearn.LinearSVC"


def test_data_of_another_shape_or_other_classes():
    model = LinearSVC().fit(X, Y)
    with pytest.raises(ValueError, match="has 3 columns but X has 2"):
        separatrix.audit(model, X[:, :2], Y)
    with pytest.raises(ValueError, match="does not know"):
        separatrix.audit(model, X, THREE)
    with pytest.raises(ValueError, match=r"y holds only \[5, 6\]"):
        separatrix.audit(model, X, Y + 5)
    with pytest.raises(ValueError, match="one class only"):
        separatrix.audit(model, X, np.ones(40))
    with pytest.raises(ValueError, match="NaN"):
        separatrix.audit(model, np.where(X > 1, np.nan, X), Y)


def test_parameters():
    model, pair = LinearSVC().fit(X, Y), (np.ones(3), 0.0)
    with pytest.raises(ValueError, match="C must not be passed"):
        separatrix.audit(model, X, Y, C=1.0)
    with pytest.raises(ValueError, match="C must be a finite number above 0"):
        separatrix.audit(pair, X, Y, C=-1.0)
    with pytest.raises(ValueError, match="loss must be"):
        separatrix.audit(pair, X, Y, C=1.0, loss="log")
    with pytest.raises(ValueError, match="bias must be"):
        separatrix.audit(pair, X, Y, C=1.0, bias="maybe")
    with pytest.raises(ValueError, match="b = 0"):
        separatrix.audit((np.ones(3), 1.0), X, Y, C=1.0, bias="none")
    with pytest.raises(ValueError, match="max_time"):
        separatrix.audit(pair, X, Y, C=1.0, max_time=-1.0)
    with pytest.raises(ValueError, match="not all finite"):
        separatrix.audit((np.array([1.0, np.inf, 0.0]), 0.0), X, Y, C=1.0)


def test_the_name_is_a_function_even_if_the_package_was_imported_first():
    code = (
        "from separatrix.audit import Audit\nimport separatrix\nimport separatrix.audit.models\n"
        "print(separatrix.audit(([1.0], 0.0), [[1.0], [-1.0]], [1, -1], C=1.0).gap)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "0.0\n", done.stderr
