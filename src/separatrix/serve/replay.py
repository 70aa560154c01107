"""From the log to the model: the state after a crash is that of the run, bit for bit, or a sentence says why not.

A start takes the snapshot where the log agrees with it (same entry, same chain), else the base, and learns the entries
after it. Every prediction that the run made before it learnt a row is in the log; the replay must make the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import ModelFileError, with_hint
from separatrix.serve.errors import FolderError
from separatrix.serve.folder import Folder
from separatrix.serve.learner import Learner, read_snapshot
from separatrix.serve.log import BACK, Entry, Log, Tail, link

_BLOCK = 20_000  # rows learnt in one call
Progress = Callable[[int, int], None]


def _silent(done: int, total: int) -> None:
    """No progress."""


@dataclass
class Restored:
    """A learner where the log ends."""

    learner: Learner
    tail: Tail
    replayed: int  #: rows learnt again
    notes: list[str] = field(default_factory=list)


def restore(folder: Folder, log: Log, progress: Progress = _silent) -> Restored:
    """The learner at the end of the log."""
    tail, (base, content) = log.tail(), log.base()
    check_acknowledged(folder, log, tail)
    notes = []
    start = None
    if folder.snapshot.exists():
        try:
            start = _of_snapshot(folder.snapshot, log, base, tail)
        except ModelFileError as error:
            notes.append(f"The snapshot is not used, the log is replayed from its base: {error}")
    if start is None:
        start = (read_snapshot(content)[0], base)
    learner, place = start
    replayed = tail.total - place.total
    learner = replay(log, learner, place, tail.seq, progress)
    return Restored(learner, tail, replayed, notes)


def check_acknowledged(folder: Folder, log: Log, tail: Tail) -> None:
    """Raise a `FolderError` if the last acknowledged entry is not in the log."""
    known = folder.acknowledged()
    if known is None:
        return
    seq, chain = known
    found = tail.chain if seq == tail.seq else None
    if seq < tail.seq:
        entry = log.entry(seq)
        found = chain if entry is None else entry.chain  # compacted, or the origin
    if found != chain:
        missing = "ends before it" if seq > tail.seq else "has another one there"
        raise with_hint(
            FolderError,
            f"Entry {seq} was acknowledged, but the log {log.path} {missing}: it was truncated or replaced.",
            "put back the log with its -wal file; whoever accepts the loss removes the file 'acknowledged'",
        )


def _of_snapshot(path: Path, log: Log, base: Tail, tail: Tail) -> tuple[Learner, Tail]:
    """The snapshot and its place; a `ModelFileError` if it is not of this log."""
    learner, seq, chain = read_snapshot(path.read_bytes())
    if seq > tail.seq:
        raise with_hint(
            FolderError,
            f"The snapshot was made at entry {seq}, but the log ends at {tail.seq}: the log was truncated.",
            "put back the log with its -wal file; whoever accepts the loss removes the snapshot",
        )
    place = _place(log, base, seq)
    if place is None or place.chain != chain:
        raise ModelFileError(f"its place, entry {seq}, has another fingerprint in the log.")
    return learner, place


def _place(log: Log, base: Tail, seq: int) -> Tail | None:
    """The place of an entry, or of the base; None where the log has no such entry."""
    if seq == base.seq:
        return base
    entry = log.entry(seq)
    return None if entry is None else Tail(seq, entry.total, entry.chain)


def replay(log: Log, learner: Learner, place: Tail, upto: int, progress: Progress = _silent) -> Learner:
    """The learner after the entries from a place up to a number; the given one is changed, or replaced."""
    targets = set(log.targets(place.seq, upto))
    kept: dict[int, bytes] = {}
    if place.seq in targets:
        kept[place.seq] = learner.content(place.seq, place.chain)
    chain, done, last = place.chain, 0, place.seq
    total = max(0, log.tail().total - place.total)
    block: list[Entry] = []
    waiting = 0  # rows in it

    def flush() -> None:
        nonlocal done, waiting
        if block:
            learn_entries(learner, block)
            done += waiting
            progress(done, total)
            block.clear()
            waiting = 0

    for entry in log.entries(place.seq, upto):
        if entry.seq != last + 1:
            raise FolderError(f"Entry {last + 1} is missing from the log {log.path}.")
        if link(chain, entry) != entry.chain:
            raise FolderError(
                f"Entry {entry.seq} of the log {log.path} was changed: its fingerprint differs."
            )
        chain, last = entry.chain, entry.seq
        if entry.kind == BACK:
            flush()
            target = int(entry.y)
            earlier = kept.get(target)
            learner = state_at(log, target)[0] if earlier is None else read_snapshot(earlier)[0]
        else:
            block.append(entry)
            waiting += entry.rows
        if entry.seq in targets or waiting >= _BLOCK:
            flush()
        if entry.seq in targets:
            kept[entry.seq] = learner.content(entry.seq, entry.chain)
    flush()
    return learner


def learn_entries(learner: Learner, entries: Iterable[Entry]) -> None:
    """Learn the rows of entries in one call; a sentence if the predictions are not those of the run."""
    block = list(entries)
    names: list[Any] = []
    for entry in block:
        names += json.loads(entry.y)
    said = learner.learn(rows_of(block, learner.columns), names)
    start = 0
    for entry in block:
        if json.dumps(said[start : start + entry.rows]) != entry.said:
            raise with_hint(
                FolderError,
                f"Entry {entry.seq}: the replay predicts other classes than the run did, so that it would not give "
                "the same model.",
                "a processor with other vector instructions, or another version of separatrix, may round differently: "
                "start it where the log was written",
            )
        start += entry.rows


def rows_of(entries: list[Entry], columns: int) -> NDArray[np.float64]:
    """The rows of entries, shape (n, d)."""
    flat = np.frombuffer(b"".join(entry.X for entry in entries), dtype="<f8")
    return flat.reshape(-1, columns)


def state_at(log: Log, seq: int) -> tuple[Learner, Tail]:
    """The learner as it was after an entry, from the base."""
    base, content = log.base()
    place = _place(log, base, seq)
    if place is None:
        raise FolderError(f"Entry {seq} is not in the log.")
    return replay(log, read_snapshot(content)[0], base, seq), place
