"""A run as the page sees it: a frame for each step, and more frames on request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from separatrix.lab.scene import Scene
from separatrix.types import Vector


@dataclass(frozen=True, eq=False)
class Frame:
    """State of a run after a step. Arrays run over the n rows of the scene.

    ``weights`` is what each row contributes to w = sum_i weights_i y_i x_i: the updates on it times the step, or
    the dual variable alpha_i. With a kernel there is no w, and ``weights`` is all there is.
    """

    w: Vector | None  #: (2,), None with a kernel
    b: float
    weights: Vector  #: (n,)
    note: str  #: one sentence: what this step did
    row: int | None = None  #: the row it looked at
    used: tuple[int, ...] = ()  #: the rows whose products moved w, where this step moved w along some
    updates: int = 0  #: updates so far, of a perceptron; steps, of a descent
    primal: float | None = None  #: recomputed from the data
    dual: float | None = None
    gap: float | None = None
    size: float | None = None  #: the length of this step of a descent
    slack: Vector = field(default_factory=lambda: np.empty(0))
    f: Vector | None = None  #: (n,) f(x_i), where the run has computed it
    final: bool = False  #: True for what the estimator's fit returns


class Run(Protocol):
    """One algorithm on one scene. ``step`` returns the next frame, or None when the run is over."""

    @property
    def scene(self) -> Scene:
        """The scene it works on."""
        ...

    def first(self) -> Frame:
        """The frame before the first step."""
        ...

    def step(self) -> Frame | None:
        """One step of the library's solver; None where nothing is left to do."""
        ...

    def grown(self, scene: Scene) -> bool:
        """Go on with one more row, without starting again; False where the algorithm cannot."""
        ...

    def scores(self, frame: Frame, Z: Vector) -> Vector:
        """f(z) of points Z (m, 2) at a frame, shape (m,)."""
        ...

    def ending(self) -> str:
        """One sentence on how the run ended."""
        ...


def frames_up_to(run: Run, most: int) -> tuple[list[Frame], bool]:
    """The first frame of a run and at most ``most`` further ones; True if the run ended with them."""
    frames = [run.first()]
    while len(frames) <= most:
        frame = run.step()
        if frame is None:
            return frames, True
        frames.append(frame)
    return frames, False


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "update"), counted(2, "pass", "passes")
    ('1 update', '2 passes')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"
