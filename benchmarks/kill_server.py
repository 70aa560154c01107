"""kill -9 at random moments under load: no acknowledged row is lost or learnt twice, the replay is equal to the bit.

    python -m benchmarks.kill_server 1000

A server is forked, four clients send rows to it, and after a random time it is killed, wherever it is: in its start,
in a transaction, in a snapshot, in a compaction. The next server takes over the same folder; requests without an answer
are sent again with their keys. After every few kills the log is read offline and compared with what clients were told,
and the model with the library's own, fed with the rows of the log.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import signal
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import separatrix as sx
from separatrix.models.file import model_bytes, model_from_bytes
from separatrix.perceptron.partial_fit import learn_batch
from separatrix.serve.check import check_folder
from separatrix.serve.client import Client, ServeError
from separatrix.serve.learner import Learner, read_snapshot
from separatrix.serve.log import Log
from separatrix.serve.run import Place, open_models, serve
from separatrix.serve.settings import Settings
from separatrix.serve.tokens import Tokens

COLUMNS, CLIENTS = 5, 4


def make_request(number: int) -> tuple[np.ndarray, list[int]]:
    """Rows that name the request they belong to, and their labels; now and then a class that is new."""
    rng = np.random.default_rng(number)
    X = rng.normal(size=(int(rng.integers(1, 6)), COLUMNS))
    X[:, 0] = number
    X[:, 1] = np.arange(len(X))
    y = np.where(X[:, 2] + X[:, 3] > 0, 1, -1)
    return X, [int(v) if rng.random() > 0.002 else int(number % 7) for v in y]


@dataclass
class Run:
    """What the clients know."""

    acknowledged: dict[int, Any] = field(default_factory=dict)
    open: set[int] = field(default_factory=set)  #: sent, and not answered yet
    next: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def fork_server(model: Path, data: Path, settings: Settings) -> tuple[int, Any]:
    """A server in a process of its own; its address comes through the pipe."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, os.fdopen(reading)
    try:
        logging.disable(logging.CRITICAL)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        opened = open_models([model], data, settings)
        ready = lambda address: os.write(writing, address.encode() + b"\n")  # noqa: E731
        serve(opened, Tokens({}), Place(port=0), settings, ready)
    finally:
        os._exit(0)


def send(client: Client, run: Run, number: int) -> None:
    X, y = make_request(number)
    answer = client.learn(X, y, key=f"request-{number}")
    with run.lock:
        run.acknowledged[number] = answer
        run.open.discard(number)


def drive(address: str, run: Run, stop: threading.Event) -> None:
    """One client: open requests first, then new ones, until it is told to stop or the server is gone."""
    client = Client(address, "model", retries=0, timeout=5)
    while not stop.is_set():
        with run.lock:
            number = run.next
            run.next += 1
            run.open.add(number)
        try:
            send(client, run, number)
        except ServeError:
            return
    client.close()


def one_kill(model: Path, data: Path, settings: Settings, run: Run, rng: random.Random) -> None:
    """Start, load, kill."""
    pid, pipe = fork_server(model, data, settings)
    killed = False
    if rng.random() < 0.15:  # in its start: while it replays, or before it listens
        time.sleep(rng.random() * 0.1)
        os.kill(pid, signal.SIGKILL)
        killed = True
    address = pipe.readline().strip()
    pipe.close()
    if address and not killed:
        # Whatever was open when the last server died is sent again first.
        client = Client(address, "model", retries=3, timeout=10)
        for number in sorted(run.open):
            send(client, run, number)
        client.close()
        stop = threading.Event()
        threads = [threading.Thread(target=drive, args=(address, run, stop)) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        time.sleep(rng.random() * 0.15)
        os.kill(pid, signal.SIGKILL)
        stop.set()
        for thread in threads:
            thread.join()
    os.waitpid(pid, 0)


def check(data: Path, base: bytes, run: Run) -> None:
    """The log against what the clients were told, and the model against the library."""
    verdict = check_folder(data / "model")
    assert verdict["agreed"], verdict["reason"]
    log = Log(data / "model" / "log.sqlite3", readonly=True)
    begin, content = log.base()
    found: dict[int, Any] = {}
    X_all, y_all = [], []
    for entry in log.entries(begin.seq):
        number = int(entry.key.removeprefix("request-"))
        assert number not in found, f"request {number} was learnt twice"
        found[number] = entry
        X, y = make_request(number)
        assert X.tobytes() == entry.X, number
        assert json.loads(entry.y) == y, number
        X_all.append(X)
        y_all += y
    told = run.acknowledged
    for number, answer in told.items():
        facts = answer["parameters"]
        if facts["position"] <= begin.seq:
            continue  # compacted: its place in the order is counted below
        entry = found.get(number)
        assert entry is not None, f"request {number} was acknowledged and is lost"
        assert facts["position"] == entry.seq
        assert answer["outputs"][0]["data"] == json.loads(entry.said)
    places = [answer["parameters"]["position"] for answer in told.values()]
    assert len(set(places)) == len(places), "two requests were told one place"
    unknown = set(found) - set(told)
    assert unknown <= run.open, "rows are in the log that nobody sent"
    # The library alone, from the base.
    fitted = read_snapshot(content)[0].model if begin.seq else model_from_bytes(base)
    fitted._online.stop_recording()
    if X_all:
        learn_batch(fitted, np.concatenate(X_all), np.array(y_all), None)
    restored = check_folder(data / "model")["fingerprint"]
    rows, mistakes = _counts(log, begin.seq, content)
    assert Learner(fitted, rows, mistakes).fingerprint() == restored
    log.close()


def _counts(log: Log, seq: int, content: bytes) -> tuple[int, int]:
    learner = read_snapshot(content)[0]
    rows, mistakes = learner.rows, learner.mistakes
    for entry in log.entries(seq):
        rows += entry.rows
        mistakes += sum(a != b for a, b in zip(json.loads(entry.y), json.loads(entry.said), strict=True))
    return rows, mistakes


def kills(count: int, folder: Path, retain: int | None, seed: int, every: int = 20) -> Run:
    """So many kills on one folder, checked after every few and at the end."""
    rng = random.Random(seed)
    X, y = make_request(10**6)
    X[:, 0] = 0.0
    fitted = sx.Perceptron().partial_fit(np.vstack([X, -X]), [*y, *(-v for v in y)])
    base = model_bytes(fitted)
    model = folder / "model.safetensors"
    model.write_bytes(base)
    settings = Settings(snapshot_rows=150, retain=retain)
    run = Run()
    for number in range(1, count + 1):
        one_kill(model, folder / "data", settings, run, rng)
        if number % every == 0 or number == count:
            check(folder / "data", base, run)
            print(
                f"{number} kills, {len(run.acknowledged)} requests acknowledged, none lost, none twice",
                flush=True,
            )
    return run


def main() -> None:
    """Run as many kills as asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=100)
    parser.add_argument("--retain", type=int, help="compact the log to so many rows")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kills(options.count, Path(folder), options.retain, options.seed)


if __name__ == "__main__":
    main()
