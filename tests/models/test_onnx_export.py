"""Exported graphs in onnxruntime say what our models say, to 1e-6 and much closer.

Tests `models/onnx_export.py`, `models/onnx_graph.py`, `models/onnx_kernels.py`.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from model_variants import NEW, THREE, TWO, VARIANTS, X, fitted

import separatrix as sx
from separatrix import SVC, ModelFileError, Perceptron, to_onnx

onnxruntime = pytest.importorskip("onnxruntime")


def run(proto, rows):
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(["label", "scores"], {"X": rows})


def agree(model, rows=NEW, dtype="float64"):
    rows = rows.astype(dtype)
    label, scores = run(to_onnx(model, dtype=dtype), rows)
    ours = model.decision_function(rows)
    assert scores.shape == ours.shape
    assert np.abs(scores - ours).max() <= 1e-9 * max(1.0, np.abs(ours).max())
    near = np.abs(ours if ours.ndim == 1 else np.sort(ours)[:, -1] - np.sort(ours)[:, -2]) <= 1e-9
    assert (label == model.predict(rows))[~near].all()
    return label


SKIP = {"perceptron voted", "perceptron poly voted", "perceptron kesler voted"}
SKIP |= {"perceptron precomputed", "svc precomputed"}
ROWS = [
    name
    for name in VARIANTS
    if name not in SKIP and name not in ("perceptron inseparable", "online one class")
]


@pytest.mark.parametrize("name", ROWS)
def test_a_graph_says_what_the_model_says(name):
    agree(fitted(name))


@pytest.mark.parametrize("name", sorted(SKIP))
def test_what_no_graph_can_compute_is_refused(name):
    with pytest.raises(ModelFileError, match="graph"):
        to_onnx(fitted(name))


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian", "sigmoid"])
def test_kernels_and_classes(kernel, y, multi_class):
    make = SVC(kernel=kernel, gamma=0.3, degree=2, coef0=1.0, multi_class=multi_class)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make.fit(X, y)
    except sx.IndefiniteKernelError:
        model = Perceptron(kernel=kernel, gamma=0.3, coef0=1.0, max_epochs=2, output="averaged")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
    agree(model)


def test_kernels_that_were_combined():
    kernels = sx.kernels
    mixed = 0.5 * kernels.Rbf(0.4) + kernels.Poly(2, 0.3, 1.0) * kernels.Linear()
    agree(SVC(kernel=mixed).fit(X, TWO))


def test_rows_in_single_precision():
    agree(SVC().fit(X, THREE), dtype="float32")


def test_a_written_graph_is_the_returned_one(tmp_path):
    path = tmp_path / "model.onnx"
    made = to_onnx(SVC().fit(X, TWO), path)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    assert session.run(["label"], {"X": NEW})[0].tolist() == run(made, NEW)[0].tolist()


def test_refusals(monkeypatch):
    with pytest.raises(ModelFileError, match="got object"):
        to_onnx(object())
    with pytest.raises(ModelFileError, match="dtype must be"):
        to_onnx(SVC().fit(X, TWO), dtype="int8")
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(ModelFileError, match=r"separatrix\[onnx\]"):
        to_onnx(SVC().fit(X, TWO))
