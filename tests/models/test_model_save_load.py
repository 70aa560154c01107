"""A saved model comes back whole: predictions bit for bit, certificates, history, and what it can still learn.

Tests `models/svc.py`, `models/joint.py`, `models/perceptron.py`, `models/online.py`,
`models/parts.py`, `models/tensors.py`.
"""

from __future__ import annotations

import json
import os
import stat
import warnings

import numpy as np
import pandas as pd
import pytest
from model_variants import APART, THREE, TWO, VARIANTS, X, fitted, rows_for

import separatrix as sx
from separatrix import SVC, ModelFileError, Perceptron, load, save
from separatrix.models.file import model_from_tensors, model_tensors


def again(model, tmp_path, **given):
    path = tmp_path / "model.safetensors"
    save(model, path, **given)
    return load(path)


def proof_of(result):
    """The certificate, or the sentence that says why there is none."""
    try:
        return result.certificate
    except ValueError as error:
        return str(error)


def attributes(model) -> dict:
    """Every public attribute, or the sentence it raises."""
    everything = {*vars(model), *vars(type(model))}  # dir() would ask for each of them
    names = [name for name in everything if name.endswith("_") and not name.startswith("_")]
    hidden = {"problems_", "history_", "certificate_", "support_vectors_", "column_names_", "data_encoding_"}
    out = {}
    for name in set(names) - hidden:
        try:
            out[name] = getattr(model, name)
        except Exception as error:  # a message is compared like a value
            out[name] = f"{type(error).__name__}: {error}"
    scaling, calibration = out.pop("scaling_", None), out.pop("calibration_", None)
    parts = [] if calibration is None else [calibration, *calibration.maps]
    for place, record in enumerate([*parts, *([] if scaling is None else [scaling])]):
        out |= {f"{place}.{name}": value for name, value in vars(record).items() if name != "maps"}
    return out


@pytest.mark.parametrize("name", VARIANTS)
def test_a_loaded_model_is_the_saved_one(name, tmp_path):
    model = fitted(name)
    other = again(model, tmp_path)
    rows = rows_for(model)
    scores = model.decision_function(rows)
    assert scores.tobytes() == other.decision_function(rows).tobytes()
    assert model.predict(rows).dtype == other.predict(rows).dtype
    assert model.predict(rows).tolist() == other.predict(rows).tolist()
    known, read = attributes(model), attributes(other)
    assert set(known) == set(read)
    for each, value in known.items():
        if isinstance(value, np.ndarray):
            assert value.dtype == read[each].dtype, each
            assert value.shape == read[each].shape, each
        assert np.all(np.asarray(value == read[each]) | (np.asarray(value != value))), each
    parameters = model.get_params() | {"random_state": None}
    assert other.get_params() | {"random_state": None} == parameters


@pytest.mark.parametrize("name", [name for name in VARIANTS if not name.startswith("online")])
def test_certificates_and_histories_come_back(name, tmp_path):
    model = fitted(name)
    other = again(model, tmp_path)
    assert list(model.problems_) == list(other.problems_)
    for key, result in model.problems_.items():
        first, second = (getattr(each, "joint", each) for each in (result, other.problems_[key]))
        assert repr(list(first.history)) == repr(list(second.history))
        assert proof_of(result) == proof_of(other.problems_[key])
    for field in ("rows", "alpha", "slack", "cost", "support"):
        for key, result in model.problems_.items():
            if hasattr(result, field):
                assert np.array_equal(getattr(result, field), getattr(other.problems_[key], field))


def test_a_loaded_certificate_proves(tmp_path):
    other = again(SVC().fit(X, APART), tmp_path)
    assert sx.verify(other.certificate_, X, APART)
    assert not sx.verify(other.certificate_, X, APART[::-1])


@pytest.mark.parametrize("output", ["last", "averaged", "pocket"])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_learning_goes_on_as_if_nothing_had_happened(tmp_path, output, y, kernel):
    if output == "pocket" and kernel == "rbf":
        pytest.skip("partial_fit has no pocket with a kernel")
    model = Perceptron(output=output, kernel=kernel, gamma=0.5).partial_fit(X[:20], y[:20])
    other = again(model, tmp_path)
    for each in (model, other):
        each.partial_fit(X[20:], y[20:])
    assert model.decision_function(X).tobytes() == other.decision_function(X).tobytes()
    assert model.n_updates_ == other.n_updates_
    assert [r.updates for r in model.history_] == [r.updates for r in other.history_]


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_fit_goes_on_row_by_row_and_warm(tmp_path, y):
    settings = {"max_epochs": 3, "order": "shuffle", "random_state": 5, "output": "averaged"}
    model = Perceptron(**settings).fit(X, y)
    other = again(model, tmp_path)
    for each in (model, other):
        each.partial_fit(X, y)
    assert model.coef_.tobytes() == other.coef_.tobytes()
    model = Perceptron(warm_start=True, **settings).fit(X, y)
    other = again(model, tmp_path)
    for each in (model, other):
        each.fit(X, y)
    assert model.coef_.tobytes() == other.coef_.tobytes()


def test_a_warm_start_from_a_loaded_svc(tmp_path):
    model = SVC(warm_start=True, tol=1e-8).fit(X, TWO)
    other = again(model, tmp_path).fit(X, TWO)
    assert other.gap_ <= 1e-8


def test_names_of_columns_and_the_encoding(tmp_path):
    frame = pd.DataFrame(X, columns=["size", "weight", "age"])
    model = SVC().fit(frame, TWO)
    encoding = {"columns": [{"name": "size", "values": ["s", "m"]}], "header": True}
    other = again(model, tmp_path, encoding=encoding)
    assert other.data_encoding_ == encoding
    assert other.feature_names_in_.tolist() == ["size", "weight", "age"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert other.predict(frame).tolist() == model.predict(frame).tolist()
    third = again(SVC().fit(X, TWO), tmp_path, columns=["a", "b", "c"])
    assert third.column_names_ == ["a", "b", "c"]
    assert not hasattr(third, "feature_names_in_")
    assert again(third, tmp_path).column_names_ == ["a", "b", "c"], "what was loaded is saved again"


def test_support_vectors_of_a_linear_model_are_stored_on_request(tmp_path):
    model = fitted("svc sparse")
    with pytest.raises(AttributeError, match="support_vectors=True"):
        _ = again(model, tmp_path).support_vectors_
    kept = again(model, tmp_path, support_vectors=True).support_vectors_
    assert (kept != model.support_vectors_).nnz == 0


def test_the_same_model_gives_the_same_bytes(tmp_path):
    model = SVC().fit(X, THREE)
    save(model, tmp_path / "a")
    save(model, tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_saving_is_all_or_nothing(tmp_path, monkeypatch):
    path = tmp_path / "model.safetensors"
    save(SVC().fit(X, TWO), path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "replace", lambda *a: (_ for _ in ()).throw(OSError("disk is gone")))
    with pytest.raises(OSError, match="disk is gone"):
        save(SVC().fit(X, THREE), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path], "no half-written file is left"


def test_a_model_file_is_as_readable_as_other_files(tmp_path):
    plain = tmp_path / "plain"
    plain.touch()
    save(SVC().fit(X, TWO), tmp_path / "model")
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


@pytest.mark.parametrize(
    ("model", "given", "sentence"),
    [
        (Perceptron(kernel=lambda A, B: A @ B.T).fit(X, APART), {}, "never code"),
        (SVC(kernel=lambda A, B: A @ B.T).fit(X, APART), {}, "never code"),
        (object(), {}, "separatrix.SVC or a separatrix.Perceptron; got object"),
        (SVC().fit(X, TWO), {"columns": ["a"]}, "3 columns, but 1 names"),
        (SVC().fit(X, TWO), {"encoding": {1: "a"}}, "plain JSON"),
        (SVC().fit(X, TWO), {"encoding": [1]}, "plain JSON"),
        (SVC().fit(X, TWO), {"encoding": {"a": float("nan")}}, "plain JSON"),
    ],
)
def test_what_cannot_be_saved_is_refused(tmp_path, model, given, sentence):
    with pytest.raises(ModelFileError, match=sentence):
        save(model, tmp_path / "model", **given)
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_is_not_fitted(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        save(SVC(), tmp_path / "model")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("shift", lambda values: values[:-1]),
        ("factor", lambda values: np.append(values, 1.0)),
        ("factor", lambda values: -values),
        ("factor", lambda values: 0.0 * values),
        ("factor", lambda values: values / 0.0),
        ("shift", lambda values: values * np.nan),
        ("shift", lambda values: values.astype(np.float32)),
    ],
)
def test_a_strange_scaling_is_refused(name, change):
    arrays = model_tensors(VARIANTS["svc scaled"]())
    with np.errstate(all="ignore"):
        arrays[f"scaling.{name}"] = change(arrays[f"scaling.{name}"])
    with pytest.raises(ModelFileError, match=f"scaling.{name}"):
        model_from_tensors(arrays)


@pytest.mark.parametrize(("word", "record"), [("range", None), (None, "kept"), ("standard", "dropped")])
def test_a_scaling_that_is_not_that_of_the_parameters_is_refused(word, record):
    arrays = model_tensors(VARIANTS["svc scaled"]())
    document = json.loads(arrays["document"].tobytes())
    pairs = document["SVC"]["parameters"]["pairs"]
    next(pair for pair in pairs if pair[0] == "scaling")[1] = word
    if record == "dropped":
        del document["SVC"]["scaling"]
    arrays["document"] = np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)
    with pytest.raises(ModelFileError, match="scaling"):
        model_from_tensors(arrays)
