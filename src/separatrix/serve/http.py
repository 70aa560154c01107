"""Requests and answers as the handlers see them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from separatrix.errors import sentence_and_hint
from separatrix.serve.errors import RequestError
from separatrix.serve.settings import Settings
from separatrix.serve.tensors import parse

_JSON = "application/json"
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":"), check_circular=False).encode


class Answer(NamedTuple):
    """Status, body and headers of a response."""

    status: int
    body: bytes
    content_type: str = _JSON
    headers: dict[str, str] = {}  # noqa: RUF012  (never changed)


def answer_json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    """A value as JSON."""
    return Answer(status, _encode(value).encode(), _JSON, headers or {})


def answer_error(error: RequestError) -> Answer:
    """A sentence, as the inference protocol has it."""
    sentence, hint = sentence_and_hint(error)
    content = {"error": sentence} if hint is None else {"error": sentence, "hint": hint}
    return answer_json(content, error.status, error.headers)


@dataclass(eq=False)
class Request:
    """One request; its body is read when a handler asks for it."""

    method: str
    path: str
    query: bytes
    headers: dict[bytes, bytes]
    receive: Any
    settings: Settings
    model: Any = None
    version: str | None = None

    def header(self, name: bytes) -> str | None:
        """A header as text."""
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    def parameters(self) -> dict[str, str]:
        """The query."""
        return dict(parse_qsl(self.query.decode("latin-1"), max_num_fields=20))

    async def body(self) -> bytes:
        """The whole body; 413 as soon as it is known to be too long."""
        most = self.settings.max_body
        claimed = self.headers.get(b"content-length")
        if claimed is not None and (not claimed.isdigit() or int(claimed) > most):
            raise _too_long(most)
        if b"content-encoding" in self.headers:
            raise RequestError("Bodies must not be compressed.", 415, {"Connection": "close"})
        parts: list[bytes] = []
        size = 0
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise RequestError("The request ended before its body did.", 400)
            part = message.get("body", b"")
            size += len(part)
            if size > most:
                raise _too_long(most)
            if not message.get("more_body", False):
                return part if not parts else b"".join([*parts, part])
            parts.append(part)

    async def json_object(self) -> dict[str, Any]:
        """The body as a JSON object, empty where there is none."""
        body = await self.body()
        value = parse(body) if body.strip() else {}
        if not isinstance(value, dict):
            raise RequestError("The body must be a JSON object.")
        return value


def _too_long(most: int) -> RequestError:
    # The connection is closed: what still comes is not read.
    return RequestError(f"A body has at most {most:,} bytes.", 413, {"Connection": "close"})
