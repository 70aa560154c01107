"""A model that learns: its folder, the thread that writes its log, and what readers see of it."""

from __future__ import annotations

import hashlib
import json
import logging
import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from separatrix.atomic import replacing
from separatrix.errors import with_hint
from separatrix.models.tensors import write_tensors
from separatrix.serve.counts import read_counts
from separatrix.serve.errors import FolderError, RequestError, StorageError
from separatrix.serve.folder import Folder
from separatrix.serve.learner import Learner, read_snapshot
from separatrix.serve.log import BACK, Entry, Log, Tail, link
from separatrix.serve.predictors import Predictor
from separatrix.serve.refit import Refitter
from separatrix.serve.replay import Progress, restore, state_at
from separatrix.serve.settings import Settings
from separatrix.serve.versions import ONLINE, Versions
from separatrix.serve.writer import Group, Queue, Work, tell, write_group

_log = logging.getLogger("separatrix.serve")
_FORGET_EVERY = 1000  # remembered predictions, after which the oldest are forgotten


@dataclass(frozen=True, eq=False)
class Published:
    """The learner as readers see it: whole, and of one moment."""

    predictor: Predictor
    tail: Tail
    rows: int
    mistakes: int
    updates: int
    bound: float
    counted: dict[str, Any]  #: rates and their intervals
    at: float | None  #: time of the last acknowledgement


class LearningModel:
    """One model in one folder, written by one thread."""

    learns = True

    def __init__(
        self, name: str, content: bytes, folder: Path, settings: Settings, progress: Progress | None = None
    ) -> None:
        self.name, self.settings = name, settings
        self.folder = Folder(folder)
        self.folder.lock()
        log: Log | None = None
        try:
            self.log = log = _opened(self.folder, name, content)
            restored = restore(self.folder, self.log, *([progress] if progress else []))
            self.versions = Versions(self.log)
        except BaseException:
            if log is not None:
                log.close()
            self.folder.release()
            raise
        self.notes = restored.notes
        self.replayed = restored.replayed
        self.learner: Learner | None = restored.learner
        self.columns, self.kind = restored.learner.columns, restored.learner.kind
        self.parameters = restored.learner.model.get_params(deep=False)
        self.tail = restored.tail
        self.counts = read_counts(self.log.get("counts"), self.log.get("history"))
        self.refits = Refitter(self.folder.log, self.columns, self.kind, settings.held_out)
        self.queue = Queue(settings.queue_requests, settings.queue_rows)
        self.problem: str | None = None  #: why the log cannot be written at the moment
        self._snapshot_at, self._snapshot_rows = time.monotonic(), self.tail.total - restored.replayed
        self._refit_rows = self.tail.total
        self._kept_from = self.log.base()[0].total  # rows before this one are in the base alone
        self._earlier: tuple[Tail, bytes] | None = None  # a snapshot that may become the base
        self._sweeping, self._remembered = True, 0
        self.published = self._publication()
        with suppress(OSError):
            self.folder.acknowledge(self.tail)
        self._thread = threading.Thread(target=self._run, name=f"writer of {name}", daemon=True)
        self._thread.start()

    # ---- readers

    def predictor(self, version: str | None = None) -> tuple[Predictor, str]:
        """The predictor of a version, or of the one that answers, and its name."""
        wanted = self.versions.serving if version is None else version
        if wanted == ONLINE:
            return self.published.predictor, ONLINE
        return self.versions.predictor(wanted), wanted

    def submit(self, work: Work) -> None:
        """Hand work to the writer; `work.done` gets the outcome once it is durable."""
        self.queue.put(work)

    def stats(self) -> dict[str, Any]:
        """Numbers of this moment, for people and programs."""
        seen = self.published
        return {
            "name": self.name,
            "learns": True,
            "rows_learned": seen.rows,
            "rows_logged": seen.tail.total,
            "mistakes": seen.mistakes,
            "updates": seen.updates,
            "bound": seen.bound if math.isfinite(seen.bound) else None,
            **seen.counted,
            "classes": seen.predictor.labels[:1000],
            "columns": self.columns,
            "position": seen.tail.seq,
            "chain": seen.tail.chain.hex(),
            "queue": {"requests": len(self.queue), "rows": self.queue.rows},
            "serving": self.versions.serving,
            "versions": self.versions.record(self.counts.versions),
            "problem": self.problem,
            "last_learned": seen.at,
        }

    # ---- the writer's thread

    def _run(self) -> None:
        while (taken := self.queue.take(timeout=1.0)) is not None:
            works, calls = taken
            for call in calls:
                call()
            if works:
                self._group(works)
            self._housekeeping()
        self.snapshot()

    def _group(self, works: list[Work]) -> None:
        outcomes: dict[int, Any] | Exception
        try:
            outcomes = self._committed(works)
            self.problem = None
        except (StorageError, FolderError) as error:
            self._failed(str(error))
            outcomes = error
        except Exception as error:  # a fault of ours: the log says what was learnt
            _log.exception("a group of requests failed")
            self._failed(f"{type(error).__name__}: {error}")
            outcomes = RequestError("The server failed; ask again with the same Idempotency-Key.", 500)
        tell(works, outcomes)

    def _committed(self, works: list[Work]) -> dict[int, Any]:
        """The outcomes of a group, which is on the disk and published."""
        group = Group(self._learner(), self.tail)
        write_group(self.log, group, works, time.time_ns() // 1000, self._keep)
        self._remembered += sum(work.names is None for work in works)
        if self._remembered >= _FORGET_EVERY:
            self._remembered, self._sweeping = 0, True
        if group.entries:
            self.tail = group.tail
            with suppress(OSError):
                self.folder.acknowledge(self.tail)
            self.published = self._publication(time.time())
            self.counts.mark(self.published.updates, self.published.bound)
        return group.outcomes

    def _learner(self) -> Learner:
        """The learner; made anew from the log after a failure, once the log can be written again."""
        if self.learner is None:
            with self.log.transaction():
                self.log.put("counts", self.counts.record())
            restored = restore(self.folder, self.log)
            self.learner, self.tail = restored.learner, restored.tail
        return self.learner

    def _failed(self, problem: str) -> None:
        _log.error("%s: %s", self.name, problem)
        self.problem = problem
        self.learner = None
        with suppress(FolderError):  # a disk that cannot even be read: the next group tries again
            self.counts = read_counts(self.log.get("counts"), [self.counts.points, self.counts.stride])

    def _keep(self, group: Group) -> None:
        """Count what a group brought; part of its transaction."""
        if not group.entries:
            return
        counts = self.counts
        counts.add(group.wrong)
        for work in group.fresh:
            answered = group.answered.get(id(work))
            if answered is not None and work.names is not None:
                counts.delayed += len(answered)
                counts.delayed_mistakes += sum(a != b for a, b in zip(answered, work.names, strict=True))
        if self.versions.serving != ONLINE:
            X = np.concatenate([work.X for work in group.fresh if work.X is not None])
            said, _ = self.versions.predictor(self.versions.serving).answer(X)
            names = [name for work in group.fresh for name in work.names or ()]
            counts.add_version(self.versions.serving, [a != b for a, b in zip(said, names, strict=True)])
        self.log.put("counts", counts.record())

    def _publication(self, at: float | None = None) -> Published:
        learner = self.learner
        assert learner is not None
        numbers = (learner.rows, learner.mistakes, learner.updates, learner.bound)
        return Published(learner.predictor(), self.tail, *numbers, self.counts.shown(), at)

    def _housekeeping(self) -> None:
        try:
            rows = self.tail.total - self._snapshot_rows
            waited = time.monotonic() - self._snapshot_at
            every = self.settings.refit_every
            if every and self.tail.total - self._refit_rows >= every and not self.refits.running:
                self._refit_rows = self.tail.total
                self.start_refit({"rows": self.settings.refit_window} if self.settings.refit_window else {})
            if rows >= self.settings.snapshot_rows or (rows and waited >= self.settings.snapshot_seconds):
                self.snapshot()
            if self._sweeping and self.problem is None:
                with self.log.transaction():
                    self._sweeping = self.log.sweep() > 0
                    self.log.forget(self.settings.remembered)
        except (StorageError, FolderError, RequestError) as error:
            _log.warning("%s: %s", self.name, error)
        except Exception:  # the thread must live: it is the only one that learns
            _log.exception("%s: housekeeping failed", self.name)

    def snapshot(self) -> None:
        """Write the model to the folder, and compact the log where it may be. A failure costs only time later."""
        if self.learner is None or self.problem is not None:
            return
        self._snapshot_at, self._snapshot_rows = time.monotonic(), self.tail.total
        self._sweeping = True
        at, tail = time.time_ns() // 1000, self.tail
        try:
            with replacing(self.folder.snapshot) as file:
                write_tensors(self.learner.tensors(tail.seq, tail.chain), file)
            with self.log.transaction():
                mark = (tail.seq, tail.total, at, self.learner.fingerprint())
                self.log.connection.execute("INSERT OR REPLACE INTO marks VALUES (?, ?, ?, ?)", mark)
                self.log.put("history", [self.counts.points, self.counts.stride])
                self._compact(tail, at)
        except (OSError, FolderError) as error:
            _log.warning("%s: no snapshot: %s", self.name, error)

    def _compact(self, tail: Tail, at: int) -> None:
        """Entries older than the rows to retain go into the base, at the last snapshot before them."""
        retain = self.settings.retain
        if retain is None or self.learner is None:
            return
        if self._earlier is not None and tail.total - self._earlier[0].total >= retain:
            if self.log.compact(*self._earlier, at):
                self._kept_from = self._earlier[0].total
                _log.info("%s: compacted up to entry %d", self.name, self._earlier[0].seq)
            self._earlier = None
        if self._earlier is None:
            self._earlier = (tail, self.learner.content(tail.seq, tail.chain))

    def go_back(self, rows: int) -> dict[str, Any]:
        """Put the learner back to where it had learnt at most so many rows; in the writer's thread."""
        seq = self.log.last_within(rows)
        if seq is None:
            raise RequestError("The log was compacted since then; the model cannot go back that far.", 409)
        target, place = state_at(self.log, seq)
        at = time.time_ns() // 1000
        entry = Entry(self.tail.seq + 1, BACK, at, 0, self.tail.total, None, b"", b"", str(seq), "[]", b"")
        entry = entry._replace(chain=link(self.tail.chain, entry))
        with self.log.transaction():
            self.log.append([entry])
        self.learner, self.tail = target, Tail(entry.seq, entry.total, entry.chain)
        self.published = self._publication()
        with suppress(OSError):
            self.folder.acknowledge(self.tail)
        self.snapshot()
        return {"rows_learned": target.rows, "entry": place.seq, "position": entry.seq}

    def start_refit(self, request: dict[str, Any]) -> dict[str, Any]:
        """Begin a refit; once proved it answers. Returns what was begun."""

        def proved(content: bytes, facts: dict[str, Any]) -> None:
            first, last = started["rows"]
            at = time.time_ns() // 1000
            self.in_writer(lambda: self.versions.add(at, first, last, content, facts), lambda outcome: None)

        started = self.refits.start(request, self._kept_from, self.published.tail.total, proved)
        return started

    def in_writer(self, function: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """Run a function between two groups, and tell what it returned or raised."""

        def run() -> None:
            try:
                outcome = function()
            except (RequestError, FolderError) as error:
                outcome = error
            except StorageError as error:
                outcome = RequestError(str(error), 507)
            except Exception as error:
                _log.exception("a request failed")
                outcome = RequestError(f"The server failed: {type(error).__name__}.", 500)
            done(outcome)

        self.queue.call(run)

    def close(self) -> None:
        """Finish what was accepted, write a snapshot, give the folder back."""
        self.refits.close()
        self.queue.close()
        self._thread.join()
        self.versions.close()
        with suppress(Exception):
            self.log.close()
        self.folder.release()


def _opened(folder: Folder, name: str, content: bytes) -> Log:
    """The log of a folder, begun with this model where there is none."""
    origin = hashlib.sha256(content).hexdigest()
    if not folder.log.exists():
        if folder.acknowledged() is not None or folder.snapshot.exists():
            raise FolderError(f"The folder {folder.path} has lost its log: {folder.log.name} is not there.")
        read_snapshot(content)  # must be a model that can learn
        Log.create(folder.log, content, {"model": name, "origin": origin, "began": json.dumps(time.time())})
    log = Log(folder.log)
    if log.about["origin"] != origin:
        log.close()
        raise with_hint(
            FolderError,
            f"The log in {folder.path} began with another model file than this one (its SHA-256 is "
            f"{log.about['origin'][:12]}..., not {origin[:12]}...).",
            "give this model a --data-dir of its own",
        )
    return log
