"""Calibrated probabilities: against scikit-learn, against brute force, in model files and ONNX graphs.

Tests `validation/calibration.py`, `fitting/probabilities.py`, `models/calibration.py`, `models/onnx_probabilities.py`.
"""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import get_scorer

import separatrix as sx
from separatrix.models.file import model_from_tensors, model_tensors
from separatrix.validation import venn_abers
from separatrix.validation.calibration import sigmoid

METHODS = ["sigmoid", "isotonic", "venn-abers"]


def halves(load):
    X, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    one, two = order[::2], order[1::2]
    return (X[one], y[one]), (X[two], y[two])


(X, Y), (NEW, NEW_Y) = halves(load_breast_cancer)
(X3, Y3), (NEW3, NEW3_Y) = halves(load_wine)


def noisy(n, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 3))
    return rows, (rows[:, 0] + rng.normal(size=n) > 0.3).astype(int)


def learnt(rows, labels):
    return sx.Perceptron().partial_fit(rows, labels, classes=np.unique(labels))


@pytest.mark.parametrize(("method", "close"), [("sigmoid", 1e-4), ("isotonic", 1e-12)])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "crammer-singer"])
@pytest.mark.parametrize("many", [False, True])
def test_probabilities_are_those_of_scikit_learn(method, close, multi_class, many):
    (rows, labels), (new, truth) = halves(load_wine if many else load_breast_cancer)
    model = sx.SVC(scaling="standard", multi_class=multi_class).fit(rows, labels)
    ours = sx.calibrate(model, new, truth, method, training=rows)
    theirs = CalibratedClassifierCV(FrozenEstimator(model), method=method).fit(new, truth)
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=close)
    np.testing.assert_allclose(ours.predict_proba(rows).sum(axis=1), 1.0)


@pytest.mark.parametrize("method", METHODS)
def test_calibrated_probabilities_are_closer_to_the_truth_than_none(method):
    rows, y = noisy(4000)
    model = sx.SVC().fit(rows[:200], y[:200])
    calibrated = sx.calibrate(model, rows[200:2000], y[200:2000], method, training=rows[:200])
    p, truth = calibrated.predict_proba(rows[2000:])[:, 1], y[2000:]
    assert np.mean((p - truth) ** 2) < np.mean((model.predict(rows[2000:]) - truth) ** 2)
    for low, high in ((0.0, 0.3), (0.3, 0.7), (0.7, 1.01)):
        inside = (p >= low) & (p < high)
        assert abs(p[inside].mean() - truth[inside].mean()) < 0.09
    assert np.isfinite(get_scorer("neg_log_loss")(calibrated, rows[2000:], truth)) or method == "isotonic"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["two", "many", "perceptron"])
def test_the_copy_is_the_same_model_with_probabilities(method, kind):
    rows, labels, new, truth = (X, Y, NEW, NEW_Y) if kind != "many" else (X3, Y3, NEW3, NEW3_Y)
    model = learnt(rows, labels) if kind == "perceptron" else sx.SVC(kernel="rbf").fit(rows, labels)
    calibrated = sx.calibrate(model, new, truth, method)
    assert not hasattr(model, "predict_proba")
    assert hasattr(calibrated, "predict_proba")
    assert hasattr(calibrated, "predict_log_proba")
    assert type(calibrated) is type(model)
    assert np.array_equal(calibrated.predict(new), model.predict(new))
    if kind != "perceptron":
        assert calibrated.certificate_ == model.certificate_
    p = calibrated.predict_proba(rows)
    assert p.shape == (len(rows), len(model.classes_))
    with np.errstate(divide="ignore"):
        assert np.array_equal(calibrated.predict_log_proba(rows), np.log(p))
    for again in (pickle.loads(pickle.dumps(calibrated)), copy.deepcopy(calibrated)):
        assert np.array_equal(again.predict_proba(rows), p)
    assert not hasattr(clone(calibrated), "predict_proba")
    if kind != "perceptron":
        assert not hasattr(calibrated.fit(rows, labels), "predict_proba")


def test_learning_on_makes_the_probabilities_vanish():
    model = sx.Perceptron().partial_fit(X, Y, classes=[0, 1])
    calibrated = sx.calibrate(model, NEW, NEW_Y)
    before = calibrated.predict_proba(NEW)
    model.partial_fit(NEW, NEW_Y)
    assert np.array_equal(calibrated.predict_proba(NEW), before), (
        "the copy shares nothing with what goes on learning"
    )
    calibrated.partial_fit(NEW[:1], NEW_Y[:1])
    assert not hasattr(calibrated, "predict_proba")
    small = sx.Perceptron().fit([[0.0], [1.0], [2.0]], [0, 0, 1])
    calibrated = sx.calibrate(small, [[0.5], [3.0]], [0, 1])
    assert not hasattr(calibrated.fit([[0.0], [1.0], [2.0]], [0, 0, 1]), "predict_proba")


@given(st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=1, max_size=30))
@settings(max_examples=150, deadline=None)
def test_venn_abers_is_two_isotonic_regressions(pairs):
    scores, labels = (
        np.array([s for s, _ in pairs], dtype=float),
        np.array([y for _, y in pairs], dtype=float),
    )
    new = np.arange(-5.0, 5.5, 0.5)
    p0, p1 = venn_abers(scores, labels).interval(new)
    for s, low, high in zip(new, p0, p1, strict=True):
        for label, value in ((0.0, low), (1.0, high)):
            fitted = IsotonicRegression().fit(np.append(scores, s), np.append(labels, label))
            assert fitted.predict([s])[0] == pytest.approx(value, abs=1e-12)
    assert np.all(p0 < p1)
    assert np.all(np.diff(p0) >= -1e-12)
    assert np.all(np.diff(p1) >= -1e-12)


def test_venn_abers_is_calibrated_and_knows_how_little_it_knows():
    """Vovk, Petej, Fedorova: one of p0 and p1 is calibrated, so the share of positives lies between their means."""
    widths = []
    for n in (50, 500, 5000):
        rng = np.random.default_rng(n)
        scores, new = rng.normal(size=n), rng.normal(size=20_000)
        chance = lambda s: 1.0 / (1.0 + np.exp(-2.0 * s + 1.0))  # noqa: E731
        found = venn_abers(scores, rng.random(n) < chance(scores))
        p0, p1 = found.interval(new)
        truth, p = rng.random(len(new)) < chance(new), found.probability(new)
        slack = 4.0 * (0.5 / np.sqrt(n) + 0.5 / np.sqrt(len(new)))
        assert p0.mean() - slack <= truth.mean() <= p1.mean() + slack
        assert np.all((p0 <= p) & (p <= p1))
        assert p.min() > 0.0
        assert p.max() < 1.0
        widths.append(float(np.mean(p1 - p0)))
    assert widths[0] > 2.0 * widths[1] > 4.0 * widths[2]


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("share", [0.02, 0.5, 1.0])
def test_the_sigmoid_is_the_best_one_whatever_the_size_of_scores(size, share):
    rng = np.random.default_rng(3)
    scores = rng.normal(size=400)
    positive = np.where(rng.random(400) < share, scores > 0, rng.random(400) < 0.5)
    found = sigmoid(scores * size, positive)
    n1 = np.count_nonzero(positive)
    target = np.where(positive, (n1 + 1.0) / (n1 + 2.0), 1.0 / (400 - n1 + 2.0))

    def loss(at):
        f = at[0] * scores + at[1]
        return np.sum(np.logaddexp(0.0, f) - (1.0 - target) * f)

    best = minimize(
        loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 5000}
    )
    assert loss([found.slope * size, found.offset]) <= best.fun + 1e-7


def test_scores_without_a_difference_give_the_frequency():
    found = sigmoid(np.zeros(30), np.arange(30) < 10)
    assert found.probability(np.zeros(1))[0] == pytest.approx((10 * 11 / 12 + 20 / 22) / 30, abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("many", [False, True])
def test_a_file_gives_the_same_probabilities(method, many, tmp_path):
    rows, labels, new, truth = (X3, Y3, NEW3, NEW3_Y) if many else (X, Y, NEW, NEW_Y)
    for model in (sx.SVC(scaling="range").fit(rows, labels), learnt(rows, labels)):
        calibrated = sx.calibrate(model, new, truth, method)
        sx.save(calibrated, tmp_path / "model.safetensors")
        again = sx.load(tmp_path / "model.safetensors")
        assert np.array_equal(again.predict_proba(rows), calibrated.predict_proba(rows))
        assert again.calibration_.rows == len(truth)
        sx.save(model, tmp_path / "model.safetensors")
        assert not hasattr(sx.load(tmp_path / "model.safetensors"), "predict_proba")


CHANGES = {
    "sigmoid": [("slope", {"float": "nan"}), ("offset", {"float": "inf"}), ("slope", "x")],
    "isotonic": [("x", -1.0), ("y", 2.0), ("y", -0.5), ("x", np.nan)],
    "venn-abers": [("scores", -1.0), ("low", -0.1), ("high", 1.5), ("low", np.nan), ("high", 0.0)],
}


@pytest.mark.parametrize(
    ("method", "name", "value"), [(m, *each) for m, all_ in CHANGES.items() for each in all_]
)
def test_a_file_with_a_strange_calibration_is_refused(method, name, value):
    arrays = model_tensors(sx.calibrate(sx.SVC().fit(X, Y), NEW, NEW_Y, method))
    if method == "sigmoid":
        document = json.loads(arrays["document"].tobytes())
        document["calibration"]["maps"][0][name] = value
        arrays["document"] = np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)
    else:
        tensor = arrays[f"calibration.0.{name}"].copy()
        tensor[len(tensor) // 2 :: 3] = value
        arrays[f"calibration.0.{name}"] = tensor
    with pytest.raises(sx.ModelFileError, match="calibration"):
        model_from_tensors(arrays)


def test_a_file_with_other_maps_is_refused():
    arrays = model_tensors(sx.calibrate(sx.SVC().fit(X, Y), NEW, NEW_Y))
    document = json.loads(arrays["document"].tobytes())
    for change in (
        {"maps": []},
        {"method": "magic"},
        {"maps": document["calibration"]["maps"] * 2},
        {"rows": -1},
    ):
        changed = {**document, "calibration": {**document["calibration"], **change}}
        text = np.frombuffer(json.dumps(changed).encode(), dtype=np.uint8)
        with pytest.raises(sx.ModelFileError, match="calibration"):
            model_from_tensors({**arrays, "document": text})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("many", [False, True])
def test_an_onnx_graph_gives_the_same_probabilities(method, many):
    onnxruntime = pytest.importorskip("onnxruntime")
    rows, labels, new, truth = (X3, Y3, NEW3, NEW3_Y) if many else (X, Y, NEW, NEW_Y)
    options = {"scaling": "standard", "multi_class": "crammer-singer" if many else "ovr"}
    calibrated = sx.calibrate(sx.SVC(**options).fit(rows, labels), new, truth, method)
    session = onnxruntime.InferenceSession(sx.to_onnx(calibrated).SerializeToString())
    label, scores, p = session.run(None, {"X": rows})
    assert np.array_equal(label, calibrated.predict(rows))
    np.testing.assert_allclose(scores, calibrated.decision_function(rows), atol=1e-9)
    np.testing.assert_allclose(p, calibrated.predict_proba(rows), atol=1e-9)
    far = rows + 1e6 * np.sign(rows - rows.mean(axis=0))  # scores beyond all that were calibrated
    np.testing.assert_allclose(
        session.run(["probabilities"], {"X": far})[0], calibrated.predict_proba(far), atol=1e-9
    )


def test_isotonic_regression_of_one_value_in_a_graph():
    onnxruntime = pytest.importorskip("onnxruntime")
    rows = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = sx.SVC().fit(rows, [0, 0, 1, 1])
    calibrated = sx.calibrate(model, [[9.0], [8.0], [0.2], [0.1]], [0, 0, 1, 1], "isotonic")
    session = onnxruntime.InferenceSession(sx.to_onnx(calibrated).SerializeToString())
    p = session.run(["probabilities"], {"X": rows})[0]
    np.testing.assert_allclose(p, calibrated.predict_proba(rows))
    assert p[0, 1] == 0.5


def test_what_cannot_be_calibrated_says_why():
    model = sx.SVC().fit(X, Y)
    with pytest.raises(ValueError, match="support vectors of the model"):
        sx.calibrate(model, X, Y)
    sx.calibrate(model, X, Y, allow_equal_rows=True)
    with pytest.raises(sx.ParameterError, match="method must be one of 'sigmoid', 'isotonic', 'venn-abers'"):
        sx.calibrate(model, NEW, NEW_Y, "magic")
    with pytest.raises(ValueError, match="is no class of the model"):
        sx.calibrate(model, NEW, NEW_Y.astype(str))
    with pytest.raises(ValueError, match="has the class 1"):
        sx.calibrate(model, NEW[NEW_Y == 0], NEW_Y[NEW_Y == 0])
    with pytest.raises(ValueError, match=r"rows but y has"):
        sx.calibrate(model, NEW, NEW_Y[:-1])
    with pytest.raises(TypeError, match="Hint: sklearn"):
        sx.calibrate(IsotonicRegression(), NEW, NEW_Y)


def test_digits_as_published():
    """Many classes at once: calibration lowers the log loss of a softmax of scores (Zadrozny and Elkan, 2002)."""
    (rows, labels), (new, truth) = halves(load_digits)
    model = sx.SVC(kernel="rbf").fit(rows, labels)
    part, rest = slice(0, 450), slice(450, None)
    scores = np.exp(model.decision_function(new[rest]))
    naive = -np.mean(
        np.log((scores / scores.sum(axis=1, keepdims=True))[np.arange(len(scores)), truth[rest]])
    )
    for method in ("sigmoid", "venn-abers"):
        calibrated = sx.calibrate(model, new[part], truth[part], method)
        p = calibrated.predict_proba(new[rest])
        assert -np.mean(np.log(p[np.arange(len(p)), truth[rest]])) < 0.5 * naive
