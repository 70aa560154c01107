"""Models of LIBSVM and LIBLINEAR predict from the command line, and a report says in a sentence why there is none.

Before, both ended in "Internal error" (`ImportedModel` has no kernel; a report is about a separatrix model).
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from cli_cases import run
from liblinear import liblinearutil
from libsvm import svmutil
from sklearn.datasets import dump_svmlight_file, load_iris

import separatrix as sx
from separatrix.models.libsvm_models import export_model, import_model, model_text

X, Y = load_iris(return_X_y=True)
MODELS = {
    "rbf pairs": ({"kernel": "rbf", "multi_class": "ovo"}, Y),
    "linear pairs": ({"multi_class": "ovo"}, Y),
    "planes": ({}, Y),
    "two": ({}, np.where(Y > 1, 3, -7)),
    "two rbf": ({"kernel": "rbf"}, np.where(Y > 1, 3, -7)),
}


@pytest.fixture(params=MODELS)
def files(request, tmp_path, monkeypatch):
    options, y = MODELS[request.param]
    monkeypatch.chdir(tmp_path)
    dump_svmlight_file(X, y, "data.svm", zero_based=False)
    export_model(sx.SVC(**options).fit(X, y), "their.model")
    return tmp_path


def test_predictions_are_those_of_the_other_program(files):
    theirs = import_model("their.model")
    expected = theirs.predict(X)
    done = run("predict", "their.model", "data.svm")
    assert done.exit_code == 0, done.output
    assert list(map(float, done.stdout.split())) == expected.astype(float).tolist()
    answer = json.loads(run("predict", "data.svm", "their.model", "--json", "--scores").stdout)
    assert answer["classes"] == expected.tolist()
    np.testing.assert_allclose(answer["scores"], theirs.decision_function(X))
    assert run("predict", "their.model", "data.svm", "out.csv").exit_code == 0
    lines = (files / "out.csv").read_text().splitlines()
    assert len(lines) == 151


def test_a_report_says_that_there_is_no_certificate(files):
    done = run("report", "their.model", "data.svm", "-o", "page.html")
    assert done.exit_code == 1
    assert "LIBSVM or LIBLINEAR" in done.stderr
    assert "separatrix audit their.model data.svm" in done.stderr
    assert "Internal error" not in done.stderr
    assert not (files / "page.html").exists()


def test_an_audit_reads_them(files):
    done = run("audit", "their.model", "data.svm", "-c", "1")
    assert done.exit_code == 0, done.output


def test_libsvm_and_liblinear_say_the_same(files):
    if (files / "their.model").read_text().startswith("solver_type"):
        labels, rows = liblinearutil.svm_read_problem("data.svm")
        theirs = liblinearutil.predict(labels, rows, liblinearutil.load_model("their.model"), "-q")[0]
    else:
        labels, rows = svmutil.svm_read_problem("data.svm")
        theirs = svmutil.svm_predict(labels, rows, svmutil.svm_load_model("their.model"), "-q")[0]
    done = run("predict", "their.model", "data.svm")
    assert list(map(float, done.stdout.split())) == theirs


def test_weights_and_scores_of_planes_agree():
    for y in (Y, np.where(Y > 1, 3, -7), np.where(Y > 1, -7, 3)):
        theirs = import_model(model_text(sx.SVC(bias="none").fit(X, y)))
        scores = theirs.decision_function(X)
        np.testing.assert_allclose(X @ theirs.coef_.T, scores.reshape(len(X), -1), atol=1e-9)
        assert theirs.kernel == "linear"
