"""Checkpoints of a long fit: where every binary problem stands, written whole every few seconds.

A checkpoint is a safetensors file. It names the data by their SHA-256 and keeps, for each binary problem, (w, b),
alpha and C_i. A fit that starts from it proves its gap from the data like any other: a checkpoint can save time, and
cannot make an answer wrong.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from separatrix.cli.output import CommandError
from separatrix.fitting.observer import KeptPoint, Observer, Part

if TYPE_CHECKING:
    from separatrix.problem import Record, Status

FORMAT, VERSION = "separatrix-checkpoint", "1"
_ARRAYS = ("rows", "coef", "cost", "alpha")


class Checkpoints(Observer):
    """Observes a fit and keeps its points in a file, at most every ``pause`` seconds."""

    def __init__(self, path: Path, source: dict[str, str], pause: float = 3.0) -> None:
        self.path, self.source, self.pause = path, source, pause
        self.points: dict[Any, KeptPoint] = {}
        self.written = 0
        self._last = time.perf_counter()
        self._lock = threading.Lock()

    def step(self, part: Part, record: Record, point: Callable[[], KeptPoint]) -> None:
        """Keep the point if it is time."""
        if not record.proved:
            self._keep(part.key, point, final=False)

    def end(self, part: Part, record: Record, status: Status, point: Callable[[], KeptPoint]) -> None:
        """Keep the last point of a problem."""
        self._keep(part.key, point, final=True)

    def _keep(self, key: Any, point: Callable[[], KeptPoint], final: bool) -> None:
        """Take the point if it is time, or if it is the last of its problem, and write all of them."""
        if key is None:  # a joint problem: checkpoints are of binary ones
            return
        with self._lock:
            due = time.perf_counter() - self._last >= self.pause
            if not (due or final):
                return
            self.points[key] = point()
            if due:
                self.write()
                self._last = time.perf_counter()

    def write(self) -> None:
        """Write the file; whoever stops the process at any moment finds the old one or the new one, whole."""
        from safetensors.numpy import save

        from separatrix.atomic import write_atomically

        arrays = {
            f"{place}.{name}": getattr(point, name)
            for place, point in enumerate(self.points.values())
            for name in _ARRAYS
        }
        problems = [
            {"key": _written_key(key), "intercept": float(point.intercept).hex()}
            for key, point in self.points.items()
        ]
        metadata = {"format": FORMAT, "version": VERSION, "problems": json.dumps(problems), **self.source}
        write_atomically(self.path, save(arrays, metadata))
        self.written += 1


def read(path: Path, source: dict[str, str]) -> dict[Any, KeptPoint]:
    """The points in a checkpoint of these data, by the key of their problem."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT or metadata.get("version") != VERSION:
                raise CommandError(
                    f"{path} is no checkpoint of separatrix.", "choose another place with --checkpoint"
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
                bias = float.fromhex(problem["intercept"])
                points[_read_key(problem["key"])] = KeptPoint(intercept=bias, **arrays)
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
