"""The stages of the subject: each a scene, the picture that shows it best, and the step to begin at.

A stage is what a chapter of the tour is about, what `separatrix lab` exports as a page of its own, and what the
documentation shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from separatrix.lab import presets
from separatrix.lab.scene import Scene


@dataclass(frozen=True)
class Stage:
    """A scene with its picture. ``step`` is the step that is shown first; None is the end of the run."""

    name: str
    title: str
    make: Callable[[], Scene]
    tab: str
    step: int | None = None


STAGES = (
    Stage("two-spaces", "Two spaces", presets.origin, "w", 0),
    Stage("risk", "The risk", lambda: presets.origin().changed({"algorithm": "gradient"}), "risk"),
    Stage("kernel-lift", "A kernel is a lift", presets.ellipse, "lift"),
    Stage("gram", "The Gram matrix", presets.circles, "gram"),
    Stage("validation", "Validation", presets.noisy, "validation"),
)
STAGE = {stage.name: stage for stage in STAGES}
