"""`separatrix lab`: the page where points can be put down and every algorithm watched."""

from __future__ import annotations

import threading
import webbrowser
from contextlib import suppress
from pathlib import Path
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
    allow_embed: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-embed",
            metavar="ORIGIN",
            help="Let pages of this origin, such as http://localhost:8000, show the lab in a frame; may be repeated.",
        ),
    ] = None,
    export: Annotated[
        str | None,
        typer.Option(
            "--export",
            metavar="STAGE_OR_LINK",
            help="Do not serve: write a stage, or the scene of a link, as one page that needs no server.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file that --export writes.", show_default=False)
    ] = None,
) -> None:
    """See it happen: put points down and watch perceptrons and SVMs in x-space and w-space.

    \b
    Examples:
      separatrix lab
      separatrix lab --port 0 --no-open
      separatrix lab --export two-spaces -o two-spaces.html
    """
    if export is not None or out is not None:
        _export(export, out)
        return
    try:
        from separatrix.lab.server import serve
        from separatrix.web import check_origin, is_loopback
    except ImportError as error:
        raise with_hint(
            ImportError, f"The lab needs more packages ({error.name}).", "pip install 'separatrix[lab]'"
        ) from None

    embedders = tuple(check_origin(origin) for origin in allow_embed or [])
    if not is_loopback(host):
        say("note", f"Listening on {host}: every machine that reaches it can use this page.")

    def ready(address: str) -> None:
        typer.echo(address)
        say("hint", "Ctrl-C ends it")
        if not no_open:
            # A browser that takes its time must not keep the server from answering.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with suppress(KeyboardInterrupt):  # the way to end it
        serve(host, port, ready, embedders)


def _export(what: str | None, out: Path | None) -> None:
    from separatrix.lab.export.exported import export_page

    if what is None or out is None:
        raise with_hint(
            ValueError,
            "--export names a scene and -o the file for its page: both are needed.",
            "separatrix lab --export two-spaces -o two-spaces.html",
        )
    text = export_page(what, out)
    typer.echo(f"{out}: {len(text.encode()) / 1000:.0f} kB, a page that needs no server")
