"""The lab in a notebook: the same page, the same session, with Jupyter's messages for a transport (extra `jupyter`)."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from separatrix.lab.bundle import bundle, stylesheet
from separatrix.lab.scene import Scene
from separatrix.lab.session import Session


class Widget(anywidget.AnyWidget):
    """The lab as the value of a notebook cell.

    Parameters
    ----------
    preset : str
        The scene to begin with: one of `separatrix.lab.presets`.

    Examples
    --------
    >>> from separatrix.lab import Widget
    >>> lab = Widget(preset="eight")
    >>> len(lab.scene.points), lab.model.n_updates_
    (8, 106)
    """

    _esm = bundle("notebook.js")
    _css = stylesheet()
    height = traitlets.Unicode("44rem").tag(sync=True)

    def __init__(self, preset: str = "separable", **more: Any) -> None:
        super().__init__(**more)
        self._session = Session()
        error = self._session.handle({"op": "preset", "name": preset}).get("error")
        if error:
            raise ValueError(error)
        self.on_msg(self._answer)

    @property
    def scene(self) -> Scene:
        """The points and settings as they are on the page."""
        return self._session.scene

    @property
    def model(self) -> Any:
        """The fitted estimator of what is on the page; None where there is no answer."""
        playback = self._session.playback
        return None if playback is None else playback.answers.model

    def _answer(self, widget: Any, content: Any, buffers: Any) -> None:
        self.send(self._session.handle(content))
