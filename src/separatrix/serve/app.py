"""The application: who may ask, which handler answers, and every error as a sentence.

A plain ASGI application without a framework: a prediction takes tens of microseconds, and routing must not take more.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from separatrix.serve.errors import RequestError
from separatrix.serve.handlers import Handlers
from separatrix.serve.http import Answer, Request, answer_error
from separatrix.serve.inference import Inference
from separatrix.serve.metrics import Metrics
from separatrix.serve.settings import Settings
from separatrix.serve.tokens import ADMIN, LEARN, READ, Tokens
from separatrix.web import may_ask, same_origin

_log = logging.getLogger("separatrix.serve")
Handler = Callable[[Request], Awaitable[Answer]]
#: A method, a handler, and the scope that it needs; None is open to all.
Route = dict[str, tuple[Handler, str | None]]


class App:
    """All models of one server."""

    def __init__(
        self,
        models: dict[str, Any],
        tokens: Tokens,
        host: str,
        settings: Settings | None = None,
        access_log: bool = False,
    ) -> None:
        self.models, self.tokens, self.host = models, tokens, host
        self.settings = settings or Settings()
        self.metrics = Metrics()
        self.access_log = access_log
        self.inference: Inference | None = None
        self._hosts: set[bytes] = set()  # names that were found to be ours
        self.handlers = Handlers(models, self.metrics, self)
        self.fixed: dict[str, Route] = {}
        self.of_model: dict[str, Route] = {}

    def start(self) -> None:
        """Make what belongs to the event loop, which must run."""
        inference = self.inference = Inference(self.metrics)
        own = self.handlers
        self.fixed = {
            "/metrics": {"GET": (own.metrics_text, READ)},
            "/openapi.json": {"GET": (own.openapi, None)},
            "/v2": {"GET": (own.server, READ)},
            "/v2/": {"GET": (own.server, READ)},
            "/v2/health/live": {"GET": (own.live, None)},
            "/v2/health/ready": {"GET": (own.ready, None)},
            "/v2/models": {"GET": (own.list_models, READ)},
            "/v2/repository/index": {"POST": (own.index, READ)},
            **{path: {"GET": (own.file, None)} for path in own.files},
        }
        self.of_model = {
            "": {"GET": (own.metadata, READ)},
            "ready": {"GET": (own.model_ready, READ)},
            "infer": {"POST": (inference.infer, READ)},
            "learn": {"POST": (inference.learn, LEARN)},
            "stats": {"GET": (own.stats, READ)},
            "history": {"GET": (own.history, READ)},
            "wrong": {"GET": (own.wrong, READ)},
            "rows": {"GET": (own.rows, READ)},
            "certificate": {"GET": (own.certificate, READ)},
            "refit": {"POST": (own.refit, ADMIN)},
            "rollback": {"POST": (own.rollback, ADMIN)},
            "reload": {"POST": (own.reload, ADMIN)},
            "snapshot": {"POST": (own.snapshot, ADMIN)},
        }

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One connection's request."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.close", "code": 1003})
            return
        began = time.perf_counter()
        request = Request(
            scope["method"],
            scope["path"],
            scope["query_string"],
            dict(scope["headers"]),
            receive,
            self.settings,
        )
        action = "other"
        try:
            self._check_host(request)
            action, handler, wanted = self._route(request)
            if wanted is not None:
                self.tokens.check(request.header(b"authorization"), wanted)
            answer = await handler(request)
        except RequestError as error:
            answer = answer_error(error)
        except Exception:  # a fault of ours, not of the request
            _log.exception("a request failed")
            answer = answer_error(RequestError("The server failed; it wrote down why.", 500))
        if answer.status >= 400 and request.method == "POST" and "Connection" not in answer.headers:
            # A body that was refused may still be on its way.
            answer = answer._replace(headers={**answer.headers, "Connection": "close"})
        await _send(send, answer, request.method == "HEAD")
        took = time.perf_counter() - began
        self.metrics.add(action, answer.status, took)
        if self.access_log:
            _log.info(
                "%s",
                json.dumps(
                    {"method": request.method, "path": request.path, "status": answer.status, "seconds": took}
                ),
            )

    def _route(self, request: Request) -> tuple[str, Handler, str | None]:
        path = request.path
        parts = path.split("/", 6)
        if path.startswith("/v2/models/") and len(parts) >= 4:
            name, rest = parts[3], parts[4:]
            if rest[:1] == ["versions"] and len(rest) >= 2:
                request.version, rest = rest[1], rest[2:]
            action = rest[0] if len(rest) == 1 else "" if not rest else "?"
            routes = self.of_model.get(action)
            action = action or "metadata"
        else:
            name, action, routes = "", path.strip("/") or "page", self.fixed.get(path)
        if routes is None:
            raise RequestError("There is nothing at this address; /openapi.json lists what there is.", 404)
        method = "GET" if request.method == "HEAD" else request.method
        found = routes.get(method)
        if found is None:
            allowed = ", ".join(routes)
            raise RequestError(f"This address answers {allowed}.", 405, {"Allow": allowed})
        if name:
            request.model = self.models.get(name)
        if path.startswith("/v2/models/") and request.model is None:
            self.tokens.check(request.header(b"authorization"), READ)  # which models there are is not for all
            raise RequestError(f"There is no model {name[:60]!r}.", 404)
        return action, *found

    def _check_host(self, request: Request) -> None:
        """Refuse other hosts and pages of other sites."""
        name = request.headers.get(b"host", b"")
        origin = request.header(b"origin")
        if origin is None and name in self._hosts:
            return
        host = name.decode("latin-1")
        if not may_ask(host, self.host):
            raise RequestError("This address is not served here.", 421)
        if len(self._hosts) < 100:
            self._hosts.add(name)
        if not same_origin(origin, host):
            raise RequestError("Pages of other sites may not ask here.", 403)

    def close(self) -> None:
        """Finish what was accepted."""
        if self.inference is not None:
            self.inference.close()
        for model in self.models.values():
            model.close()


async def _send(send: Any, answer: Answer, head_only: bool) -> None:
    headers = [
        (b"content-type", answer.content_type.encode()),
        (b"content-length", str(len(answer.body)).encode()),
        (b"x-content-type-options", b"nosniff"),
    ]
    for name, value in answer.headers.items():
        headers.append((name.lower().encode(), value.encode("latin-1", "replace")))
    if "Cache-Control" not in answer.headers:
        headers.append((b"cache-control", b"no-store"))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if head_only else answer.body})
