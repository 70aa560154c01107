"""A disk that is full or read-only: a sentence, nothing acknowledged is lost, and learning goes on once it can."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest
from test_serve_log import content, learn, opened

from separatrix.serve.check import check_folder
from separatrix.serve.errors import FolderError
from serving import rows

FULL = """
    import json, resource, signal, sys
    import numpy as np
    sys.path[:0] = json.loads(sys.argv[2])
    from pathlib import Path
    from serving import rows
    from test_serve_log import content, learn, opened
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    folder = Path(sys.argv[1])
    model = opened(folder, Path(sys.argv[3]).read_bytes(), snapshot_rows=500)
    X, y = rows(20_000, seed=2)
    told = []
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
    refused = None
    for i in range(0, 20_000, 100):
        outcome = learn(model, X[i:i + 100], y[i:i + 100], f"key-{i}")
        if isinstance(outcome, Exception):
            refused = refused or str(outcome)
            failed = i
            break
        told.append([i, outcome.seq, outcome.said])
    predicted = model.predictor()[0].answer(X[:50])[0]
    again = learn(model, X[failed:failed + 100], y[failed:failed + 100], f"key-{failed}")
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    later = learn(model, X[failed:failed + 100], y[failed:failed + 100], f"key-{failed}")
    told.append([failed, later.seq, later.said])
    fingerprint = model.learner.fingerprint()
    model.close()
    print(json.dumps({"told": told, "refused": refused, "status": again.status, "fingerprint": fingerprint}))
"""


def test_a_full_disk(tmp_path):
    # The limit on the size of files stands for the full disk, in a process of its own.
    base = tmp_path / "base"
    base.write_bytes(content())
    script = [sys.executable, "-c", textwrap.dedent(FULL), tmp_path / "m", json.dumps(sys.path), base]
    run = subprocess.run(script, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout)
    assert "the rows were not" in said["refused"]
    assert said["status"] == 507
    model = opened(tmp_path / "m", content())
    X, _ = rows(20_000, seed=2)
    assert len(said["told"]) > 5
    for i, seq, answer in said["told"]:
        entry = model.log.entry(seq)
        assert entry.key == f"key-{i}"
        assert X[i : i + 100].tobytes() == entry.X
        assert json.loads(entry.said) == answer
    assert model.learner.fingerprint() == said["fingerprint"]
    assert model.stats()["rows_learned"] == 100 * len(said["told"])
    model.close()
    assert check_folder(tmp_path / "m")["agreed"]


def test_a_log_that_cannot_be_written(tmp_path):
    X, y = rows(40, seed=3)
    model = opened(tmp_path / "m", content())
    first = learn(model, X[:10], y[:10], "a")
    model.log.connection.execute("PRAGMA query_only = ON")  # as on a disk that became read-only
    refused = learn(model, X[10:20], y[10:20], "b")
    assert refused.status == 507
    assert "cannot be written" in str(refused)
    assert model.stats()["problem"]
    assert model.stats()["rows_learned"] == 10
    assert len(model.predictor()[0].answer(X)[0]) == 40
    assert learn(model, X[10:20], y[10:20], "b").status == 507
    model.log.connection.execute("PRAGMA query_only = OFF")
    assert learn(model, X[10:20], y[10:20], "b").total == 20
    assert learn(model, X[:10], y[:10], "a").seq == first.seq
    assert model.stats()["problem"] is None
    model.close()
    assert check_folder(tmp_path / "m")["agreed"]


def test_a_snapshot_that_cannot_be_written_costs_nothing(tmp_path, monkeypatch):
    X, y = rows(40, seed=4)
    model = opened(tmp_path / "m", content(), snapshot_rows=1)
    monkeypatch.setattr("separatrix.serve.learning.replacing", _full)
    for i in range(4):
        assert learn(model, X[10 * i : 10 * i + 10], y[10 * i : 10 * i + 10]).total == 10 * i + 10
    fingerprint = model.learner.fingerprint()
    model.close()
    assert not (tmp_path / "m" / "snapshot.safetensors").exists()
    again = opened(tmp_path / "m", content())
    assert again.learner.fingerprint() == fingerprint
    again.close()


def _full(path):
    raise OSError(28, "No space left on device")


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderError, match="cannot be written"):
        opened(tmp_path / "file" / "m", content())
