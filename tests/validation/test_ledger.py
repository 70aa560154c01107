"""The ledger: shared by processes, not lost by kill -9, not changed unnoticed.

Tests `validation/ledger.py`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from separatrix.validation import FileLedger, Holdout, Ladder, LedgerError

LOOKER = """
import sys, numpy as np
from separatrix.validation import Holdout
path, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
holdout = Holdout(np.zeros((50, 1)), np.arange(50) % 2, ledger=path)
rng = np.random.default_rng(seed)
for _ in range(count):
    print(holdout.score(rng.integers(0, 2, 50)).looks, flush=True)
"""


def holdout(path) -> Holdout:
    return Holdout(np.zeros((50, 1)), np.arange(50) % 2, ledger=path)


def looker(path, seed: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", LOOKER, str(path), str(seed), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_looks_survive_a_restart(tmp_path):
    path = tmp_path / "looks.jsonl"
    first = holdout(path).score(np.zeros(50))
    again = holdout(path)
    assert again.looks == 1
    assert again.history() == [first]
    assert again.score(np.ones(50)).looks == 2


def test_several_processes_count_together(tmp_path):
    path = tmp_path / "looks.jsonl"
    processes = [looker(path, seed, 30) for seed in range(2)]
    numbers = [int(word) for process in processes for word in process.communicate()[0].split()]
    assert [process.returncode for process in processes] == [0, 0]
    assert sorted(numbers) == list(range(1, 61))
    assert holdout(path).looks == 60


def test_kill_loses_no_look_that_was_answered(tmp_path):
    path = tmp_path / "looks.jsonl"
    process = looker(path, 0, 100_000)
    assert process.stdout is not None
    answered = [int(process.stdout.readline()) for _ in range(20)]
    process.send_signal(signal.SIGKILL)
    answered += [int(line) for line in process.stdout.read().split() if line]
    process.stdout.close()
    process.wait()
    assert holdout(path).looks >= max(answered) >= 20


def test_a_torn_line_is_dropped_because_its_answer_was_never_given(tmp_path):
    path = tmp_path / "looks.jsonl"
    holdout(path).score(np.zeros(50))
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"look": 2, "pred')
    assert holdout(path).looks == 1
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda lines: [lines[0], lines[1].replace(b'"answer": ', b'"answer": 1'), *lines[2:]],
            "was changed",
        ),
        (lambda lines: [lines[0], *lines[2:]], "removed or added"),
        (lambda lines: [lines[0], lines[1], lines[1], *lines[2:]], "removed or added"),
        (lambda lines: [b"hello\n", *lines], "not JSON"),
        (lambda lines: [b"[1]\n", *lines], "no hash"),
    ],
)
def test_a_changed_ledger_is_noticed(tmp_path, change, said):
    path = tmp_path / "looks.jsonl"
    looks = holdout(path)
    for seed in range(3):
        looks.score(np.random.default_rng(seed).integers(0, 2, 50))
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(LedgerError, match=said):
        holdout(path)


def test_a_process_that_saw_more_looks_notices_that_they_are_gone(tmp_path):
    path = tmp_path / "looks.jsonl"
    looks = holdout(path)
    looks.score(np.zeros(50))
    kept = path.read_bytes()
    looks.score(np.ones(50))
    path.write_bytes(kept)
    with pytest.raises(LedgerError, match="became shorter"):
        looks.score(np.arange(50) > 10)


def test_other_data_other_rules_other_mechanism_are_refused(tmp_path):
    path = tmp_path / "looks.jsonl"
    holdout(path)
    with pytest.raises(LedgerError, match="begun with data"):
        Holdout(np.ones((50, 1)), np.arange(50) % 2, ledger=path)
    with pytest.raises(LedgerError, match="begun with confidence"):
        Holdout(np.zeros((50, 1)), np.arange(50) % 2, confidence=0.9, ledger=path)
    with pytest.raises(LedgerError, match="begun with"):
        Ladder(np.zeros((50, 1)), np.arange(50) % 2, budget=3, ledger=path)


def test_a_file_that_is_no_ledger_is_not_read_whole(tmp_path):
    path = tmp_path / "huge"
    with open(path, "wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(LedgerError, match="at most"):
        FileLedger(path).open({"n": 1})


def test_the_ledger_holds_what_was_answered_and_nothing_else(tmp_path):
    path = tmp_path / "looks.jsonl"
    before = time.time()
    holdout(path).score(np.arange(50) < 25)
    header, look = map(json.loads, path.read_text().splitlines())
    assert header["mechanism"] == "holdout"
    assert header["rows"] == 50
    assert set(look) == {"look", "predictions", "at", "answer", "log_failure", "repeated", "before", "hash"}
    assert before - 1 <= look["at"] <= time.time() + 1
    assert os.stat(path).st_size < 2000
