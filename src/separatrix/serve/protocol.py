"""HTTP/1.1 on a connection, with an end to patience: a client that sends its request drop by drop is cut off."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from separatrix.serve.settings import Settings

_IDLE, _HEAD, _BODY = range(3)
_LATE = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 42\r\n\r\n"
    b'{"error": "The request came too slowly."}\n'
)
_LONG = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/json\r\nconnection: close\r\n"
    b'content-length: 50\r\n\r\n{"error": "The head of the request is too long."}\n'
)


def protocol_for(settings: Settings) -> type[HttpToolsProtocol]:
    """uvicorn's protocol with these limits."""

    class Patient(HttpToolsProtocol):
        """Times the head and the body of every request, and measures its head."""

        _phase = _IDLE
        _timed = _IDLE
        _timer: asyncio.TimerHandle | None = None
        _head = 0

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._phase = _HEAD  # whoever connects has something to say
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._phase = _IDLE
            self._watch()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            self._head += len(data)
            super().data_received(data)
            if self._phase == _HEAD and self._head > settings.max_header:
                self._end(_LONG)
            self._watch()

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self._phase = _HEAD

        def on_headers_complete(self) -> None:
            super().on_headers_complete()
            self._phase = _BODY
            self._head = 0

        def on_message_complete(self) -> None:
            super().on_message_complete()
            self._phase = _IDLE
            self._head = 0

        def _watch(self) -> None:
            """One timer for the phase that the connection is in; none between requests."""
            if self._phase == self._timed:
                return
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self._timed = self._phase
            if self._phase != _IDLE:
                patience = settings.header_timeout if self._phase == _HEAD else settings.body_timeout
                self._timer = self.loop.call_later(patience, self._end, _LATE)

        def _end(self, answer: bytes) -> None:
            """Say why, unless an answer is under way, and close."""
            if self.transport is None or self.transport.is_closing():
                return
            if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
                self.transport.write(answer)
            self.transport.close()

    return Patient
