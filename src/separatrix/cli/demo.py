"""separatrix demo: the main job on data that ship with the package."""

from __future__ import annotations

from typing import Annotated

import typer


def demo(
    folder: Annotated[
        str | None, typer.Option(help="Keep the files here instead of in a temporary folder.")
    ] = None,
) -> int:
    """Fit, prove, verify and tamper on data that ship with the package, in a few seconds.

    \b
    Examples:
      separatrix demo
      separatrix demo --folder demo
    """
    from separatrix.demo import main

    return main([] if folder is None else ["--folder", folder])
