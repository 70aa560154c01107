"""The interface: the inference protocol, learning, three kinds of bodies, and sentences for what is wrong.

Tests `serve/app.py`, `serve/handlers.py`, `serve/http.py`, `serve/inference.py`, `serve/bodies.py`, `serve/tensors.py`,
`serve/labels.py`, `serve/metrics.py`, `serve/static_model.py` and `cli/serve.py`.
"""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import separatrix as sx
from serving import COLUMNS, fetch, rows, serving, tensors

ARROW = {"Content-Type": "application/vnd.apache.arrow.stream"}
NDJSON = {"Content-Type": "application/x-ndjson"}
LEARN, INFER = "/v2/models/spam/learn", "/v2/models/spam/infer"


def test_metadata_and_health(address):
    assert fetch(address, "GET", "/v2/health/live")[:2] == (200, {"live": True})
    assert fetch(address, "GET", "/v2/health/ready")[0] == 200
    status, server, headers = fetch(address, "GET", "/v2")
    assert (status, server["name"], server["version"]) == (200, "separatrix", sx.__version__)
    assert headers["x-content-type-options"] == "nosniff"
    _, model, _ = fetch(address, "GET", "/v2/models/spam")
    assert model["inputs"] == [{"name": "X", "datatype": "FP64", "shape": [-1, COLUMNS]}]
    assert model["outputs"][0] == {"name": "predict", "datatype": "INT64", "shape": [-1]}
    _, many, _ = fetch(address, "GET", "/v2/models/many/versions/1")
    assert many["outputs"][1]["shape"] == [-1, 3]
    assert fetch(address, "GET", "/v2/models/spam/ready")[0] == 200
    assert fetch(address, "GET", "/v2/models/none")[0] == 404
    assert fetch(address, "GET", "/v2/models/spam/versions/9/ready")[0] == 404
    status, _, headers = fetch(address, "GET", "/v2/models/spam/infer")
    assert (status, headers["allow"]) == (405, "POST")
    names = [model["name"] for model in fetch(address, "GET", "/v2/models")[1]["models"]]
    assert names == ["kernel", "many", "spam"]


@pytest.mark.parametrize("name", ["kernel", "many"])
def test_models_that_do_not_learn_predict_as_the_library(address, models, name):
    model = sx.load(models / f"{name}.safetensors")
    X, _ = rows(30, seed=8)
    status, answer, _ = fetch(address, "POST", f"/v2/models/{name}/infer", tensors(X, id="q"))
    assert status == 200
    assert answer["id"] == "q"
    label, score = answer["outputs"]
    assert label["data"] == model.predict(X).tolist()
    assert score["data"] == model.decision_function(X).ravel().tolist()
    assert score["shape"] == list(model.decision_function(X).shape)
    status, answer, _ = fetch(address, "POST", f"/v2/models/{name}/learn", tensors(X[:1], [1]))
    assert status == 409
    assert "does not learn" in answer["error"]


def test_learning_predicts_first_and_is_counted(address):
    X, y = rows(20, seed=9)
    before = fetch(address, "GET", "/v2/models/spam/stats")[1]
    said = fetch(address, "POST", INFER, tensors(X[:1]))[1]["outputs"][0]["data"]
    status, answer, _ = fetch(address, "POST", LEARN, tensors(X[:1], y[:1]))
    assert status == 200
    assert answer["outputs"][0]["data"] == said
    assert answer["parameters"]["durable"] is True
    assert answer["parameters"]["mistakes"] == int(said[0] != y[0])
    fetch(address, "POST", LEARN, tensors(X[1:], y[1:]))
    after = fetch(address, "GET", "/v2/models/spam/stats")[1]
    assert after["rows_learned"] == before["rows_learned"] + 20
    assert after["mistakes"] <= after["bound"]
    low, high = after["mistake_rate_interval"]
    assert low <= after["mistake_rate"] <= high


def test_three_kinds_of_bodies_ask_the_same(address):
    pa = pytest.importorskip("pyarrow")
    X, y = rows(6, seed=10)
    lines = "\n".join(json.dumps({"x": list(row), "y": int(label)}) for row, label in zip(X, y, strict=True))
    columns = {f"c{i}": X[:, i] for i in range(COLUMNS)}
    listed = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), COLUMNS)

    def stream(table):
        out = io.BytesIO()
        with pa.ipc.new_stream(out, table.schema) as writer:
            writer.write_table(table)
        return out.getvalue()

    head = json.dumps(
        {
            "inputs": [
                {
                    "name": "X",
                    "shape": [6, COLUMNS],
                    "datatype": "FP64",
                    "parameters": {"binary_data_size": X.nbytes},
                },
                {"name": "y", "shape": [6], "datatype": "INT64", "data": y.tolist()},
            ]
        }
    ).encode()
    binary = {"Inference-Header-Content-Length": str(len(head)), "Content-Type": "application/octet-stream"}
    bodies = [
        (tensors(X, y), {}),
        (lines.encode(), NDJSON),
        (stream(pa.table({**columns, "y": y})), ARROW),
        (stream(pa.table({"X": listed, "y": y})), ARROW),
        (head + X.tobytes(), binary),
    ]
    # one key: whatever the body, the same was asked, so that it is learnt once
    seen = set()
    for body, headers in bodies:
        status, answer, reply = fetch(address, "POST", LEARN, body, {**headers, "Idempotency-Key": "one"})
        assert status == 200, answer
        seen.add(json.dumps(answer))
        assert (reply.get("idempotent-replay") == "true") == (len(body) != 0 and body is not bodies[0][0])
    assert len(seen) == 1
    packed = io.BytesIO()
    table = pa.table(columns)
    with pa.ipc.new_stream(
        packed, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")
    ) as writer:
        writer.write_table(table)
    assert fetch(address, "POST", INFER, packed.getvalue(), ARROW)[0] == 415


def test_delayed_labels_by_the_id_of_a_prediction(address):
    X, y = rows(3, seed=11)
    asked = tensors(X, id="visit-17", parameters={"remember": True})
    status, answer, _ = fetch(address, "POST", INFER, asked)
    assert (status, answer["id"]) == (200, "visit-17")
    labels = {"name": "y", "shape": [3], "datatype": "INT64", "data": y.tolist()}
    later = {"inputs": [labels], "parameters": {"prediction": "visit-17"}}
    status, answer, _ = fetch(address, "POST", LEARN, later)
    assert status == 200
    assert len(answer["outputs"][0]["data"]) == 3
    assert fetch(address, "POST", LEARN, later)[0] == 404


BAD = [
    (b"", "not JSON"),
    (b"{", "not JSON"),
    (b"[1]", "object"),
    (b"[" * 100_000, "nested"),
    (b'{"inputs": []}', "inputs"),
    (b'{"inputs": [{"name": "X", "shape": [1, 4], "datatype": "FP64", "data": [1, 2, NaN, 4]}]}', "NaN"),
    (b'{"inputs": [{"name": "X", "shape": [1, 4], "datatype": "FP64", "data": [1, 2, 1e999, 4]}]}', "finite"),
    (b'{"inputs": [{"name": "X", "shape": [1, 4], "datatype": "FP64", "data": [1, 2, 1e200, 4]}]}', "finite"),
    (tensors(np.ones((1, COLUMNS + 1)), [1]), "columns"),
    (tensors(np.ones((2, COLUMNS)), [1]), "labels"),
    (tensors(np.ones((1, COLUMNS)), ["spam"]), "Label 0"),
    (tensors(np.ones((1, COLUMNS))), "no labels"),
    ({"inputs": [{"name": "X", "shape": [2, 4], "datatype": "FP64", "data": [1, 2, 3, 4]}]}, "needs 8"),
    (
        {"inputs": [{"name": "X", "shape": [1, 4], "datatype": "FP64", "data": ["1", "2", "3", "4"]}]},
        "numbers",
    ),
    ({"inputs": [{"name": "X", "shape": [1, 4], "datatype": "FP99", "data": [1, 2, 3, 4]}]}, "FP99"),
    ({"inputs": [{"name": "X", "shape": [2, 2], "datatype": "FP64", "data": [[1, 2], [3]]}]}, "box"),
    ({"inputs": [{"name": "X", "shape": [1, 4], "datatype": "INT64", "data": [1, 2, 3, 2**60]}]}, "2\\^53"),
]


@pytest.mark.parametrize(("body", "said"), BAD, ids=range(len(BAD)))
def test_what_is_wrong_is_said_and_nothing_is_learnt(address, body, said):
    before = fetch(address, "GET", "/v2/models/spam/stats")[1]["position"]
    status, answer, _ = fetch(address, "POST", LEARN, body)
    assert status == 400
    assert re.search(said, answer["error"]), answer
    assert fetch(address, "GET", "/v2/models/spam/stats")[1]["position"] == before


def test_one_bad_row_refuses_the_whole_request(address):
    X, y = rows(5, seed=12)
    before = fetch(address, "GET", "/v2/models/spam/stats")[1]["position"]
    lines = [json.dumps({"x": row.tolist(), "y": int(label)}) for row, label in zip(X, y, strict=True)]
    for bad in ('{"x": [1, 2], "y": 1}', '{"x": [1, 2, 3, "4"], "y": 1}', '{"x": [1, 2, 3, 4]}', "nonsense"):
        body = "\n".join([*lines[:3], bad, *lines[3:]]).encode()
        assert fetch(address, "POST", LEARN, body, NDJSON)[0] == 400
    assert fetch(address, "GET", "/v2/models/spam/stats")[1]["position"] == before


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
TENSORS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(["X", "y", "z"]) | JUNK,
            "shape": st.lists(st.integers(-1, 5), max_size=3) | JUNK,
            "datatype": st.sampled_from(["FP64", "INT64", "BYTES", "BOOL", "FP16"]) | JUNK,
            "data": st.lists(st.floats() | st.integers() | st.text(max_size=2), max_size=6) | JUNK,
            "parameters": JUNK,
        },
    ),
    max_size=3,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    body=st.fixed_dictionaries(
        {}, optional={"inputs": TENSORS | JUNK, "id": JUNK, "outputs": JUNK, "parameters": JUNK}
    )
)
def test_fuzzed_json_never_fails_the_server(address, body):
    for path in (LEARN, INFER):
        assert fetch(address, "POST", path, body)[0] in (200, 400, 409)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), kind=st.sampled_from([ARROW, NDJSON, {"Content-Type": "application/json"}]))
def test_fuzzed_bytes_never_fail_the_server(address, data, kind):
    body = bytearray(_valid(kind))
    for _ in range(data.draw(st.integers(0, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    body = body[: data.draw(st.integers(0, len(body)))]
    assert fetch(address, "POST", LEARN, bytes(body), kind)[0] in (200, 400, 415)


def _valid(kind) -> bytes:
    X, y = rows(2, seed=13)
    if kind is ARROW:
        pa = pytest.importorskip("pyarrow")
        out = io.BytesIO()
        table = pa.table({**{f"c{i}": X[:, i] for i in range(COLUMNS)}, "y": y})
        with pa.ipc.new_stream(out, table.schema) as writer:
            writer.write_table(table)
        return out.getvalue()
    if kind is NDJSON:
        return b'{"x": [1, 2, 3, 4], "y": 1}\n{"x": [0.5, 2, 3, 4], "y": -1}\n'
    return json.dumps(tensors(X, y)).encode()


def test_metrics_and_pages(address):
    status, text, headers = fetch(address, "GET", "/metrics")
    assert status == 200
    assert headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = text.decode().splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    rows_logged = fetch(address, "GET", "/v2/models/spam/stats")[1]["rows_logged"]
    assert int(values['separatrix_rows_logged_total{model="spam"}']) == rows_logged
    assert all(float(value) == float(value) for value in values.values())
    helped = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(set(helped)) == len(helped) > 15
    status, page, headers = fetch(address, "GET", "/")
    assert status == 200
    assert b"<html" in page
    assert "default-src 'none'" in headers["content-security-policy"]
    assert fetch(address, "GET", "/../app.py")[0] == 404
    wrong = fetch(address, "GET", "/v2/models/spam/wrong")[1]["rows"]
    assert all(row["label"] != row["predicted"] for row in wrong)
    assert fetch(address, "GET", "/v2/models/spam/history")[1]["points"]


def test_a_static_model_is_read_again_without_a_dropped_request(models, tmp_path):
    X, y = rows(60, seed=14)
    path = tmp_path / "still.safetensors"
    sx.save(sx.SVC(C=1.0).fit(X, y), path)
    with serving(path) as address:
        first = fetch(address, "POST", "/v2/models/still/infer", tensors(X))[1]
        path.write_bytes(b"no model")
        status, answer, _ = fetch(address, "POST", "/v2/models/still/reload")
        assert status == 409
        assert "the old model still answers" in answer["error"]
        assert fetch(address, "POST", "/v2/models/still/infer", tensors(X))[1] == first
        changed = sx.SVC(C=1.0).fit(X, -y)
        sx.save(changed, path)
        assert fetch(address, "POST", "/v2/models/still/reload")[1] == {"serving": "2"}
        second = fetch(address, "POST", "/v2/models/still/infer", tensors(X))[1]
        assert (first["model_version"], second["model_version"]) == ("1", "2")
        assert second["outputs"][0]["data"] == changed.predict(X).tolist()
