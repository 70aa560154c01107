"""The handlers of rows: predict them, learn them, take their labels later."""

from __future__ import annotations

import asyncio
import json
import math
import secrets
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from separatrix.serve.bodies import read_body
from separatrix.serve.errors import RequestError
from separatrix.serve.http import Answer, Request, answer_json
from separatrix.serve.labels import DATATYPES, check_names
from separatrix.serve.metrics import Metrics
from separatrix.serve.tensors import Asked, output
from separatrix.serve.writer import Outcome, Work

_AT_ONCE = 1 << 21  # multiplications that the event loop makes itself; more go to a thread
_LONG_BODY = 1 << 18  # bytes that the event loop reads itself
_OUTPUTS = ("predict", "decision_function")


class Inbox:
    """Outcomes on their way from the writer's thread to the requests that wait: one wake-up for many."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._items: deque[tuple[asyncio.Future[Any], Any]] = deque()
        self._awake = False

    def put(self, future: asyncio.Future[Any], outcome: Any) -> None:
        """Called by any thread."""
        self._items.append((future, outcome))
        if not self._awake:
            self._awake = True
            self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._awake = False
        while self._items:
            future, outcome = self._items.popleft()
            if future.done():
                continue
            if isinstance(outcome, Exception):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)


class Inference:
    """Predictions and learning over HTTP."""

    def __init__(self, metrics: Metrics) -> None:
        self.metrics = metrics
        self.inbox = Inbox()
        self.threads = ThreadPoolExecutor(2, thread_name_prefix="predictions")

    async def _asked(self, request: Request) -> Asked:
        body = await request.body()
        content_type = request.header(b"content-type") or ""
        header = request.header(b"inference-header-content-length")
        most = request.settings.max_rows
        if len(body) > _LONG_BODY:
            asked: Asked = await self._in_thread(read_body, body, content_type, header, most)
        else:
            asked = read_body(body, content_type, header, most)
        model = request.model
        if asked.X is not None and asked.X.shape[1] != model.columns:
            raise RequestError(f"The model has {model.columns} columns; the rows have {asked.X.shape[1]}.")
        for name in asked.outputs or ():
            if name not in _OUTPUTS:
                raise RequestError(f"There is no output {name[:40]!r}; there are {', '.join(_OUTPUTS)}.")
        return asked

    async def _in_thread(self, function: Any, *values: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.threads, function, *values)

    async def infer(self, request: Request) -> Answer:
        """Predict rows; with ``parameters.remember`` they are kept until their labels come."""
        asked = await self._asked(request)
        if asked.X is None:
            raise RequestError("There are no rows: a tensor 'X' of shape [rows, columns].")
        model, X = request.model, asked.X
        predictor, version = model.predictor(request.version)
        if predictor.work * len(X) <= _AT_ONCE:
            said, scores = predictor.answer(X)
        else:
            said, scores = await self._in_thread(predictor.answer, X)
        if not math.isfinite(scores.sum()) and not np.isfinite(scores).all():
            raise RequestError("The scores of these rows are beyond what a float64 holds.")
        self.metrics.rows[model.name] += len(X)
        if asked.remember:
            asked.id = asked.id or secrets.token_hex(12)
            work = Work(X, None, prediction=asked.id, said=said)
            await self._durable(model, work)
        head: dict[str, Any] = {"model_name": model.name, "model_version": version}
        if asked.id is not None:
            head["id"] = asked.id
        if asked.remember:
            head["parameters"] = {"remembered": True}
        values = {"predict": (said, DATATYPES[model.kind]), "decision_function": (scores, "FP64")}
        return _tensors(head, values, asked)

    async def learn(self, request: Request) -> Answer:
        """Predict rows, then learn them; answered once they are durable."""
        model = request.model
        if not model.learns:
            raise RequestError(f"The model {model.name!r} does not learn. {model.why}", 409)
        if request.version is not None and request.version != "online":
            raise RequestError("Only the version 'online' learns.", 409)
        key = request.header(b"idempotency-key")
        if key is not None and not (0 < len(key) <= 200 and key.isprintable()):
            raise RequestError("An Idempotency-Key has 1 to 200 printable characters.")
        asked = await self._asked(request)
        if asked.labels is None:
            raise RequestError("There are no labels: a tensor 'y' of shape [rows].")
        if (asked.X is None) == (asked.prediction is None):
            raise RequestError(
                "Labels belong to rows 'X', or to a prediction named in parameters.prediction."
            )
        names = check_names(asked.labels, model.kind)
        if not names:
            raise RequestError("There are no labels: a tensor 'y' of shape [rows].")
        work = Work(asked.X, names, key, asked.prediction)
        if key is not None:
            work.seal()
        outcome: Outcome = await self._durable(model, work)
        head: dict[str, Any] = {"model_name": model.name, "model_version": "online"}
        if asked.id is not None:
            head["id"] = asked.id
        facts = {
            "durable": True,
            "position": outcome.seq,
            "rows_logged": outcome.total,
            "mistakes": outcome.mistakes,
        }
        head["parameters"] = facts
        answer = _tensors(head, {"predict": (outcome.said, DATATYPES[model.kind])}, asked)
        return (
            answer._replace(headers={**answer.headers, "Idempotent-Replay": "true"})
            if outcome.repeated
            else answer
        )

    async def _durable(self, model: Any, work: Work) -> Any:
        if not model.learns:
            raise RequestError(f"The model {model.name!r} does not learn. {model.why}", 409)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        work.done = lambda outcome: self.inbox.put(future, outcome)
        model.submit(work)
        return await future

    async def in_writer(self, model: Any, function: Any) -> Any:
        """The result of a function that the writer of a model runs."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        model.in_writer(function, lambda outcome: self.inbox.put(future, outcome))
        return await future

    def close(self) -> None:
        """Let the threads go."""
        self.threads.shutdown(wait=False)


def _tensors(head: dict[str, Any], values: dict[str, tuple[Any, str]], asked: Asked) -> Answer:
    """An answer with the outputs that were asked for."""
    wanted = [name for name in values if asked.outputs is None or name in asked.outputs]
    binary = asked.binary
    if not binary:
        outputs = [output(name, *values[name], False)[0] for name in wanted]
        return answer_json({**head, "outputs": outputs})
    parts = [output(name, *values[name], "*" in binary or name in binary) for name in wanted]
    text = json.dumps({**head, "outputs": [part for part, _ in parts]}, allow_nan=False).encode()
    content = b"".join([text, *(content for _, content in parts)])
    return Answer(
        200, content, "application/octet-stream", {"Inference-Header-Content-Length": str(len(text))}
    )
