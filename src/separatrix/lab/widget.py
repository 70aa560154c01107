"""The lab in a notebook: the same page, the same session, with Jupyter's messages for a transport (extra `jupyter`)."""

from __future__ import annotations

from typing import Any

import anywidget
import numpy as np
import traitlets

from separatrix.lab.bundle import bundle, stylesheet
from separatrix.lab.link import read_link
from separatrix.lab.scene import Scene
from separatrix.lab.session import Session


class Widget(anywidget.AnyWidget):
    """The lab as the value of a notebook cell.

    Parameters
    ----------
    preset : str
        The scene to begin with: one of `separatrix.lab.presets`.
    points : array of shape (n, 2), or list of triples (x1, x2, label), optional
        Points of your own instead: columns x1 and x2 with ``y``, or points that bring their labels with them.
    y : array of shape (n,), optional
        The label of each point. Two different values; the larger of them is +1 on the page.
    link : str, optional
        A link copied from a lab, whole or its part behind the #: its scene, at its step.

    Examples
    --------
    >>> from separatrix.lab import Widget
    >>> lab = Widget(preset="eight")
    >>> len(lab.scene.points), lab.model.n_updates_
    (8, 106)
    >>> Widget(points=[[0.0, 1.0], [2.0, 1.0]], y=["no", "yes"]).scene.points
    ((0.0, 1.0, -1), (2.0, 1.0, 1))
    """

    _esm = bundle("notebook.js")
    _css = stylesheet()
    height = traitlets.Unicode("44rem").tag(sync=True)

    def __init__(
        self,
        preset: str | None = None,
        *,
        points: Any = None,
        y: Any = None,
        link: str | None = None,
        **more: Any,
    ) -> None:
        if sum(each is not None for each in (preset, points, link)) > 1:
            raise ValueError("Give one of preset, points and link: each is a scene of its own.")
        if y is not None and points is None:
            raise ValueError("y has the labels of points, which are missing.")
        super().__init__(**more)
        self._session = Session()
        if points is not None:
            self._ask({"op": "load", "scene": {"points": read_points(points, y)}})
        elif link is not None:
            state = read_link(link)
            self._ask({"op": "load", "scene": state["scene"]})
            if isinstance(state.get("step"), int):
                self._ask({"op": "seek", "step": state["step"]})
        else:
            self._ask({"op": "preset", "name": "separable" if preset is None else preset})
        self.on_msg(self._answer)

    def _ask(self, message: dict[str, Any]) -> None:
        error = self._session.handle(message).get("error")
        if error:
            raise ValueError(error)

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


def read_points(points: Any, y: Any = None) -> list[list[Any]]:
    """Points [x1, x2, label] of the page from columns and labels, or from triples.

    >>> read_points([[0.0, 1.0, -1], [2.0, 1.0, 1]])
    [[0.0, 1.0, -1], [2.0, 1.0, 1]]
    """
    columns = 3 if y is None else 2
    try:
        table = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("points must be numbers, two or three in a row.") from None
    if table.ndim != 2 or table.shape[1] != columns:
        wanted = (
            "(n, 2) beside y" if columns == 2 else "(n, 3): x1, x2 and a label of -1 or 1, or (n, 2) with y"
        )
        raise ValueError(f"points must have the shape {wanted}; got {table.shape}.")
    if y is None:
        labels = table[:, 2]
    else:
        given = np.asarray(y)
        if given.shape != (len(table),):
            raise ValueError(
                f"y must have one label for each of the {len(table)} points; got the shape {given.shape}."
            )
        classes = np.unique(given)
        if len(classes) != 2:
            raise ValueError(f"y must have two different labels; got {len(classes)}.")
        labels = np.where(given == classes[1], 1.0, -1.0)
    return [
        [x1, x2, int(label) if label in (-1.0, 1.0) else label]
        for x1, x2, label in zip(*table[:, :2].T.tolist(), labels.tolist(), strict=True)
    ]
