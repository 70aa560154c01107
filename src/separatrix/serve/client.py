"""A client that loses nothing either: every `learn` has an Idempotency-Key, so that a retry learns once.

    client = Client("http://127.0.0.1:8080", "spam", token="...")
    client.learn(X, y)            # returns once the rows are durable
    client.predict(X)

It needs the standard library and NumPy alone. A request whose connection breaks, or that is answered 429, 502, 503,
504 or 507, is sent again with the same key, after a pause that doubles.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import secrets
import ssl
import time
from collections import deque
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlsplit

import numpy as np
from numpy.typing import NDArray

_AGAIN = frozenset({429, 502, 503, 504, 507})
_LONGEST_PAUSE = 5.0  # seconds


class ServeError(Exception):
    """The server refused a request; ``status`` is that of HTTP, 0 where none was answered."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class Client:
    """One model of one server. Safe with several threads: each request under way has a connection of its own.

    Parameters
    ----------
    address
        As ``separatrix serve`` prints it: ``http://127.0.0.1:8080``.
    model
        The name of the model.
    token
        Sent as ``Authorization: Bearer``; ``token_file`` reads it, the first word of the file, instead.
    timeout
        Seconds to wait for an answer.
    retries
        How often a request is sent again.
    """

    def __init__(
        self,
        address: str,
        model: str,
        *,
        token: str | None = None,
        token_file: str | Path | None = None,
        timeout: float = 30.0,
        retries: int = 5,
        context: ssl.SSLContext | None = None,
    ) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"address must be like http://127.0.0.1:8080; got {address!r}.")
        self._secure, self._host = parts.scheme == "https", parts.hostname
        self._port = parts.port or (443 if self._secure else 80)
        self._model = quote(model, safe="")
        if token_file is not None:
            token = Path(token_file).read_text().split()[0]
        self._authorization = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._timeout, self._retries, self._context = timeout, retries, context
        self._idle: deque[http.client.HTTPConnection] = deque()  # connections that may be used again

    def predict(self, X: Any, *, remember: bool = False) -> NDArray[Any]:
        """The class of each row; see `infer` for the id of a remembered prediction."""
        return np.array(self.infer(X, remember=remember)["outputs"][0]["data"])

    def infer(self, X: Any, *, remember: bool = False, version: str | None = None) -> dict[str, Any]:
        """The whole answer: classes, scores, version, and with ``remember`` the id that `label` takes."""
        document: dict[str, Any] = {"inputs": [_rows(X)]}
        if remember:
            document |= {"parameters": {"remember": True}, "id": secrets.token_hex(12)}
        where = "" if version is None else f"/versions/{quote(version, safe='')}"
        return self._post(f"{where}/infer", document)

    def learn(self, X: Any, y: Any, *, key: str | None = None) -> dict[str, Any]:
        """Learn rows (n, d) with labels (n,); returns once they are durable, with what was predicted before."""
        return self._post("/learn", {"inputs": [_rows(X), _labels(y)]}, key or secrets.token_hex(16))

    def label(self, prediction: str, y: Any, *, key: str | None = None) -> dict[str, Any]:
        """Learn the rows of a remembered prediction, whose labels have come."""
        document = {"inputs": [_labels(y)], "parameters": {"prediction": prediction}}
        return self._post("/learn", document, key or secrets.token_hex(16))

    def stats(self) -> dict[str, Any]:
        """Rows, mistakes, bound, the interval of the mistake rate, versions."""
        found: dict[str, Any] = self.ask("GET", "/stats")
        return found

    def refit(self, **request: Any) -> dict[str, Any]:
        """Begin a refit in the background: rows, C, kernel, gamma, tol, max_time."""
        return self._post("/refit", request)

    def rollback(self, *, version: str | None = None, rows: int | None = None) -> dict[str, Any]:
        """Let another version answer, or put the learner back to where it had learnt so many rows."""
        asked = {"version": version, "rows": rows}
        return self._post("/rollback", {name: value for name, value in asked.items() if value is not None})

    def _post(self, path: str, document: Any, key: str | None = None) -> dict[str, Any]:
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        # A request that would do something twice without a key is sent once.
        again = key is not None or path.endswith("/infer")
        found: dict[str, Any] = self.ask("POST", path, json.dumps(document).encode(), headers, again)
        return found

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        again: bool = True,
    ) -> Any:
        """Send a request to ``/v2/models/{model}`` and what follows; the JSON of the answer, or a `ServeError`."""
        pause, left = 0.05, self._retries if again else 0
        while True:
            try:
                status, text, wait = self._send(method, path, body, headers or {})
            except (OSError, http.client.HTTPException) as error:
                status, text, wait = (
                    0,
                    json.dumps({"error": f"{type(error).__name__}: {error}"}).encode(),
                    None,
                )
            if status == 200 or status == 202:
                return json.loads(text)
            if left <= 0 or (status and status not in _AGAIN):
                raise ServeError(_sentence(text, status), status)
            left -= 1
            time.sleep(min(_LONGEST_PAUSE, max(pause, wait or 0.0)))
            pause *= 2

    def _send(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes, float | None]:
        connection = self._connection()
        try:
            connection.request(
                method, f"/v2/models/{self._model}{path}", body, {**self._authorization, **headers}
            )
            reply = connection.getresponse()
            text = reply.read()
        except BaseException:
            connection.close()
            raise
        if reply.will_close:
            connection.close()
        else:
            self._idle.append(connection)
        wait = reply.headers.get("Retry-After", "")
        return reply.status, text, float(wait) if wait.isdecimal() else None

    def _connection(self) -> http.client.HTTPConnection:
        try:
            return self._idle.pop()
        except IndexError:
            pass
        if not self._secure:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        context = self._context or ssl.create_default_context()
        return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=context)

    def close(self) -> None:
        """Close the connections that are open."""
        while self._idle:
            self._idle.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class AsyncClient:
    """The same for asyncio: each call runs a `Client` in a thread, with the same retries and keys."""

    def __init__(self, address: str, model: str, **options: Any) -> None:
        self._client = Client(address, model, **options)

    async def predict(self, X: Any, **options: Any) -> NDArray[Any]:
        """See `Client.predict`."""
        return await asyncio.to_thread(self._client.predict, X, **options)

    async def infer(self, X: Any, **options: Any) -> dict[str, Any]:
        """See `Client.infer`."""
        return await asyncio.to_thread(self._client.infer, X, **options)

    async def learn(self, X: Any, y: Any, *, key: str | None = None) -> dict[str, Any]:
        """See `Client.learn`."""
        return await asyncio.to_thread(self._client.learn, X, y, key=key)

    async def label(self, prediction: str, y: Any, *, key: str | None = None) -> dict[str, Any]:
        """See `Client.label`."""
        return await asyncio.to_thread(self._client.label, prediction, y, key=key)

    async def stats(self) -> dict[str, Any]:
        """See `Client.stats`."""
        return await asyncio.to_thread(self._client.stats)

    async def close(self) -> None:
        """Close the connections that are open."""
        self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()


def _rows(X: Any) -> dict[str, Any]:
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim == 1:
        rows = rows.reshape(1, -1)
    return {"name": "X", "shape": list(rows.shape), "datatype": "FP64", "data": rows.ravel().tolist()}


def _labels(y: Any) -> dict[str, Any]:
    names = np.atleast_1d(np.asarray(y))
    kinds = {"i": "INT64", "u": "INT64", "b": "BOOL", "f": "FP64"}
    kind = kinds.get(names.dtype.kind, "BYTES")
    return {"name": "y", "shape": [len(names)], "datatype": kind, "data": names.tolist()}


def _sentence(text: bytes, status: int) -> str:
    try:
        found = json.loads(text)
        return str(found["error"]) + (f" Hint: {found['hint']}." if "hint" in found else "")
    except (ValueError, KeyError, TypeError):
        return f"The server answered {status}."
