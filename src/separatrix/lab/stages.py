"""The stages of the subject: each a scene, the picture that shows it best, and the step to begin at.

A stage is what a chapter of the tour is about, what `separatrix lab` exports as a page of its own, and what the
documentation shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from separatrix.lab import presets
from separatrix.lab.scene import Scene


@dataclass(frozen=True)
class Stage:
    """A scene with its picture. ``step`` is the step that is shown first; None is the end of the run.

    ``look`` is what the picture's `restore` takes: how it is looked at, where that is not as usual.
    """

    name: str
    title: str
    make: Callable[[], Scene]
    tab: str
    step: int | None = None
    look: dict[str, Any] | None = None


def _lifted() -> Scene:
    """The two bands with their bias: a column as high as the points reach."""
    return presets.separable().changed({"algorithm": "perceptron", "bias": "radius"})


STAGES = (
    Stage("two-spaces", "Two spaces", presets.origin, "w", 0),
    Stage("risk", "The risk", lambda: presets.valley().changed({"step": 0.05}), "risk", 2),
    Stage("step-size", "The step size", presets.valley, "stepsize"),
    Stage("perceptron", "The perceptron, update by update", presets.origin, "w", 1),
    Stage("fictitious-dimension", "The fictitious dimension", _lifted, "column", 5),
    Stage("theorem", "Why it must stop", presets.five, "theorem"),
    Stage("online-drift", "Online, with a drift", presets.stream, "mistakes"),
    Stage("margins", "Margins and the width of the slab", presets.wide_slab, "margin"),
    Stage(
        "hard-margin-qp",
        "The widest slab as a quadratic program",
        presets.three,
        "solid",
        look={"axis": 0, "wide": True},
    ),
    Stage("soft-margin", "The soft margin and its slack", presets.few_overlapping, "margin"),
    Stage(
        "two-kinds",
        "Two kinds of support vectors",
        presets.few_overlapping,
        "forces",
        look={"about": "kinds", "wide": True},
    ),
    Stage("dual-forces", "The dual as forces", presets.wide_slab, "forces", look={"wide": True}),
    Stage("kernel-lift", "A kernel is a lift", presets.ellipse, "lift"),
    Stage("gram", "The Gram matrix", presets.circles, "gram"),
    Stage("validation", "Validation", presets.noisy, "validation"),
)
STAGE = {stage.name: stage for stage in STAGES}
