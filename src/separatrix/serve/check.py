"""`separatrix serve --check`: replay every log offline and prove that it, its snapshot and its marks agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from separatrix.errors import ModelFileError
from separatrix.serve.errors import FolderError
from separatrix.serve.folder import Folder
from separatrix.serve.learner import read_snapshot
from separatrix.serve.log import Log, Tail
from separatrix.serve.replay import check_acknowledged, replay

Line = tuple[str, str]


def check_folders(paths: list[Path]) -> tuple[bool, list[dict[str, Any]], list[Line]]:
    """Return True if all logs agree, a record of each, and the lines to print."""
    folders = []
    for path in paths:
        inside = sorted(found.parent for found in path.glob("*/log.sqlite3"))
        folders += [path] if (path / "log.sqlite3").exists() else inside
    if not folders:
        raise FolderError(f"There is no log in {', '.join(map(str, paths))}.")
    records = [check_folder(path) for path in folders]
    lines: list[Line] = []
    for record in records:
        lines += [("log", record["folder"]), ("verdict", record["reason"])]
    return all(record["agreed"] for record in records), records, lines


def check_folder(path: Path) -> dict[str, Any]:
    """Replay a log from its base; every fingerprint and prediction on the way must be that of the run."""
    folder = Folder(path)
    record: dict[str, Any] = {"folder": str(path), "agreed": False}
    try:
        log = Log(folder.log, readonly=True)
        try:
            return {**record, **_agreement(folder, log), "agreed": True}
        finally:
            log.close()
    except (FolderError, ModelFileError) as error:
        return {**record, "reason": str(error)}


def _agreement(folder: Folder, log: Log) -> dict[str, Any]:
    base, content = log.base()
    tail = log.tail()
    check_acknowledged(folder, log, tail)
    marks = dict(log.connection.execute("SELECT seq, fingerprint FROM marks WHERE seq >= ?", (base.seq,)))
    snapshot = read_snapshot(folder.snapshot.read_bytes()) if folder.snapshot.exists() else None
    learner, place = read_snapshot(content)[0], base
    compared = 0
    for seq in sorted(
        {*(seq for seq in marks if seq > base.seq), *([snapshot[1]] if snapshot else []), tail.seq}
    ):
        if seq > tail.seq:
            raise FolderError(f"A snapshot was made at entry {seq}, but the log ends at {tail.seq}.")
        entry = log.entry(seq)
        if seq > place.seq:
            if entry is None:
                raise FolderError(f"Entry {seq} is missing from the log.")
            learner = replay(log, learner, place, seq)
            place = Tail(seq, entry.total, entry.chain)
        if seq in marks and learner.fingerprint() != marks[seq]:
            raise FolderError(f"The replay up to entry {seq} gives another model than the run had there.")
        if snapshot is not None and seq == snapshot[1]:
            if snapshot[2] != place.chain:
                raise FolderError(f"The snapshot at entry {seq} is of another log: its fingerprint differs.")
            if snapshot[0].fingerprint() != learner.fingerprint():
                raise FolderError(f"The replay up to entry {seq} gives another model than the snapshot.")
        compared += seq in marks
    said = "and its snapshot agree" if snapshot else "agrees with itself; there is no snapshot"
    reason = (
        f"The log {said}: {tail.seq - base.seq:,} entries with {tail.total - base.total:,} rows were replayed, every "
        f"prediction as in the run, {compared} fingerprints of the model compared."
    )
    removed = [
        {"first": r[0], "last": r[1], "rows": r[2], "before": r[3].hex(), "after": r[4].hex()}
        for r in log.removed()
    ]
    return {
        "entries": tail.seq,
        "rows": tail.total,
        "chain": tail.chain.hex(),
        "fingerprint": learner.fingerprint(),
        "compacted": removed,
        "reason": reason,
    }
