"""Undo and redo: the scenes that were, each edit one step. A drag is one edit, however many moves it has."""

from __future__ import annotations

from typing import Any

from separatrix.lab.limits import MAX_UNDO
from separatrix.lab.scene import Scene


class Edits:
    """The scene now, those before it and those taken back.

    >>> edits = Edits(Scene())
    >>> edits.change(Scene().with_point([0.0, 1.0, 1]))
    >>> edits.undo()
    >>> len(edits.scene.points), edits.can_redo
    (0, True)
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._before: list[Scene] = []
        self._after: list[Scene] = []
        self._grab: Any = None

    @property
    def can_undo(self) -> bool:
        """True if there is an edit to take back."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """True if an edit was taken back."""
        return bool(self._after)

    def change(self, scene: Scene, grab: Any = None) -> None:
        """A new scene; changes with the same ``grab`` (a number the page gives each drag) are one edit."""
        continued = isinstance(grab, int) and grab == self._grab
        self._grab = grab if isinstance(grab, int) else None
        if scene == self.scene:
            return
        if not continued:
            self._before = [*self._before[-(MAX_UNDO - 1) :], self.scene]
        self._after = []
        self.scene = scene

    def undo(self) -> None:
        """Take the last edit back; nothing where there is none."""
        if self._before:
            self._after = [*self._after, self.scene]
            *self._before, self.scene = self._before
            self._grab = None

    def redo(self) -> None:
        """Make the edit again that was taken back last."""
        if self._after:
            self._before = [*self._before, self.scene]
            *self._after, self.scene = self._after
            self._grab = None
