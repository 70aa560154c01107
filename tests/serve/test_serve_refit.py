"""The maximum-margin model kept up to date: swapped in when proved, checked by anyone, rolled back by one call.

Tests `serve/versions.py` too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
import pytest

import separatrix as sx
from separatrix.serve.client import Client
from separatrix.serve.errors import RequestError
from separatrix.serve.refit import check_request
from serving import fetch, rows, save_perceptron, serving

STATS = "/v2/models/spam/stats"


def wait(client: Client, seconds: float = 60) -> dict:
    """The numbers once a refit has ended, and what it brought is in place."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        stats = client.stats()
        last = stats["refit"]["last"]
        if (
            not stats["refit"]["running"]
            and last is not None
            and (not last["proved"] or len(stats["versions"]) > 1)
        ):
            return stats
        time.sleep(0.1)
    raise AssertionError(stats["refit"])


@pytest.fixture(scope="module")
def refitted(tmp_path_factory):
    """A server that has learnt 400 rows and fitted the latest 300; its folder and what was sent."""
    folder = tmp_path_factory.mktemp("refit")
    model = save_perceptron(folder / "spam.safetensors")
    X, y = rows(500, seed=31)
    held_X, held_y = rows(200, seed=32)
    table = np.column_stack([held_X, held_y])
    (folder / "held.csv").write_text(
        "a,b,c,d,y\n" + "\n".join(",".join(map(repr, map(float, r))) for r in table)
    )
    options = ("--data-dir", folder / "logs", "--held-out", folder / "held.csv")
    with serving(model, *options) as address, Client(address, "spam") as client:
        for i in range(0, 400, 7):
            client.learn(X[i : min(i + 7, 400)], y[i : min(i + 7, 400)])
        client.refit(rows=300, C=0.5, kernel="linear")
        yield folder, address, client, X, y, wait(client)


def test_a_proved_refit_answers(refitted):
    _, _, client, X, y, stats = refitted
    facts = stats["versions"][1]
    assert stats["serving"] == facts["version"] == "1"
    assert facts["proved"]
    assert facts["rows"] == [100, 400]
    expected = sx.SVC(C=0.5, random_state=0).fit(X[100:400], y[100:400])
    answer = client.infer(X[400:])
    assert answer["model_version"] == "1"
    assert answer["outputs"][0]["data"] == expected.predict(X[400:]).tolist()
    online = client.infer(X[400:], version="online")
    assert online["model_version"] == "online"
    assert facts["held_out"]["rows"] == 200
    assert facts["held_out"]["looks"] == 1
    assert (
        facts["held_out"]["interval"][0] <= facts["held_out"]["accuracy"] <= facts["held_out"]["interval"][1]
    )


def test_anyone_can_check_the_certificate(refitted, tmp_path):
    _, address, _, X, y, _ = refitted
    status, certificate, _ = fetch(address, "GET", "/v2/models/spam/certificate")
    assert status == 200
    (tmp_path / "proof.json").write_text(json.dumps(certificate))
    status, text, _ = fetch(address, "GET", "/v2/models/spam/rows?first=100&last=400")
    (tmp_path / "rows.csv").write_bytes(text)
    run = subprocess.run(
        [sys.executable, "-m", "separatrix", "verify", "proof.json", "rows.csv", "--label", "y"],
        cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    lines = text.decode().splitlines()[1:]
    assert [float(value) for value in lines[0].split(",")[:-1]] == X[100].tolist()
    assert [int(line.split(",")[-1]) for line in lines] == y[100:400].tolist()
    for query in ("first=5&last=5", "first=0&last=99999", "first=-1", "first=x"):
        assert fetch(address, "GET", f"/v2/models/spam/rows?{query}")[0] == 400


def test_its_mistakes_on_later_rows_are_counted_and_it_can_be_rolled_back(refitted):
    _, address, client, X, y, _ = refitted
    said = client.infer(X[400:450])["outputs"][0]["data"]
    client.learn(X[400:450], y[400:450])
    facts = client.stats()["versions"][1]
    assert facts["rows_since"] == {"rows": 50, "mistakes": int(np.sum(np.array(said) != y[400:450]))}
    assert client.rollback() == {"serving": "online"}
    assert client.infer(X[:1])["model_version"] == "online"
    assert client.rollback(version="1") == {"serving": "1"}
    assert fetch(address, "POST", "/v2/models/spam/rollback", {"version": "7"})[0] == 404
    assert fetch(address, "POST", "/v2/models/spam/rollback", {"rows": -1})[0] == 400
    before = client.stats()
    back = client.rollback(rows=203)
    assert back["rows_learned"] == 203
    after = client.stats()
    assert (after["rows_learned"], after["rows_logged"]) == (203, before["rows_logged"])
    assert client.learn(X[450:], y[450:])["parameters"]["rows_logged"] == before["rows_logged"] + 50


def test_what_cannot_be_proved_is_not_swapped_in(refitted):
    _, address, client, _, _, _ = refitted
    serving_before = client.stats()["serving"]
    assert fetch(address, "POST", "/v2/models/spam/refit", {"rows": 2, "C": 1e-3})[0] == 202
    assert fetch(address, "POST", "/v2/models/spam/refit", {})[0] == 409  # one at a time
    deadline = time.monotonic() + 60
    while client.stats()["refit"]["running"] and time.monotonic() < deadline:
        time.sleep(0.1)
    stats = client.stats()
    if not stats["refit"]["last"]["proved"]:  # two rows of one class
        assert stats["serving"] == serving_before
        assert "one class" in stats["refit"]["last"]["why"]


def test_versions_and_counts_outlive_the_server(tmp_path):
    model = save_perceptron(tmp_path / "spam.safetensors")
    X, y = rows(200, seed=33)
    options = ("--data-dir", tmp_path / "logs", "--refit-every", 100)
    with serving(model, *options) as address, Client(address, "spam") as client:
        client.learn(X, y)  # the refit begins by itself
        wait(client)
        client.learn(X[:20], y[:20])
        before, said = client.stats(), client.predict(X).tolist()
    with serving(model, "--data-dir", tmp_path / "logs") as address, Client(address, "spam") as client:
        after = client.stats()
        assert client.predict(X).tolist() == said
        for name in (
            "serving",
            "versions",
            "rows_learned",
            "mistakes",
            "mistake_rate_interval",
            "chain",
            "bound",
        ):
            assert after[name] == before[name], name


def test_requests_for_refits_are_checked():
    assert check_request({})["kernel"] == "linear"
    for wrong in (
        {"rows": 1},
        {"C": 0},
        {"C": True},
        {"kernel": "x"},
        {"gamma": -1},
        {"tol": 1},
        {"more": 1},
    ):
        with pytest.raises(RequestError):
            check_request(wrong)
