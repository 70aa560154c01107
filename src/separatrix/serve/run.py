"""From files to a server that runs until it is told to stop, and then finishes what it has accepted."""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import logging
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvicorn
from threadpoolctl import threadpool_limits

from separatrix.errors import ModelFileError, ParameterError, with_hint
from separatrix.models.file import load
from separatrix.perceptron.estimator import Perceptron
from separatrix.perceptron.partial_fit import can_learn_online
from separatrix.serve.app import App
from separatrix.serve.errors import FolderError
from separatrix.serve.learning import LearningModel
from separatrix.serve.protocol import protocol_for
from separatrix.serve.replay import Progress
from separatrix.serve.settings import Settings
from separatrix.serve.static_model import StaticModel
from separatrix.serve.tokens import Tokens
from separatrix.web import free_port, is_loopback

_log = logging.getLogger("separatrix.serve")
_ENDING = ".safetensors"


@dataclass(frozen=True)
class Place:
    """Address and TLS files of a server."""

    host: str = "127.0.0.1"
    port: int = 8080
    certificate: Path | None = None  #: for TLS
    key: Path | None = None


@dataclass
class Opened:
    """The models of a server, and what should be said about them."""

    models: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def close(self) -> None:
        """Give the folders back."""
        for model in self.models.values():
            model.close()


def find_models(paths: list[Path]) -> dict[str, Path]:
    """Model files by the names that they are served under: files as given, and all *.safetensors of a folder."""
    found: dict[str, Path] = {}
    for path in paths:
        files = sorted(path.glob(f"*{_ENDING}")) if path.is_dir() else [path]
        if not files:
            raise with_hint(FolderError, f"The folder {path} holds no model.", f"models end in {_ENDING}")
        for file in files:
            name = file.name.removesuffix(_ENDING)
            if name in found:
                raise FolderError(f"Two models are named {name!r}: {found[name]} and {file}.")
            if not name or any(sign in name for sign in "/\\?#%") or name.startswith("."):
                raise FolderError(
                    f"{file}: a model is named by its file, and this name cannot be in an address."
                )
            found[name] = file
    return found


def open_models(
    paths: list[Path], data: Path | None, settings: Settings, progress: Progress | None = None
) -> Opened:
    """Every model: learning where it can and there is a folder for its log, else as it is."""
    opened = Opened()
    try:
        for name, path in find_models(paths).items():
            why = _why_not(path, data)
            if why is None:
                assert data is not None
                model: Any = LearningModel(name, path.read_bytes(), data / name, settings, progress)
            else:
                model = StaticModel(name, path, why)
                opened.notes.append(f"{name} is served without learning. {why}")
            opened.notes += [f"{name}: {note}" for note in model.notes]
            opened.models[name] = model
    except BaseException:
        opened.close()
        raise
    return opened


def _why_not(path: Path, data: Path | None) -> str | None:
    """The reason why a model does not learn; None if it does."""
    model = load(path, certificates=False)
    if not isinstance(model, Perceptron):
        return f"A {type(model).__name__} does not learn row by row; a Perceptron does."
    try:
        can_learn_online(model)
    except (AttributeError, ParameterError, ModelFileError) as error:
        return str(error)
    return None if data is not None else "There is no folder for its log: --data-dir DIR."


def serve(
    opened: Opened,
    tokens: Tokens,
    place: Place,
    settings: Settings,
    ready: Callable[[str], None],
    access_log: bool = False,
) -> None:
    """Serve until SIGTERM or Ctrl-C; ``ready`` is called with the address as soon as the server answers."""
    if not is_loopback(place.host) and not tokens:
        raise with_hint(
            FolderError,
            f"Other machines reach {place.host}, and there is no token.",
            "--token-file FILE, or listen on 127.0.0.1",
        )
    listening = free_port(place.host, place.port)
    shown = f"[{place.host}]" if ":" in place.host else place.host
    scheme = "https" if place.certificate is not None else "http"
    app = App(opened.models, tokens, place.host, settings, access_log)
    config = uvicorn.Config(
        app,
        http=protocol_for(settings),
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        date_header=False,
        limit_concurrency=settings.max_connections,
        timeout_keep_alive=int(settings.keep_alive),
        timeout_graceful_shutdown=int(settings.grace),
        ssl_certfile=place.certificate,
        ssl_keyfile=place.key,
    )
    config.load()  # a certificate that cannot be read is an error before anybody is told an address
    listening.listen(1024)

    async def run() -> None:
        app.start()
        ready(f"{scheme}://{shown}:{listening.getsockname()[1]}/")
        await uvicorn.Server(config).serve(sockets=[listening])

    # The writer's thread works in Python too: without this, requests would wait up to 5 ms for their turn.
    sys.setswitchinterval(0.0005)
    # Many small products: threads of BLAS would only wait for each other.
    threadpool_limits(1)
    gc.collect()
    gc.freeze()
    # uvicorn stops at these, and raises them once more when it has stopped; the log is still to be closed then.
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: None)
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(run())
    finally:
        gc.unfreeze()
        app.close()
        _log.info("stopped: everything accepted is in the log")


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        uvloop: Any = importlib.import_module("uvloop")
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


class JsonLines(logging.Formatter):
    """Events as JSON lines: time, level, event, and a traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON."""
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        message = record.getMessage()
        line = {"time": when, "level": record.levelname.lower(), "event": message}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)
