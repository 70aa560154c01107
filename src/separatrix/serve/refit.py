"""The maximum-margin model kept up to date: a process of its own fits an `SVC` to logged rows and proves it.

Only a fit whose certificate was verified against those rows is handed over; the server then lets it answer. Predictions
and learning go on meanwhile. `python -m separatrix.serve.refit LOG OUT REQUEST` is the process.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.data.read import read
from separatrix.models.file import save
from separatrix.proof.verify import verify
from separatrix.serve.errors import RequestError
from separatrix.serve.labels import as_array
from separatrix.serve.log import ROWS, Log
from separatrix.svm.svc import SVC
from separatrix.validation.holdout import Holdout

_log = logging.getLogger("separatrix.serve")
MAX_ROWS = 1_000_000  #: rows of a refit
_FIELDS = {"rows", "C", "kernel", "gamma", "tol", "max_time"}


def check_request(request: dict[str, Any]) -> dict[str, Any]:
    """A request for a refit, with the values that it leaves out."""
    unknown = sorted(set(request) - _FIELDS)
    if unknown:
        raise RequestError(
            f"A refit has no field {unknown[0][:40]!r}; there are {', '.join(sorted(_FIELDS))}."
        )
    rows = request.get("rows", MAX_ROWS)
    if type(rows) is not int or not 2 <= rows <= MAX_ROWS:
        raise RequestError(f"'rows' is how many of the latest rows take part: 2 to {MAX_ROWS:,}.")
    out: dict[str, Any] = {"rows": rows}
    for name, usual, most in (("C", 1.0, 1e9), ("tol", 1e-3, 0.1), ("max_time", 600.0, 86400.0)):
        value = request.get(name, usual)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
            raise RequestError(f"{name!r} must be a number above 0 and at most {most:g}.")
        out[name] = float(value)
    out["kernel"] = request.get("kernel", "linear")
    if out["kernel"] not in ("linear", "rbf", "poly", "laplacian"):
        raise RequestError("'kernel' is one of linear, rbf, poly, laplacian.")
    gamma = request.get("gamma", "scale")
    if gamma not in ("scale", "auto") and (
        isinstance(gamma, bool) or not isinstance(gamma, int | float) or not 0 < gamma < 1e9
    ):
        raise RequestError("'gamma' is 'scale', 'auto' or a number above 0.")
    out["gamma"] = gamma
    return out


def logged_rows(log: Log, columns: int, first: int, last: int) -> tuple[NDArray[np.float64], list[Any]]:
    """The rows of the log with the numbers first to last - 1, counted from 0, and their labels."""
    parts, names = [], []
    query = (
        "SELECT total, rows, X, y FROM entries WHERE kind = ? AND total > ? AND total - rows < ? ORDER BY seq"
    )
    for total, rows, X, y in log.connection.execute(query, (ROWS, first, last)):
        begin = total - rows
        take = slice(max(0, first - begin), min(rows, last - begin))
        parts.append(np.frombuffer(X, dtype="<f8").reshape(rows, columns)[take])
        names += json.loads(y)[take]
    return (np.concatenate(parts) if parts else np.zeros((0, columns))), names


class Refitter:
    """At most one refit of a model at a time."""

    def __init__(self, path: Path, columns: int, kind: str, held_out: Path | None = None) -> None:
        self._path, self._columns, self._kind = path, columns, kind
        self._held_out = None if held_out is None else str(held_out.resolve())
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self.running = False
        self.last: dict[str, Any] | None = None  #: the outcome of the last one

    def start(
        self,
        request: dict[str, Any],
        least: int,
        total: int,
        done: Callable[[bytes, dict[str, Any]], None],
    ) -> dict[str, Any]:
        """Begin a refit on the latest of the rows from ``least`` to ``total``.

        ``done`` gets the model and its facts, only if it is proved.
        """
        asked = check_request(request)
        with self._lock:
            if self.running:
                raise RequestError("A refit is under way already.", 409)
            if total - least < 2:
                raise RequestError("There are no rows to fit yet.", 409)
            self.running = True
        first = max(least, total - asked.pop("rows"))
        order = {**asked, "first": first, "last": total, "columns": self._columns, "kind": self._kind}
        order["held_out"] = self._held_out
        threading.Thread(target=self._run, args=(order, done), name="refit", daemon=True).start()
        return {"rows": [first, total], **asked}

    def _run(self, order: dict[str, Any], done: Callable[[bytes, dict[str, Any]], None]) -> None:
        began = time.time()
        try:
            with tempfile.TemporaryDirectory(prefix="separatrix-refit-") as folder:
                out = Path(folder) / "model.safetensors"
                facts = self._fit(order, out)
                if facts.get("proved"):
                    done(out.read_bytes(), facts)
        except Exception as error:  # told to whoever asks for the numbers
            facts = {"proved": False, "why": str(error)[:500]}
        self.last = {
            "at": began,
            "seconds": time.time() - began,
            "rows": [order["first"], order["last"]],
            **facts,
        }
        self.running = False
        _log.info("refit: %s", json.dumps(self.last))

    def _fit(self, order: dict[str, Any], out: Path) -> dict[str, Any]:
        command = [
            sys.executable,
            "-m",
            "separatrix.serve.refit",
            str(self._path),
            str(out),
            json.dumps(order),
        ]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            said, wrong = self._process.communicate(timeout=order["max_time"] + 120)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
            return {"proved": False, "why": "It took too long."}
        if self._process.returncode != 0:
            lines = wrong.decode(errors="replace").strip().splitlines()
            return {"proved": False, "why": (lines[-1] if lines else "The process ended.")[:500]}
        facts: dict[str, Any] = json.loads(said)
        return facts

    def close(self) -> None:
        """End a refit that is under way."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()


def _proofs(model: SVC) -> dict[str, Any]:
    certificate = model.certificate_
    return dict(certificate) if isinstance(certificate, dict) else {"": certificate}


def fit_and_prove(log: Path, out: Path, order: dict[str, Any]) -> dict[str, Any]:
    """Fit, verify every certificate against the rows, save the model; what is known of it."""
    reader = Log(log, readonly=True)
    try:
        X, names = logged_rows(reader, order["columns"], order["first"], order["last"])
    finally:
        reader.close()
    y = as_array(names, order["kind"])
    if len(X) != order["last"] - order["first"] or len(np.unique(y)) < 2:
        raise ValueError("The rows are of one class, or no longer all in the log.")
    settings = {name: order[name] for name in ("C", "kernel", "gamma", "tol", "max_time")}
    model = SVC(**settings, random_state=0).fit(X, y)
    facts: dict[str, Any] = {
        "C": order["C"],
        "kernel": order["kernel"],
        "status": model.status_,
        "proved": False,
    }
    facts["gap"] = float(np.max(model.gap_))
    if model.status_ != "converged":
        return {**facts, "why": f"The fit ended with {model.status_}: its gap is {facts['gap']:.3g}."}
    for certificate in _proofs(model).values():
        found = verify(certificate, X, y)
        facts["statement"], facts["arithmetic"] = found.reason[:1000], found.arithmetic
        if not found:
            return {**facts, "why": found.reason[:500]}
    save(model, out)
    if order["held_out"] is not None:
        facts["held_out"] = _look(model, Path(order["held_out"]), log.with_name("held-out.jsonl"))
    return {**facts, "proved": True}


def _look(model: SVC, path: Path, ledger: Path) -> dict[str, Any]:
    """The accuracy on rows that were held out, with the interval that all looks so far allow; the look is recorded."""
    try:
        found = read(path, n_columns=int(model.n_features_in_))
        look = Holdout(found.X, found.y, ledger=ledger).score(model)
    except (ValueError, OSError, RuntimeError) as error:
        return {"why": str(error)[:300]}
    return {"accuracy": look.accuracy, "interval": list(look.interval), "looks": look.looks, "rows": look.n}


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)  # predictions and learning come first
    print(json.dumps(fit_and_prove(Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3]))))
