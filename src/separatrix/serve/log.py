"""The log: every acknowledged row in order, in one SQLite file; the model is a function of it.

    base       a model, whole, and its place in the log: where a replay begins
    entries    one for each request that was acknowledged: its rows, labels, and what was predicted before learning them
    removed    one for each compaction: which entries went into the base, and the chain before and after them

Each entry carries a link of a chain of fingerprints:

    chain_i = SHA-256( chain_{i-1} | kind, number, time, rows, key as JSON | X | y | said )

so that whoever kept the rows can show what was learnt, in which order, also after a compaction. The file is written in
WAL mode with synchronous=FULL: a transaction that was committed is on the disk.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from separatrix.atomic import sync_folder
from separatrix.errors import with_hint
from separatrix.serve.errors import FolderError, storage_error

FORMAT = 1
_AT_A_TIME = 32  # entries in memory; each may be as long as a request
ROWS, BACK = "rows", "back"  #: kinds of entries: rows learnt; the model put back to an earlier entry
_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE base (only INTEGER PRIMARY KEY CHECK (only = 1), seq INTEGER, total INTEGER, chain BLOB, content BLOB);
CREATE TABLE entries (seq INTEGER PRIMARY KEY, kind TEXT, at INTEGER, rows INTEGER, total INTEGER, key TEXT,
                      digest BLOB, X BLOB, y TEXT, said TEXT, chain BLOB);
CREATE UNIQUE INDEX entry_of_key ON entries (key) WHERE key IS NOT NULL;
CREATE TABLE removed (first INTEGER PRIMARY KEY, last INTEGER, rows INTEGER, before BLOB, after BLOB, at INTEGER);
CREATE TABLE remembered (id TEXT PRIMARY KEY, at INTEGER, X BLOB, said TEXT);
CREATE INDEX remembered_by_age ON remembered (at);
CREATE TABLE versions (number INTEGER PRIMARY KEY, at INTEGER, first INTEGER, last INTEGER, content BLOB, facts TEXT);
CREATE TABLE marks (seq INTEGER PRIMARY KEY, total INTEGER, at INTEGER, fingerprint TEXT);
"""


class Entry(NamedTuple):
    """One acknowledged request."""

    seq: int  #: its number, from 1
    kind: str
    at: int  #: microseconds since 1970
    rows: int
    total: int  #: rows of all entries up to this one
    key: str | None  #: the Idempotency-Key of the request
    digest: bytes  #: of what was asked, to know a repeated request
    X: bytes  #: float64, row by row
    y: str  #: the labels as JSON; of a BACK entry, the number of the entry that the model went back to
    said: str  #: the predictions before learning, as JSON
    chain: bytes


class Tail(NamedTuple):
    """The end of the log."""

    seq: int
    total: int
    chain: bytes


def link(before: bytes, entry: Entry) -> bytes:
    """The fingerprint of an entry, given that of the one before."""
    head = json.dumps([entry.kind, entry.seq, entry.at, entry.rows, entry.key], separators=(",", ":"))
    parts = hashlib.sha256(before + head.encode() + b"\n")
    for part in (entry.X, entry.y.encode(), entry.said.encode()):
        parts.update(len(part).to_bytes(8, "little") + part)
    return parts.digest()


class Log:
    """The log of one model. One process writes it (`folder.py` holds the lock); others may read."""

    def __init__(self, path: Path, readonly: bool = False) -> None:
        self.path = path
        if not path.is_file():
            raise FolderError(f"There is no log {path}.")
        connection = None
        try:
            self.connection = connection = _connect(path, readonly)
            about = dict(connection.execute("SELECT name, value FROM about").fetchall())
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            raise _unreadable(path, error) from None
        if about.get("format") != FORMAT:
            raise FolderError(
                f"{path} has format {about.get('format')!r}; this separatrix reads format {FORMAT}."
            )
        self.about: dict[str, Any] = about

    @staticmethod
    def create(path: Path, base: bytes, about: dict[str, Any]) -> None:
        """A log with no entries yet, whole or not at all."""
        partial = path.with_name(f".{path.name}.new")
        _remove(partial)
        try:
            connection = _connect(partial)
            with _committing(connection):
                for statement in _SCHEMA.split(";\n"):
                    connection.execute(statement)
                connection.executemany(
                    "INSERT INTO about VALUES (?, ?)", [("format", FORMAT), *about.items()]
                )
                origin = hashlib.sha256(base).digest()
                connection.execute("INSERT INTO base VALUES (1, 0, 0, ?, ?)", (origin, base))
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
            partial.replace(path)
            sync_folder(path.parent)
            sync_folder(path.parent.parent)
        except (sqlite3.Error, OSError) as error:
            _remove(partial)
            raise storage_error(error) from None

    def close(self) -> None:
        """Put everything into the main file and close it."""
        self.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; on the disk when this returns. A `StorageError` says why not."""
        try:
            with _committing(self.connection):
                yield
        except sqlite3.Error as error:
            raise storage_error(error) from None

    def base(self) -> tuple[Tail, bytes]:
        """Place where a replay begins, and the model there."""
        row = self._one("SELECT seq, total, chain, content FROM base")
        if row is None:
            raise FolderError(f"{self.path} has lost its base.")
        return Tail(*row[:3]), row[3]

    def tail(self) -> Tail:
        """The last entry, or the base where there is none."""
        row = self._one("SELECT seq, total, chain FROM entries ORDER BY seq DESC LIMIT 1")
        return self.base()[0] if row is None else Tail(*row)

    def append(self, entries: list[Entry]) -> None:
        """Add entries; within a transaction."""
        self.connection.executemany("INSERT INTO entries VALUES (?,?,?,?,?,?,?,?,?,?,?)", entries)

    def of_key(self, key: str) -> Entry | None:
        """The entry of an Idempotency-Key."""
        row = self._one("SELECT * FROM entries WHERE key = ?", key)
        return None if row is None else Entry(*row)

    def entry(self, seq: int) -> Entry | None:
        """One entry by its number."""
        row = self._one("SELECT * FROM entries WHERE seq = ?", seq)
        return None if row is None else Entry(*row)

    def last_within(self, total: int) -> int | None:
        """The number of the last entry (or the base) with at most so many rows up to it; None before the base."""
        base = self.base()[0]
        row = self._one("SELECT max(seq) FROM entries WHERE total <= ? AND seq > ?", total, base.seq)
        if row is not None and row[0] is not None:
            return int(row[0])
        return base.seq if base.total <= total else None

    def entries(self, after: int, upto: int | None = None) -> Iterator[Entry]:
        """The entries after one number and up to another, in order; a few at a time, so that no query stays open."""
        limit = (1 << 62) if upto is None else upto
        query = f"SELECT * FROM entries WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT {_AT_A_TIME}"
        while True:
            try:
                rows = self.connection.execute(query, (after, limit)).fetchall()
            except sqlite3.Error as error:
                raise _unreadable(self.path, error) from None
            if not rows:
                return
            after = rows[-1][0]
            yield from (Entry(*row) for row in rows)

    def targets(self, after: int, upto: int | None = None) -> list[int]:
        """The numbers that the BACK entries after a number lead to."""
        limit = (1 << 62) if upto is None else upto
        rows = self.connection.execute(
            "SELECT y FROM entries WHERE kind = ? AND seq > ? AND seq <= ?", (BACK, after, limit)
        )
        return [int(row[0]) for row in rows.fetchall()]

    def compact(self, until: Tail, content: bytes, at: int) -> bool:
        """Make the model at an entry the base; the entries up to it may be dropped then. Within a transaction.

        False, and nothing is changed, where a later entry goes back to before it.
        """
        base, _ = self.base()
        if until.seq <= base.seq or any(target < until.seq for target in self.targets(until.seq)):
            return False
        self.connection.execute(
            "UPDATE base SET seq = ?, total = ?, chain = ?, content = ?", (*until, content)
        )
        self.connection.execute(
            "INSERT INTO removed VALUES (?,?,?,?,?,?)",
            (base.seq + 1, until.seq, until.total - base.total, base.chain, until.chain, at),
        )
        return True

    def sweep(self, most: int = 2000) -> int:
        """Delete entries that the base holds, so many at a time; returns how many. Within a transaction."""
        cursor = self.connection.execute(
            "DELETE FROM entries WHERE seq IN (SELECT seq FROM entries WHERE seq <= (SELECT seq FROM base) LIMIT ?)",
            (most,),
        )
        return cursor.rowcount

    def forget(self, most: int) -> None:
        """Drop the oldest remembered predictions, so that at most so many are left. Within a transaction."""
        self.connection.execute(
            "DELETE FROM remembered WHERE id IN (SELECT id FROM remembered ORDER BY at DESC LIMIT -1 OFFSET ?)",
            (most,),
        )

    def removed(self) -> list[tuple[int, int, int, bytes, bytes, int]]:
        """The compactions: first and last entry, rows, chain before and after, time."""
        return list(self.connection.execute("SELECT * FROM removed ORDER BY first"))

    def put(self, name: str, value: Any) -> None:
        """Keep a value under a name, as JSON; within a transaction."""
        text = json.dumps(value, allow_nan=False)
        self.connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, text))

    def get(self, name: str) -> Any:
        """The value of a name, None where there is none."""
        row = self._one("SELECT value FROM about WHERE name = ?", name)
        return None if row is None else json.loads(row[0])

    def _one(self, query: str, *values: Any) -> Any:
        try:
            return self.connection.execute(query, values).fetchone()
        except sqlite3.Error as error:
            raise _unreadable(self.path, error) from None


def _connect(path: Path, readonly: bool = False) -> sqlite3.Connection:
    """A connection that commits only what it is told to; used by one thread at a time."""
    where = f"file:{_quoted(path)}?mode={'ro' if readonly else 'rwc'}"
    connection = sqlite3.connect(where, uri=True, isolation_level=None, check_same_thread=False, timeout=10.0)
    try:
        if not readonly:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA trusted_schema = OFF")
    except BaseException:
        connection.close()
        raise
    return connection


def _quoted(path: Path) -> str:
    return str(path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


@contextmanager
def _committing(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _remove(path: Path) -> None:
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)


def _unreadable(path: Path, error: sqlite3.Error) -> FolderError:
    return with_hint(
        FolderError,
        f"The log {path} cannot be read: {error}.",
        "it was truncated, changed or is no log of separatrix; put back a copy, with its -wal file if there was one",
    )
