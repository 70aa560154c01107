"""The local server: the page's files, and one session for each WebSocket.

It answers at once: what the sessions need (NumPy, SciPy, scikit-learn) is imported by a thread while the browser opens.
Requests of one page are answered in turn, in a worker thread, so that two pages do not wait for each other.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from separatrix.lab.limits import MAX_MESSAGE_BYTES, MAX_SESSIONS
from separatrix.web import free_port, headers, may_ask, same_origin

STATIC = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}
_log = logging.getLogger(__name__)


class Lab:
    """The application and the sessions that are open; ``embedders`` are origins whose pages may frame it."""

    def __init__(self, host: str = "127.0.0.1", embedders: Sequence[str] = ()) -> None:
        self.host = host
        self.headers = headers(embedders)
        self.sessions: set[Any] = set()
        self.files = {
            "/" + path.relative_to(STATIC).as_posix(): path
            for path in sorted(STATIC.rglob("*"))
            if path.suffix in _TYPES
        }
        self.app = Starlette(
            routes=[
                Route("/{path:path}", self._file, methods=["GET"]),
                WebSocketRoute("/session", self._session),
            ]
        )

    async def _file(self, request: Request) -> Response:
        if not may_ask(request.headers.get("host", ""), self.host):
            return PlainTextResponse("This address is not served here.\n", 421, self.headers)
        # Looked up in a table of the files there are, so that no path leads anywhere else.
        name = request.url.path
        path = self.files.get("/index.html" if name == "/" else name)
        if path is None:
            return PlainTextResponse("There is no such file.\n", 404, self.headers)
        return FileResponse(path, headers=self.headers, media_type=_TYPES[path.suffix])

    async def _session(self, socket: WebSocket) -> None:
        host = socket.headers.get("host", "")
        if not may_ask(host, self.host) or not same_origin(socket.headers.get("origin"), host):
            await socket.close(1008, "Connections come from the page that is served here.")
            return
        await socket.accept()
        if len(self.sessions) >= MAX_SESSIONS:
            # After the handshake, because before it no browser tells the page why.
            await socket.close(
                1013, f"{MAX_SESSIONS} pages of this lab are open, as many as it serves at once."
            )
            return
        session = await anyio.to_thread.run_sync(_new_session)
        self.sessions.add(session)
        try:
            while True:
                message = await socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                reply = await anyio.to_thread.run_sync(answer, session, message.get("text"))
                await socket.send_text(reply)
        except WebSocketDisconnect:
            return
        finally:
            self.sessions.discard(session)


def _new_session() -> Any:
    return import_module("separatrix.lab.session").Session()


def answer(session: Any, text: str | None) -> str:
    """The reply to one message, as text; whatever is wrong becomes a sentence, and the session lives on."""
    reply: dict[str, Any]
    try:
        if text is None:
            raise ValueError("A message must be text.")
        if len(text.encode()) > MAX_MESSAGE_BYTES:
            raise ValueError(f"A message holds at most {MAX_MESSAGE_BYTES} bytes.")
        message = json.loads(text, parse_constant=_refuse)
        reply = session.handle(message)
    except (ValueError, RecursionError) as error:
        reply = {"id": None, "error": f"The message could not be read: {error}"}
    except Exception as error:  # a fault of ours must not cost the user the scene
        _log.exception("a request failed")
        reply = {"id": message.get("id"), "error": f"Internal error: {type(error).__name__}: {error}"}
    return json.dumps(reply, allow_nan=False, separators=(",", ":"))


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is not a number that JSON has")


def serve(host: str, port: int, ready: Callable[[str], None], embedders: Sequence[str] = ()) -> None:
    """Serve the page until Ctrl-C; ``ready`` is called with the address as soon as it can be opened."""
    import uvicorn

    listening = free_port(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    threading.Thread(target=_new_session, daemon=True).start()  # imports while the browser opens
    config = uvicorn.Config(
        Lab(host, embedders).app,
        log_level="warning",
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    listening.listen(64)
    ready(address)
    uvicorn.Server(config).run(sockets=[listening])
