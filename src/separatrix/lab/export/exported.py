"""A stage or a link as a page in a file."""

from __future__ import annotations

from os import PathLike
from typing import Any

from separatrix.atomic import write_atomically
from separatrix.lab.export.page import page
from separatrix.lab.export.recording import record
from separatrix.lab.link import read_link
from separatrix.lab.scene import Scene, SceneError
from separatrix.lab.session import Session
from separatrix.lab.stages import STAGE


def export_page(what: str | Scene, path: str | PathLike[str] | None = None) -> str:
    """Make a page that plays a scene without a server, and whose certificate is checked in the page.

    Parameters
    ----------
    what : str or Scene
        The name of a stage (`separatrix.lab.stages`), a link copied from a lab, or a scene.
    path : path-like, optional
        The file to write.

    Returns
    -------
    str
        The page: one HTML text of at most 500 kB that asks no server for anything.

    Examples
    --------
    >>> from separatrix.lab import export_page
    >>> text = export_page("two-spaces")
    >>> text.startswith("<!doctype html>")
    True
    """
    text = page(record(Session().handle, state_of(what)))
    if path is not None:
        write_atomically(path, text.encode())
    return text


def state_of(what: str | Scene) -> dict[str, Any]:
    """A stage by its name, or what a link holds."""
    if isinstance(what, Scene):
        return {"scene": what.to_json()}
    if what in STAGE:
        return {"stage": what}
    if "#" in what or len(what) > 60:
        return read_link(what)
    raise SceneError(f"{what!r} is neither a stage ({', '.join(STAGE)}) nor a link to a scene.")
