"""`separatrix lab`: the page where points can be put down and every algorithm watched."""

from __future__ import annotations

import threading
import webbrowser
from contextlib import suppress
from typing import Annotated

import typer

from separatrix.cli.output import say
from separatrix.errors import with_hint


def lab(
    port: Annotated[
        int,
        typer.Option("--port", "-p", min=0, max=65535, help="Port to serve on; 0 takes any that is free."),
    ] = 8765,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    host: Annotated[
        str,
        typer.Option("--host", help="Address to listen on; any but a loopback one lets other machines in."),
    ] = "127.0.0.1",
) -> None:
    """See it happen: put points down and watch perceptrons and SVMs in x-space and w-space.

    \b
    Examples:
      separatrix lab
      separatrix lab --port 0 --no-open
    """
    try:
        from separatrix.lab.server import serve
        from separatrix.web import is_loopback
    except ImportError as error:
        raise with_hint(
            ImportError, f"The lab needs more packages ({error.name}).", "pip install 'separatrix[lab]'"
        ) from None

    if not is_loopback(host):
        say("note", f"Listening on {host}: every machine that reaches it can use this page.")

    def ready(address: str) -> None:
        typer.echo(address)
        say("hint", "Ctrl-C ends it")
        if not no_open:
            # A browser that takes its time must not keep the server from answering.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with suppress(KeyboardInterrupt):  # the way to end it
        serve(host, port, ready)
