"""Servers for the tests: as `separatrix serve` starts them, in a process of their own, and models to serve."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

import separatrix as sx

COLUMNS = 4
TOKENS = {"all": "token-of-everything", "read": "token-of-a-reader", "learn": "token-of-a-learner"}


def rows(n: int, seed: int = 0, columns: int = COLUMNS) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two classes, nearly separable; the plane does not depend on the seed."""
    plane = np.random.default_rng(99).normal(size=columns)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns))
    return X, np.where(X @ plane + 0.2 * rng.normal(size=n) > 0, 1, -1)


def save_perceptron(path: Path, **parameters: Any) -> Path:
    """A model that has seen a few rows."""
    X, y = rows(12, seed=1)
    sx.save(sx.Perceptron(**parameters).partial_fit(X, y), path)
    return path


def command(model: Path, *options: Any) -> list[str]:
    return [sys.executable, "-m", "separatrix", "serve", str(model), "--port", "0", *map(str, options)]


def start(model: Path, *options: Any, **more: Any) -> tuple[subprocess.Popen[str], str]:
    """The process and its address, once it answers."""
    process = subprocess.Popen(
        command(model, *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    if not address:
        process.wait(20)
        assert process.stderr is not None
        raise AssertionError(process.stderr.read())
    return process, address


@contextmanager
def serving(model: Path, *options: Any, **more: Any) -> Iterator[str]:
    """The address of a server that is stopped in the end, and must stop well."""
    process, address = start(model, *options, **more)
    try:
        yield address
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors, errors


def fetch(
    address: str, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> tuple[int, Any, dict[str, str]]:
    """Status, body (JSON where it is) and headers of a request; ``body`` as JSON unless it is bytes."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    try:
        connection.request(method, path, content, headers or {})
        reply = connection.getresponse()
        text = reply.read()
        known = {name.lower(): value for name, value in reply.headers.items()}
        return reply.status, json.loads(text) if "json" in known.get("content-type", "") else text, known
    finally:
        connection.close()


def tensors(X: Any, y: Any = None, **more: Any) -> dict[str, Any]:
    """The body of a request."""
    X = np.atleast_2d(X)
    inputs = [{"name": "X", "shape": list(X.shape), "datatype": "FP64", "data": X.ravel().tolist()}]
    if y is not None:
        kind = "BYTES" if isinstance(y[0], str) else "INT64"
        inputs.append({"name": "y", "shape": [len(y)], "datatype": kind, "data": [_plain(v) for v in y]})
    return {"inputs": inputs, **more}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
