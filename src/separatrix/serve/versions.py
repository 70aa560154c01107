"""Versions of a model that learns: the perceptron as it learns, and maximum-margin models refitted on logged rows."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from separatrix.models.file import model_from_bytes
from separatrix.serve.confidence import RunningRate
from separatrix.serve.errors import RequestError
from separatrix.serve.log import Log
from separatrix.serve.predictors import Predictor, of_fitted

ONLINE = "online"
_KEPT = 10  # refits whose models are kept to go back to


class Versions:
    """The versions of a model, with the one that answers; changed by the writer's thread alone."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._predictors: dict[str, Predictor] = {}
        self._lock = threading.Lock()
        self.facts: dict[str, dict[str, Any]] = {}
        rows = log.connection.execute("SELECT number, at, first, last, facts FROM versions ORDER BY number")
        for number, at, first, last, facts in rows:
            self.facts[str(number)] = {"at": at / 1e6, "rows": [first, last], **json.loads(facts)}
        self.history: list[str] = log.get("serving") or [ONLINE]

    @property
    def serving(self) -> str:
        """The version that answers."""
        return self.history[-1]

    def predictor(self, version: str) -> Predictor:
        """The predictor of a refit; a `RequestError` 404 if there is no such version."""
        with self._lock:
            known = self._predictors.get(version)
            if known is None:
                known = self._predictors[version] = of_fitted(model_from_bytes(self.content(version)))
            return known

    def content(self, version: str) -> bytes:
        """The model file of a refit."""
        if version not in self.facts:
            there = ", ".join([ONLINE, *self.facts])
            raise RequestError(f"There is no version {version[:40]!r}; there are {there}.", 404)
        reader = Log(Path(self._log.path), readonly=True)
        try:
            row = reader.connection.execute(
                "SELECT content FROM versions WHERE number = ?", (int(version),)
            ).fetchone()
        finally:
            reader.close()
        return bytes(row[0])

    def add(self, at: int, first: int, last: int, content: bytes, facts: dict[str, Any]) -> str:
        """Keep a refit and let it answer; returns its name. One transaction."""
        number = 1 + max(map(int, self.facts), default=0)
        with self._log.transaction():
            values = (number, at, first, last, content, json.dumps(facts))
            self._log.connection.execute("INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?)", values)
            gone = [name for name in list(self.facts)[:-_KEPT] if name not in self.history[-2:]]
            self._log.connection.executemany(
                "DELETE FROM versions WHERE number = ?", [(int(name),) for name in gone]
            )
            history = [name for name in self.history if name not in gone] + [str(number)]
            self._log.put("serving", history[-50:])
        for name in gone:
            self.facts.pop(name)
            self._predictors.pop(name, None)
        self.facts[str(number)] = {"at": at / 1e6, "rows": [first, last], **facts}
        self.history = history[-50:]
        return str(number)

    def serve(self, version: str | None) -> str:
        """Let a version answer, or the one before the present one; returns its name. One transaction."""
        if version is None:
            if len(self.history) < 2:
                raise RequestError("There is no earlier version to go back to.", 409)
            history = self.history[:-1]
        else:
            if version != ONLINE:
                self.predictor(version)
            history = [*self.history, version][-50:]
        with self._log.transaction():
            self._log.put("serving", history)
        self.history = history
        return self.serving

    def record(self, rates: dict[str, RunningRate]) -> list[dict[str, Any]]:
        """The versions for people and programs; ``rates`` are their mistakes on rows that came after them."""
        out: list[dict[str, Any]] = [{"version": ONLINE}]
        for name, facts in list(self.facts.items()):
            rate = rates.get(name)
            since = None if rate is None else {"rows": rate.rows, "mistakes": rate.mistakes}
            interval = None if rate is None else list(rate.interval())
            out.append({"version": name, **facts, "rows_since": since, "mistake_rate_interval": interval})
        return out

    def close(self) -> None:
        """Forget the predictors."""
        self._predictors.clear()
