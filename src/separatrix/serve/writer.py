"""The one thread that learns: takes what waits, commits it to the log as one transaction, then acknowledges.

    request -> queue (bounded) -> [ keys, learn, append, COMMIT ] -> publish the model -> acknowledge

A group is all that came while the last one was written, so that one flush of the disk serves many requests. The
rows are learnt before they are committed, because the log keeps what was predicted of them; nobody sees that model
before the commit, and if the commit fails the learner is made anew from the log.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.serve.errors import FolderError, RequestError, StorageError
from separatrix.serve.learner import Learner
from separatrix.serve.log import ROWS, Entry, Log, Tail, link

_GROUP_ROWS = 50_000  # learnt in one transaction at most, so that none takes long
_GROUP_REQUESTS = 2_000


@dataclass(eq=False)
class Work:
    """Rows to learn, or to remember until their labels come."""

    X: NDArray[np.float64] | None  #: None: the rows of a remembered prediction
    names: list[Any] | None  #: labels; None: remember the rows
    key: str | None = None
    prediction: str | None = None  #: the id under which rows are, or shall be, remembered
    said: list[Any] | None = None  #: the answer, where rows shall be remembered
    #: called with the outcome or an exception, in the writer's thread
    done: Callable[[Any], None] = lambda outcome: None
    digest: bytes = b""

    @property
    def rows(self) -> int:
        """Rows to learn."""
        return len(self.names or ())

    def seal(self) -> None:
        """Take the digest of what is asked, so that a repeated request is known."""
        whole = hashlib.sha256(json.dumps([self.prediction, self.names]).encode())
        if self.X is not None:
            whole.update(self.X.tobytes())
        self.digest = whole.digest()


@dataclass(frozen=True)
class Outcome:
    """An acknowledged request: durable."""

    seq: int
    total: int
    names: list[Any]  #: labels as learnt
    said: list[Any]  #: predicted before learning
    repeated: bool = False

    @property
    def mistakes(self) -> int:
        """Rows that were predicted wrongly."""
        return sum(a != b for a, b in zip(self.names, self.said, strict=True))


class Queue:
    """Work that waits for the writer, bounded in requests and rows."""

    def __init__(self, most_requests: int, most_rows: int) -> None:
        self.most_requests, self.most_rows = most_requests, most_rows
        self.rows = 0
        self._waiting: deque[Work] = deque()
        self._calls: deque[Callable[[], None]] = deque()
        self._closed = False
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, work: Work) -> None:
        """Add work; a `RequestError` 429 if there is no room, 503 if the server stops."""
        with self._changed:
            if self._closed:
                raise RequestError("The server is stopping.", 503, {"Retry-After": "5"})
            full = len(self._waiting) >= self.most_requests
            if full or (self._waiting and self.rows + work.rows > self.most_rows):
                raise RequestError(
                    f"{len(self._waiting)} requests with {self.rows} rows wait to be learnt already; send it again "
                    "with the same Idempotency-Key.",
                    429,
                    {"Retry-After": "1"},
                )
            self._waiting.append(work)
            self.rows += work.rows
            self._changed.notify()

    def call(self, function: Callable[[], None]) -> None:
        """Run a function in the writer's thread, between two groups."""
        with self._changed:
            if self._closed:
                raise RequestError("The server is stopping.", 503, {"Retry-After": "5"})
            self._calls.append(function)
            self._changed.notify()

    def take(self, timeout: float) -> tuple[list[Work], list[Callable[[], None]]] | None:
        """All that waits, up to a group; None once it is closed and empty."""
        with self._changed:
            if not self._waiting and not self._calls:
                if self._closed:
                    return None
                self._changed.wait(timeout)
            calls = list(self._calls)
            self._calls.clear()
            group: list[Work] = []
            rows = 0
            while self._waiting and len(group) < _GROUP_REQUESTS:
                work = self._waiting[0]
                if group and rows + work.rows > _GROUP_ROWS:
                    break
                rows += work.rows
                group.append(self._waiting.popleft())
            self.rows -= rows
            return group, calls

    def close(self) -> None:
        """Take nothing more; what waits is still done."""
        with self._changed:
            self._closed = True
            self._changed.notify()


@dataclass(eq=False)
class Group:
    """Requests on their way into one transaction."""

    learner: Learner
    tail: Tail
    fresh: list[Work] = field(default_factory=list)
    outcomes: dict[int, Any] = field(default_factory=dict)  #: by the id of the work
    entries: list[Entry] = field(default_factory=list)
    keys: dict[str, Work] = field(default_factory=dict)
    answered: dict[int, list[Any]] = field(default_factory=dict)
    wrong: list[bool] = field(default_factory=list)
    #: repeated requests, each with the first of this group
    again: list[tuple[Work, Work]] = field(default_factory=list)

    def admit(self, log: Log, work: Work) -> None:
        """Decide what happens to a request: remembered, learnt, answered again, or refused."""
        if work.names is None:
            _remember(log, work)
            self.outcomes[id(work)] = None
            return
        if work.key is not None:
            first = self.keys.get(work.key)
            if first is not None:
                self._same(first.digest, work)
                self.again.append((work, first))
                return
            known = log.of_key(work.key)
            if known is not None:
                self._same(known.digest, work)
                names, said = json.loads(known.y), json.loads(known.said)
                self.outcomes[id(work)] = Outcome(known.seq, known.total, names, said, repeated=True)
                return
        if work.prediction is not None:
            X, said = _recall(log, work, self.learner.columns)
            work.X, self.answered[id(work)] = X, said
        self.learner.new_classes(work.names)
        self.fresh.append(work)
        if work.key is not None:
            self.keys[work.key] = work

    @staticmethod
    def _same(digest: bytes, work: Work) -> None:
        if digest != work.digest:
            raise RequestError(
                f"The Idempotency-Key {work.key!r} belongs to another request that was learnt; "
                "a new request needs a new key.",
                409,
            )

    def learn(self, log: Log, at: int) -> None:
        """Learn what is new, in order, and add it to the log."""
        if self.fresh:
            X = np.concatenate([work.X for work in self.fresh if work.X is not None])
            names = [name for work in self.fresh for name in work.names or ()]
            said = self.learner.learn(X, names)
            self.wrong = [a != b for a, b in zip(said, names, strict=True)]
            start, (seq, total, chain) = 0, self.tail
            for work in self.fresh:
                assert work.X is not None
                assert work.names is not None
                mine = said[start : start + work.rows]
                start, seq, total = start + work.rows, seq + 1, total + work.rows
                parts = (seq, ROWS, at, work.rows, total, work.key, work.digest, work.X.tobytes())
                entry = Entry(*parts, json.dumps(work.names), json.dumps(mine), b"")
                chain = link(chain, entry)
                self.entries.append(entry._replace(chain=chain))
                self.outcomes[id(work)] = Outcome(seq, total, work.names, mine)
            self.tail = Tail(seq, total, chain)
            log.append(self.entries)
        for work, first in self.again:
            self.outcomes[id(work)] = replace(self.outcomes[id(first)], repeated=True)


def _remember(log: Log, work: Work) -> None:
    assert work.X is not None
    try:
        log.connection.execute(
            "INSERT INTO remembered VALUES (?, ?, ?, ?)",
            (work.prediction, time.time_ns() // 1000, work.X.tobytes(), json.dumps(work.said)),
        )
    except Exception as error:
        if "UNIQUE" in str(error):
            raise RequestError(
                f"The id {work.prediction!r} belongs to another prediction that waits for its labels.", 409
            ) from None
        raise


def _recall(log: Log, work: Work, columns: int) -> tuple[NDArray[np.float64], list[Any]]:
    """The rows of a remembered prediction, which is forgotten with this, and what was answered."""
    row = log.connection.execute(
        "DELETE FROM remembered WHERE id = ? RETURNING X, said", (work.prediction,)
    ).fetchone()
    if row is None:
        raise RequestError(
            f"No prediction {work.prediction!r} waits for labels: it was not to be remembered, has its labels, "
            "or was too long ago.",
            404,
        )
    X = np.frombuffer(row[0], dtype="<f8").reshape(-1, columns)
    if len(X) != work.rows:
        log.connection.execute(
            "INSERT INTO remembered VALUES (?, ?, ?, ?)", (work.prediction, time.time_ns() // 1000, *row)
        )
        raise RequestError(
            f"Prediction {work.prediction!r} had {len(X)} rows; {work.rows} labels were given."
        )
    return X, json.loads(row[1])


def write_group(log: Log, group: Group, works: list[Work], at: int, extra: Callable[[Group], None]) -> None:
    """Everything in one transaction; ``extra`` adds what is to be kept with it. Refused requests leave no trace."""
    with log.transaction():
        for work in works:
            try:
                group.admit(log, work)
            except RequestError as error:
                group.outcomes[id(work)] = error
        group.learn(log, at)
        extra(group)


def tell(works: list[Work], outcomes: dict[int, Any] | Exception) -> None:
    """Tell each request its outcome."""
    for work in works:
        if isinstance(outcomes, StorageError | FolderError):
            work.done(RequestError(str(outcomes), 507, {"Retry-After": "10"}))
        else:
            work.done(outcomes if isinstance(outcomes, Exception) else outcomes[id(work)])
