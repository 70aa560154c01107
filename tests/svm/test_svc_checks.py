"""scikit-learn's own checks, for several configurations, none expected to fail."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from sklearn.utils.estimator_checks import (
    check_class_weight_balanced_linear_classifier,
    parametrize_with_checks,
)

from separatrix import SVC

CONFIGURATIONS = [
    SVC(),
    SVC(loss="squared_hinge"),
    SVC(bias="augmented"),
    SVC(bias="none"),
    SVC(multi_class="ovo"),
    SVC(loss="squared_hinge", bias="augmented", multi_class="ovo"),
    SVC(C=100.0, n_threads=1),
]
CURVED = [SVC(kernel="rbf"), SVC(kernel="poly", multi_class="ovo")]


@parametrize_with_checks(CONFIGURATIONS + CURVED)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_no_check_is_skipped() -> None:
    # SciPy reads this variable when it is imported; without it scikit-learn skips one check.
    code = (
        "from sklearn.utils.estimator_checks import check_estimator\n"
        "from separatrix import SVC\n"
        "results = check_estimator(SVC(), on_fail=None, on_skip=None)\n"
        "print({result['status'] for result in results})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "{'passed'}\n", done.stderr


@pytest.mark.parametrize("model", CONFIGURATIONS, ids=repr)
def test_balanced_class_weights(model: Any) -> None:
    check_class_weight_balanced_linear_classifier("SVC", model)
