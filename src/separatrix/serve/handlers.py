"""Handlers of all requests but rows: models, statistics, files, and the work of an administrator."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from separatrix import __version__
from separatrix.errors import ModelFileError
from separatrix.models.file import model_from_bytes
from separatrix.serve.errors import RequestError
from separatrix.serve.http import Answer, Request, answer_json
from separatrix.serve.labels import DATATYPES
from separatrix.serve.log import Log
from separatrix.serve.metrics import Metrics
from separatrix.serve.openapi import document
from separatrix.serve.refit import logged_rows
from separatrix.serve.versions import ONLINE
from separatrix.web import HEADERS

_STATIC = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
_EXTENSIONS = ["binary_tensor_data", "learn", "separatrix"]
_WRONG = 12  # rows that were predicted wrongly, shown at most
_EXPORTED = 100_000  # rows in one answer


class Handlers:
    """Everything but predictions and learning."""

    def __init__(self, models: dict[str, Any], metrics: Metrics, app: Any) -> None:
        self.models, self.metrics, self.app = models, metrics, app
        self.files = {
            "/" if path.name == "index.html" else f"/{path.name}": path for path in _STATIC.iterdir()
        }

    async def file(self, request: Request) -> Answer:
        """The status page and its parts."""
        path = self.files[request.path]
        return Answer(200, path.read_bytes(), _TYPES[path.suffix], HEADERS)

    async def openapi(self, request: Request) -> Answer:
        """The description of this interface."""
        return answer_json(document())

    async def server(self, request: Request) -> Answer:
        """Metadata of the server, as the inference protocol has them."""
        return answer_json({"name": "separatrix", "version": __version__, "extensions": _EXTENSIONS})

    async def live(self, request: Request) -> Answer:
        """Answer that the process lives."""
        return answer_json({"live": True})

    async def ready(self, request: Request) -> Answer:
        """Answer whether every model can answer; a server only listens once they can."""
        return answer_json({"ready": True})

    async def list_models(self, request: Request) -> Answer:
        """The models there are."""
        return answer_json(
            {"models": [{"name": name, "learns": model.learns} for name, model in self.models.items()]}
        )

    async def index(self, request: Request) -> Answer:
        """The models there are, as the model repository extension has them."""
        await request.body()
        models = [
            {"name": name, "version": model.predictor()[1], "state": "READY", "reason": ""}
            for name, model in self.models.items()
        ]
        return answer_json(models)

    async def metadata(self, request: Request) -> Answer:
        """Metadata of a model, as the inference protocol has them."""
        model = request.model
        predictor, version = model.predictor(request.version)
        k = len(predictor.labels)
        scores = [-1] if k <= 2 else [-1, k]
        names = [ONLINE, *model.versions.facts] if model.learns else [version]
        kind = DATATYPES[model.kind]
        return answer_json(
            {
                "name": model.name,
                "versions": names,
                "platform": "separatrix",
                "inputs": [{"name": "X", "datatype": "FP64", "shape": [-1, model.columns]}],
                "outputs": [
                    {"name": "predict", "datatype": kind, "shape": [-1]},
                    {"name": "decision_function", "datatype": "FP64", "shape": scores},
                ],
                "parameters": {"learns": model.learns, "serving": model.predictor()[1]},
            }
        )

    async def model_ready(self, request: Request) -> Answer:
        """Answer whether a model answers."""
        request.model.predictor(request.version)
        return answer_json({"name": request.model.name, "ready": True})

    async def metrics_text(self, request: Request) -> Answer:
        """Numbers for Prometheus."""
        text = self.metrics.text(list(self.models.values()))
        return Answer(200, text.encode(), "text/plain; version=0.0.4; charset=utf-8")

    async def stats(self, request: Request) -> Answer:
        """Numbers of a model."""
        stats = request.model.stats()
        if request.model.learns:
            refits = request.model.refits
            stats["refit"] = {"running": refits.running, "last": refits.last}
        stats["latency"] = {
            action: {
                "requests": found.total,
                "p50": _finite(found.quantile(0.5)),
                "p99": _finite(found.quantile(0.99)),
            }
            for action, found in self.metrics.latency.items()
            if action in ("infer", "learn")
        }
        return answer_json(stats)

    async def history(self, request: Request) -> Answer:
        """Mistakes, updates, bound and interval over time, thinned."""
        counts = _learning(request.model).counts
        names = ["rows", "mistakes", "updates", "bound", "low", "high"]
        points = [[value if abs(value) < 1e300 else None for value in point] for point in counts.points]
        return answer_json({"fields": names, "points": points})

    async def wrong(self, request: Request) -> Answer:
        """The last rows that were predicted wrongly."""
        model = _learning(request.model)
        return answer_json({"rows": await asyncio.to_thread(_wrong_rows, model.log.path, model.columns)})

    async def rows(self, request: Request) -> Answer:
        """Rows of the log as CSV, exact, in the order in which they were learnt: first <= number < last."""
        model = _learning(request.model)
        wanted = request.parameters()
        total = model.published.tail.total
        first, last = _count(wanted, "first", 0), _count(wanted, "last", total)
        if not first < last <= total or last - first > _EXPORTED:
            raise RequestError(
                f"'first' and 'last' name 1 to {_EXPORTED:,} of the {total:,} rows, counted from 0."
            )
        text = await asyncio.to_thread(_csv, model.log.path, model.columns, first, last)
        if text is None:
            raise RequestError("Some of these rows were compacted into the base of the log.", 410)
        return Answer(200, text.encode(), "text/csv; charset=utf-8")

    async def certificate(self, request: Request) -> Answer:
        """The certificate of a refit, or of the last: for `separatrix verify` with the rows it names."""
        model = _learning(request.model)
        version = request.version or next(reversed(model.versions.facts), None)
        if version is None or version == ONLINE:
            raise RequestError("There is no refit yet, hence no certificate.", 404)
        proofs = await asyncio.to_thread(_certificates, model.versions.content(version))
        name = request.parameters().get("problem")
        if name is None and len(proofs) > 1:
            raise RequestError(f"There is one for each of the problems: ?problem= {', '.join(proofs)}.", 400)
        found = next(iter(proofs.values())) if name is None else proofs.get(name)
        if found is None:
            raise RequestError(f"There is no problem {name!r}; there are {', '.join(proofs)}.", 404)
        return Answer(200, found.encode())

    async def refit(self, request: Request) -> Answer:
        """Begin a refit in the background."""
        model = _learning(request.model)
        return answer_json({"started": model.start_refit(await request.json_object())}, 202)

    async def rollback(self, request: Request) -> Answer:
        """Let an earlier version answer, or put the learner back to where it had learnt fewer rows."""
        model = _learning(request.model)
        asked = await request.json_object()
        rows, version = asked.get("rows"), asked.get("version")
        if set(asked) - {"rows", "version"} or (rows is not None and version is not None):
            raise RequestError(
                "A rollback names a 'version' or a number of 'rows', or nothing: the version before."
            )
        inference = self.app.inference
        if rows is not None:
            if type(rows) is not int or rows < 0:
                raise RequestError("'rows' must be a whole number of at least 0.")
            return answer_json(await inference.in_writer(model, lambda: model.go_back(rows)))
        if version is not None and not isinstance(version, str):
            raise RequestError("'version' must be a text.")
        serving = await inference.in_writer(model, lambda: model.versions.serve(version))
        return answer_json({"serving": serving})

    async def reload(self, request: Request) -> Answer:
        """Read the file of a model that does not learn again."""
        model = request.model
        await request.body()
        if model.learns:
            raise RequestError("This model learns: its state is its log, not its file.", 409)
        try:
            return answer_json({"serving": await asyncio.to_thread(model.reload)})
        except (ModelFileError, OSError) as error:
            raise RequestError(
                f"The file cannot be used, the old model still answers: {error}", 409
            ) from None

    async def snapshot(self, request: Request) -> Answer:
        """Write a snapshot now."""
        model = _learning(request.model)
        await request.body()
        await self.app.inference.in_writer(model, model.snapshot)
        return answer_json({"position": model.published.tail.seq})


def _learning(model: Any) -> Any:
    if not model.learns:
        raise RequestError(f"The model {model.name!r} does not learn. {model.why}", 409)
    return model


def _finite(value: float | None) -> float | None:
    return None if value is None or value == float("inf") else value


def _count(wanted: dict[str, str], name: str, usual: int) -> int:
    text = wanted.get(name, str(usual))
    if not text.isascii() or not text.isdecimal() or len(text) > 15:
        raise RequestError(f"{name!r} must be a whole number of at least 0; got {text[:40]!r}.")
    return int(text)


def _wrong_rows(path: Path, columns: int) -> list[dict[str, Any]]:
    reader = Log(path, readonly=True)
    out: list[dict[str, Any]] = []
    try:
        query = "SELECT at, rows, total, X, y, said FROM entries WHERE y <> said ORDER BY seq DESC LIMIT ?"
        for at, rows, total, X, y, said in reader.connection.execute(query, (_WRONG,)):
            labels, guesses = json.loads(y), json.loads(said)
            if not rows:
                continue
            for place in range(rows - 1, -1, -1):
                if labels[place] != guesses[place]:
                    values = memoryview(X).cast("d")[place * columns : (place + 1) * columns].tolist()
                    facts = {"row": total - rows + place, "at": at / 1e6, "x": values[:50]}
                    out.append({**facts, "label": labels[place], "predicted": guesses[place]})
                    if len(out) == _WRONG:
                        return out
    finally:
        reader.close()
    return out


def _csv(path: Path, columns: int, first: int, last: int) -> str | None:
    """The rows with a header; floats as Python writes them, which read back exactly."""
    reader = Log(path, readonly=True)
    try:
        X, names = logged_rows(reader, columns, first, last)
    finally:
        reader.close()
    if len(names) != last - first:
        return None
    lines = [",".join([*(f"x{column}" for column in range(columns)), "y"])]
    for row, name in zip(X.tolist(), names, strict=True):
        text = (
            json.dumps(name, ensure_ascii=False).replace('\\"', '""') if isinstance(name, str) else str(name)
        )
        lines.append(",".join([*map(repr, row), text]))
    return "\n".join(lines) + "\n"


def _certificates(content: bytes) -> dict[str, str]:
    """The certificates in a model file as JSON, by the names of their problems."""
    found = model_from_bytes(content).certificate_
    proofs = found if isinstance(found, dict) else {"": found}
    return {str(name): json.dumps(certificate.to_dict()) for name, certificate in proofs.items()}
