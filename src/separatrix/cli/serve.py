"""`separatrix serve`: predictions and learning over HTTP, from a log that loses nothing."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix.cli.inputs import Json
from separatrix.cli.output import CommandError, ExitCode, Output, say
from separatrix.errors import with_hint


def serve(
    models: Annotated[
        list[Path],
        typer.Argument(
            metavar="MODEL_OR_FOLDER...",
            help="Model files, or folders of them; with --check, folders of logs.",
        ),
    ],
    data_dir: Annotated[
        Path | None, typer.Option("--data-dir", help="Folder for the logs; without one nothing is learnt.")
    ] = None,
    port: Annotated[
        int,
        typer.Option("--port", "-p", min=0, max=65535, help="Port to serve on; 0 takes any that is free."),
    ] = 8080,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; any but a loopback one needs a token.")
    ] = "127.0.0.1",
    token_file: Annotated[
        Path | None, typer.Option("--token-file", help="Tokens, one a line, each with its scopes or all.")
    ] = None,
    token_env: Annotated[
        str | None, typer.Option("--token-env", help="An environment variable that holds the same.")
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option("--tls-cert", help="Certificate of the server, PEM.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", help="Its private key, PEM.")] = None,
    retain: Annotated[
        int | None,
        typer.Option(
            "--retain", min=1, help="Rows that stay in a log; older ones are compacted. [default: all]"
        ),
    ] = None,
    refit_every: Annotated[
        int | None, typer.Option("--refit-every", min=2, help="Fit an SVC anew after so many rows.")
    ] = None,
    refit_window: Annotated[
        int | None, typer.Option("--refit-window", min=2, help="Of the latest rows, how many a refit takes.")
    ] = None,
    held_out: Annotated[
        Path | None,
        typer.Option("--held-out", exists=True, help="Rows that nobody trains on, to score every refit on."),
    ] = None,
    max_body: Annotated[int, typer.Option("--max-body", min=1024, help="Bytes of a request.")] = 16 << 20,
    max_rows: Annotated[int, typer.Option("--max-rows", min=1, help="Rows of a request.")] = 100_000,
    queue: Annotated[
        int, typer.Option("--queue", min=1, help="Requests that may wait to be learnt.")
    ] = 10_000,
    access_log: Annotated[bool, typer.Option("--access-log", help="Write down every request.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Do not serve: replay every log and prove that all agrees.")
    ] = False,
    json: Json = False,
) -> None:
    """Predict and learn over HTTP: what is acknowledged is on the disk, and the model is a function of the log.

    \b
    Examples:
      separatrix serve model.safetensors --data-dir logs
      separatrix serve models/ --data-dir logs --token-file tokens --port 8080
      separatrix serve --check logs
    """
    try:
        from separatrix.serve.check import check_folders
        from separatrix.serve.run import Place, open_models
        from separatrix.serve.run import serve as run
        from separatrix.serve.settings import Settings
        from separatrix.serve.tokens import read_tokens
        from separatrix.web import is_loopback
    except ImportError as error:
        raise with_hint(
            ImportError, f"serve needs more packages ({error.name}).", "pip install 'separatrix[serve]'"
        ) from None

    if check:
        agreed, records, lines = check_folders([data_dir] if data_dir else models)
        Output(json=json).answer("serve --check", {"agreed": agreed, "logs": records}, lines)
        raise typer.Exit(ExitCode.DONE if agreed else ExitCode.REJECTED)
    if (tls_cert is None) != (tls_key is None):
        raise CommandError("TLS needs a certificate and its key.", "--tls-cert FILE --tls-key FILE")
    _log_to_stderr()
    tokens = read_tokens(token_file, token_env)
    if not is_loopback(host) and tls_cert is None:
        say("note", f"Listening on {host} without TLS: whoever is between can read tokens and rows.")
    settings = Settings(
        max_body=max_body,
        max_rows=max_rows,
        queue_requests=queue,
        retain=retain,
        refit_every=refit_every,
        refit_window=refit_window,
        held_out=held_out,
    )
    opened = open_models(models, data_dir, settings, _progress())
    for note in opened.notes:
        say("note", note)

    def ready(address: str) -> None:
        typer.echo(address)
        say("hint", "Ctrl-C ends it")

    with suppress(KeyboardInterrupt):  # the way to end it
        run(opened, tokens, Place(host, port, tls_cert, tls_key), settings, ready, access_log)


def _progress() -> Any:
    """Tells how much of a log has been replayed, at most once a second."""
    import time

    last = time.monotonic()

    def show(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > 1.0:
            last = time.monotonic()
            say("note", f"replaying the log: {done:,} of {total:,} rows")

    return show


def _log_to_stderr() -> None:
    """Events as JSON lines on stderr."""
    from separatrix.serve.run import JsonLines

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name, level in (("separatrix.serve", logging.INFO), ("uvicorn", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False
