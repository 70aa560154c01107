"""The log is the truth: replay gives the same bits, whatever happened to the files beside it.

Tests `serve/folder.py`, `serve/learner.py`, `serve/counts.py` and `serve/predictors.py` too.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from separatrix.errors import ModelFileError
from separatrix.models.file import model_bytes
from separatrix.perceptron.partial_fit import learn_batch
from separatrix.serve.check import check_folder
from separatrix.serve.errors import FolderError, RequestError
from separatrix.serve.learner import read_snapshot
from separatrix.serve.learning import LearningModel
from separatrix.serve.log import Log, link
from separatrix.serve.replay import restore, state_at
from separatrix.serve.settings import Settings
from separatrix.serve.writer import Queue, Work
from serving import COLUMNS, rows

KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "radius": {"bias": "radius"},
    "averaged": {"output": "averaged"},
    "pocket": {"output": "pocket"},
    "one-vs-rest": {"multi_class": "ovr"},
    "kernel": {"kernel": "rbf", "gamma": 0.5},
    "budget": {"kernel": "rbf", "gamma": 0.5, "budget": 10},
}


@cache
def content(**parameters: Any) -> bytes:
    X, y = rows(12, seed=1)
    return model_bytes(sx.Perceptron(**parameters).partial_fit(X, y))


def submit(model: LearningModel, works: list[Work]) -> list[Any]:
    """Outcomes, once all are there."""
    outcomes: dict[int, Any] = {}
    left = threading.Semaphore(0)
    for work in works:
        work.seal()

        def done(outcome: Any, work: Work = work) -> None:
            outcomes[id(work)] = outcome
            left.release()

        work.done = done
        model.submit(work)
    for _ in works:
        assert left.acquire(timeout=20)
    return [outcomes[id(work)] for work in works]


def learn(model: LearningModel, X: Any, y: Any, key: str | None = None) -> Any:
    return submit(model, [Work(np.ascontiguousarray(X), [_plain(v) for v in y], key)])[0]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def opened(folder: Path, base: bytes, **settings: Any) -> LearningModel:
    return LearningModel("m", base, folder, Settings(**settings))


@pytest.mark.parametrize("kind", KINDS)
def test_replay_gives_the_same_bits(tmp_path, kind):
    base = content(**KINDS[kind])
    X, y = rows(160, seed=2)
    y = y.astype(int)
    y[60:] = np.where(X[60:, 0] > 1.0, 7, y[60:])  # a class that appears later
    model = opened(tmp_path / "m", base)
    parts = [Work(X[i : i + 3].copy(), [int(v) for v in y[i : i + 3]]) for i in range(0, 160, 3)]
    outcomes = submit(model, parts)
    before = model.learner.content(0, b"")
    mistakes = model.stats()["mistakes"]
    model.close()
    # the library itself, in one call: what the server said and learnt
    alone = sx.models.file.model_from_bytes(base)
    alone._online.stop_recording()
    predicted = learn_batch(alone, X, y, None)
    said = alone._online.labels[predicted].tolist()
    assert [label for outcome in outcomes for label in outcome.said] == said
    assert mistakes == sum(a != b for a, b in zip(said, y.tolist(), strict=True))
    (tmp_path / "m" / "snapshot.safetensors").unlink()
    again = opened(tmp_path / "m", base)
    assert again.replayed == 160
    assert again.learner.content(0, b"") == before
    assert again.learner.model.decision_function(X).tolist() == alone.decision_function(X).tolist()
    answers, scores = again.predictor()[0].answer(X)
    assert answers == alone.predict(X).tolist()
    assert scores.tolist() == alone.decision_function(X).tolist()
    again.close()
    assert check_folder(tmp_path / "m")["agreed"]


def test_a_snapshot_truncated_anywhere_costs_time_and_nothing_else(tmp_path):
    base = content()
    X, y = rows(20, seed=2)
    model = opened(tmp_path / "m", base)
    learn(model, X, y)
    fingerprint = model.learner.fingerprint()
    model.close()
    path = tmp_path / "m" / "snapshot.safetensors"
    whole = path.read_bytes()
    folder = model.folder
    log = Log(folder.log)
    for size in range(len(whole)):
        with pytest.raises(ModelFileError):
            read_snapshot(whole[:size])
    for size in range(0, len(whole), 37):  # and what a start makes of it
        path.write_bytes(whole[:size])
        restored = restore(folder, log)
        assert restored.learner.fingerprint() == fingerprint
        assert restored.replayed == 20
        assert restored.notes
    for place in range(0, len(whole), 41):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert restore(folder, log).learner.fingerprint() == fingerprint
    path.write_bytes(whole)
    assert restore(folder, log).replayed == 0
    log.close()


def test_a_repeated_request_learns_once(tmp_path):
    X, y = rows(30, seed=3)
    model = opened(tmp_path / "m", content())
    first = learn(model, X[:3], y[:3], "a")
    # twice in one group, and again after a restart
    twice = submit(model, [Work(X[3:6].copy(), y[3:6].tolist(), "b") for _ in range(2)])
    assert [outcome.repeated for outcome in twice] == [False, True]
    assert twice[0].said == twice[1].said
    assert twice[0].seq == twice[1].seq
    model.close()
    model = opened(tmp_path / "m", content())
    again = learn(model, X[:3], y[:3], "a")
    assert again.repeated
    assert (again.seq, again.said, again.total) == (first.seq, first.said, first.total)
    other = learn(model, X[:3], -y[:3], "a")
    assert isinstance(other, RequestError)
    assert other.status == 409
    assert model.stats()["rows_learned"] == 6
    model.close()


def test_delayed_labels(tmp_path):
    X, y = rows(8, seed=3)
    model = opened(tmp_path / "m", content())
    said = model.predictor()[0].answer(X)[0]
    assert submit(model, [Work(X.copy(), None, prediction="p1", said=said)]) == [None]
    taken = submit(model, [Work(X.copy(), None, prediction="p1", said=said)])[0]
    assert taken.status == 409
    model.close()
    model = opened(tmp_path / "m", content())  # a remembered prediction is durable, too
    few = submit(model, [Work(None, [1], prediction="p1")])[0]
    assert few.status == 400
    wrong = sum(a != b for a, b in zip(said, y.tolist(), strict=True))
    outcome = submit(model, [Work(None, y.tolist(), "k", prediction="p1")])[0]
    assert outcome.total == 8
    assert submit(model, [Work(None, y.tolist(), "k", prediction="p1")])[0].repeated
    assert submit(model, [Work(None, y.tolist(), prediction="p1")])[0].status == 404
    assert model.stats()["delayed_labels"] == {"rows": 8, "mistakes": wrong}
    model.close()


def test_going_back_is_part_of_the_log(tmp_path):
    X, y = rows(60, seed=4)
    model = opened(tmp_path / "m", content())
    for i in range(0, 40, 4):
        learn(model, X[i : i + 4], y[i : i + 4])
    at_16 = state_at(model.log, 4)[0].fingerprint()
    done = threading.Event()
    said: list[Any] = []
    model.in_writer(lambda: model.go_back(18), lambda outcome: (said.append(outcome), done.set()))
    assert done.wait(20)
    assert said == [{"rows_learned": 16, "entry": 4, "position": 11}]
    assert model.learner.fingerprint() == at_16
    learn(model, X[40:], y[40:])
    stats = model.stats()
    assert (stats["rows_learned"], stats["rows_logged"]) == (36, 60)
    assert stats["mistakes"] <= stats["bound"]
    fingerprint = model.learner.fingerprint()
    model.close()
    (tmp_path / "m" / "snapshot.safetensors").unlink()
    again = opened(tmp_path / "m", content())
    assert again.learner.fingerprint() == fingerprint
    again.close()
    assert check_folder(tmp_path / "m")["agreed"]


def test_compaction_keeps_model_and_chain(tmp_path):
    X, y = rows(100, seed=5)
    settings = {"retain": 20, "snapshot_rows": 10}
    model = opened(tmp_path / "m", content(), **settings)
    links = []
    for i in range(0, 100, 5):
        learn(model, X[i : i + 5], y[i : i + 5], f"key-{i}")
        links.append(model.tail)
    fingerprint = model.learner.fingerprint()
    model.close()
    log = Log(tmp_path / "m" / "log.sqlite3")
    base = log.base()[0]
    left = list(log.entries(0))
    assert base.seq > 0
    assert left[0].seq == base.seq + 1  # what the base holds is gone
    assert sum(entry.rows for entry in left) >= 20
    # whoever kept the rows can redo the chain over what was removed
    removed = log.removed()
    assert removed[0][3] == hashlib.sha256(content()).digest()
    for (_, last, _, _, after, _), following in zip(removed, [*removed[1:], None], strict=True):
        assert after == links[last - 1].chain
        if following is not None:
            assert following[3] == after
    chain = base.chain
    for entry in left:
        chain = link(chain, entry)
        assert chain == entry.chain
    log.close()
    (tmp_path / "m" / "snapshot.safetensors").unlink()
    again = opened(tmp_path / "m", content(), **settings)
    assert again.learner.fingerprint() == fingerprint
    assert again.stats()["rows_learned"] == 100
    again.close()
    assert check_folder(tmp_path / "m")["agreed"]


def test_a_changed_or_shortened_log_is_noticed(tmp_path):
    X, y = rows(30, seed=6)
    model = opened(tmp_path / "m", content())
    for i in range(0, 30, 3):
        learn(model, X[i : i + 3], y[i : i + 3])
    model.close()
    folder, path = tmp_path / "m", tmp_path / "m" / "log.sqlite3"
    whole = path.read_bytes()

    def refused(match: str) -> None:
        with pytest.raises(FolderError, match=match):
            opened(folder, content())
        assert not check_folder(folder)["agreed"]
        path.write_bytes(whole)
        assert check_folder(folder)["agreed"], (check_folder(folder), list(folder.iterdir()))

    def change(statement: str) -> None:
        with sqlite3.connect(path) as connection:
            connection.execute(statement)
        connection.close()

    change("DELETE FROM entries WHERE seq > 7")
    refused("was acknowledged, but the log .* ends before it")
    path.write_bytes(whole[: len(whole) // 2])
    refused("cannot be read|malformed|ends before")
    (folder / "snapshot.safetensors").rename(folder / "aside")
    for statement in (
        "UPDATE entries SET y = '[1, 1, 1]', said = '[1, 1, 1]' WHERE seq = 4",
        "UPDATE entries SET X = zeroblob(96) WHERE seq = 4",
        "UPDATE entries SET at = at + 1 WHERE seq = 4",
        "UPDATE entries SET chain = zeroblob(32) WHERE seq = 4",
    ):
        change(statement)
        refused("Entry [45] of the log .* was changed")
    change("DELETE FROM entries WHERE seq = 4")
    refused("Entry 4 is missing")
    path.unlink()
    with pytest.raises(FolderError, match="has lost its log"):
        opened(folder, content())


def test_another_model_and_a_second_server_are_refused(tmp_path):
    model = opened(tmp_path / "m", content())
    with pytest.raises(FolderError, match="in use by another server"):
        opened(tmp_path / "m", content())
    model.close()
    with pytest.raises(FolderError, match="began with another model"):
        opened(tmp_path / "m", content(bias="none"))


def test_the_queue_is_bounded():
    queue = Queue(most_requests=3, most_rows=10)
    queue.put(Work(None, [1] * 20))  # one that is too large alone is still let in
    with pytest.raises(RequestError) as refused:
        queue.put(Work(None, [1]))
    assert refused.value.status == 429
    assert refused.value.headers["Retry-After"]
    works, _ = queue.take(0)
    assert len(works) == 1
    assert queue.rows == 0
    for _ in range(3):
        queue.put(Work(None, [1]))
    with pytest.raises(RequestError):
        queue.put(Work(None, [1]))
    queue.close()
    with pytest.raises(RequestError, match="stopping"):
        queue.put(Work(None, [1]))
    assert len(queue.take(0)[0]) == 3
    assert queue.take(0) is None


def test_too_many_classes_are_refused_and_leave_no_trace(tmp_path, monkeypatch):
    monkeypatch.setattr("separatrix.serve.learner.MAX_CLASSES", 3)
    model = opened(tmp_path / "m", content())
    X, _ = rows(4, seed=7)
    assert learn(model, X[:1], [3]).seq == 1
    assert learn(model, X, [4, 5, 6, 7]).status == 400
    assert model.stats()["position"] == 1
    assert json.loads(model.log.entry(1).y) == [3]
    assert model.columns == COLUMNS
    model.close()
