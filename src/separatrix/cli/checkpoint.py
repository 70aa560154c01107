"""Checkpoints of a long fit: the problems that are solved, and how far the others came, in one file.

A checkpoint is a safetensors file. It names the data by their SHA-256 and keeps, for each binary problem, (w, b),
alpha and C_i. A problem that is solved is taken from it as it is; the others go on from the end of a piece
(`Observer.piece_steps`), so that a fit ends in the same digits however often it was stopped.
All of it is proved from the data like any other answer: a checkpoint can save time, and cannot make an answer wrong.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from separatrix.cli.output import CommandError
from separatrix.fitting.observer import KeptPoint, Observer, Part

if TYPE_CHECKING:
    from separatrix.problem import Record, Status

FORMAT, VERSION = "separatrix-checkpoint", "2"
_ARRAYS = ("rows", "coef", "cost", "alpha")
#: Steps of a piece: a few seconds of coordinate descent or block SMO, which go on from a point as if nothing had
#: happened, and more than the interior point takes in all, which gains little from a start.
PIECE_STEPS = 200
#: The part of the time that writing may take.
_SHARE = 0.1


class Checkpoints(Observer):
    """Observes a fit and keeps its points in a file, written at most every ``pause`` seconds.

    ``points`` are those of an earlier run, which stay until this one has come further.
    """

    piece_steps = PIECE_STEPS

    def __init__(
        self,
        path: Path,
        source: dict[str, str],
        pause: float = 3.0,
        points: Mapping[Any, KeptPoint] | None = None,
    ) -> None:
        self.path, self.source, self.pause = path, source, pause
        self.points: dict[Any, KeptPoint] = dict(points or {})
        self.written = 0
        self._changed = False
        self._next = time.perf_counter() + pause
        self._lock = threading.Lock()

    def step(self, part: Part, record: Record, point: Callable[[], KeptPoint]) -> None:
        """Write what has changed if it is time."""
        if self._changed and time.perf_counter() >= self._next and self._lock.acquire(blocking=False):
            try:
                self._write()
            finally:
                self._lock.release()

    def piece(self, part: Part, point: KeptPoint) -> None:
        """Keep the point from which the next piece begins."""
        before = self.points.get(part.key)
        earlier = 0 if before is None else before.steps
        self._keep(part.key, replace(point, steps=earlier + PIECE_STEPS))

    def end(self, part: Part, record: Record, status: Status, point: Callable[[], KeptPoint]) -> None:
        """Keep an answer; the point at which a limit or Ctrl-C cut a piece short is none."""
        before = self.points.get(part.key)
        if str(status) == "converged" and part.key is not None and not (before is not None and before.done):
            self._keep(part.key, replace(point(), done=True))

    def close(self) -> None:
        """Write what has not been written."""
        with self._lock:
            if self._changed:
                self._write()

    @property
    def solved(self) -> int:
        """Problems that are solved."""
        return sum(point.done for point in self.points.values())

    def _keep(self, key: Any, point: KeptPoint) -> None:
        with self._lock:
            self.points[key] = point
            self._changed = True
            if time.perf_counter() >= self._next:
                self._write()

    def _write(self) -> None:
        """Write the file; whoever stops the process at any moment finds the old one or the new one, whole."""
        from safetensors.numpy import save

        from separatrix.atomic import write_atomically

        began, self._changed = time.perf_counter(), False
        arrays = {
            f"{place}.{name}": getattr(point, name)
            for place, point in enumerate(self.points.values())
            for name in _ARRAYS
        }
        problems = [
            {
                "key": _written_key(key),
                "intercept": float(point.intercept).hex(),
                "steps": point.steps,
                "done": point.done,
            }
            for key, point in self.points.items()
        ]
        metadata = {"format": FORMAT, "version": VERSION, "problems": json.dumps(problems), **self.source}
        write_atomically(self.path, save(arrays, metadata))
        self.written += 1
        now = time.perf_counter()
        self._next = now + max(self.pause, (now - began) / _SHARE)


def read(path: Path, source: dict[str, str]) -> dict[Any, KeptPoint]:
    """The points in a checkpoint of these data, by the key of their problem."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT or metadata.get("version") != VERSION:
                raise CommandError(
                    f"{path} is no checkpoint of this version of separatrix.",
                    "choose another place with --checkpoint",
                )
            differing = [name for name, value in source.items() if metadata.get(name) != value]
            if differing:
                raise CommandError(
                    f"The checkpoint {path} is of another fit: its {' and '.join(differing)} differ.",
                    "name another file, or delete this one to begin anew",
                )
            points = {}
            for place, problem in enumerate(json.loads(metadata["problems"])):
                arrays = {name: file.get_tensor(f"{place}.{name}") for name in _ARRAYS}
                points[_read_key(problem["key"])] = KeptPoint(
                    intercept=float.fromhex(problem["intercept"]),
                    steps=int(problem["steps"]),
                    done=problem["done"] is True,
                    **arrays,
                )
            return points
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise CommandError(
            f"The checkpoint {path} cannot be read: {error}.", "delete it to begin anew"
        ) from None


def source_of(X: Any, y: Any, parameters: dict[str, Any]) -> dict[str, str]:
    """Return what a checkpoint belongs to: the data by their fingerprint, and the problem by its parameters."""
    from separatrix.proof.fingerprint import fingerprint

    found = fingerprint(X, y)
    return {"X": found.X, "y": found.y, "parameters": json.dumps(parameters, sort_keys=True, default=str)}


def _written_key(key: Any) -> Any:
    return list(key) if isinstance(key, tuple) else key


def _read_key(key: Any) -> Any:
    return tuple(key) if isinstance(key, list) else key
