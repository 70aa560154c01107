"""A run and the frames it has left: forward asks the solver, back looks up what was seen.

While a point is dragged, a margin problem is not walked to its end: the answer is the second and last frame, and the
steps between are made when the point rests.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from separatrix.lab.answers import Answers
from separatrix.lab.hand import Hand, hand_words, place
from separatrix.lab.limits import MAX_FRAMES
from separatrix.lab.proved import Proved
from separatrix.lab.runs.frame import Frame, Run, counted
from separatrix.lab.runs.gradient import GradientRun
from separatrix.lab.runs.hard_margin import HardMarginRun
from separatrix.lab.runs.kernel_perceptron import KernelPerceptronRun
from separatrix.lab.runs.online import OnlineRun
from separatrix.lab.runs.perceptron import PerceptronRun
from separatrix.lab.runs.soft_margin import SoftMarginRun
from separatrix.lab.scene import Scene
from separatrix.lab.words import named

RUNS: dict[str, type] = {
    "gradient": GradientRun,
    "perceptron": PerceptronRun,
    "online": OnlineRun,
    "hard-margin": HardMarginRun,
    "soft-margin": SoftMarginRun,
    "kernel-perceptron": KernelPerceptronRun,
    "kernel-svm": SoftMarginRun,
}
_ENDLESS, _ENDLESS_KERNEL = 120, 300  # updates after which a run that may have no end is shown as it is


class Playback:
    """The frames of a run up to where the solver is, and the one that is shown."""

    def __init__(self, scene: Scene, known: Proved | None = None) -> None:
        self.scene = scene
        self.answers = Answers(scene, known)
        self.hand: Hand | None = None
        self._begin()

    def _begin(self) -> None:
        self.run: Run = RUNS[self.scene.algorithm](self.scene)
        self.frames: list[Frame] = [self.run.first()]
        self.cursor, self.over, self.whole, self.leapt, self.endless = 0, False, True, False, False

    @property
    def frame(self) -> Frame:
        """The frame that is shown: of the run, or with the w that was placed by hand."""
        return self.frames[self.cursor] if self.hand is None else self.hand.frame

    @property
    def at_end(self) -> bool:
        """True if the frame that is shown is the last there will be."""
        return self.hand is None and self.over and self.cursor == len(self.frames) - 1

    @property
    def settled(self) -> bool:
        """True if the page shows where the run leads, so that after an edit it should again."""
        return (self.over or self.endless) and self.cursor == len(self.frames) - 1

    def forward(self, count: int) -> None:
        """Show later frames, made if need be."""
        self.hand = None
        for _ in range(count):
            if self.cursor + 1 < len(self.frames):
                self.cursor += 1
            elif not self._make():
                return

    def _make(self) -> bool:
        if self.over or len(self.frames) >= MAX_FRAMES:
            return False
        frame = self.run.step()
        if frame is None:
            self.over = True
            return False
        self.frames.append(frame)
        self.cursor += 1
        return True

    def seek(self, place: int) -> None:
        """Show frame ``place``, or the last before it that exists."""
        self.hand = None
        self.unfold()
        self.cursor = min(max(place, 0), len(self.frames) - 1)
        self.forward(place - self.cursor)

    def back(self, count: int) -> None:
        """Show earlier frames."""
        self.unfold()
        self.seek(self.cursor - count)

    def unfold(self) -> None:
        """Make the frames that a leap has left out; the last of them is shown, or what was placed by hand."""
        if self.leapt:
            hand = self.hand
            self._begin()
            self.finish()
            self.hand = hand

    def hold(self, w: list[float], b: float) -> None:
        """Show what is true of (w, b), which the reader placed; the run stays where it is."""
        self.hand = place(self.scene, w, b)

    def release(self) -> None:
        """Show the run again."""
        self.hand = None

    @property
    def full(self) -> bool:
        """True if the page keeps no further step, though the run has not ended."""
        return not self.over and len(self.frames) >= MAX_FRAMES and self.cursor == len(self.frames) - 1

    def finish(self, leap: bool = False, before: Frame | None = None) -> None:
        """Show the end, reached step by step; with ``leap`` at once, where the way there can be spared.

        ``before`` is the end of a run on almost the same points, from which a leap may start.
        """
        self.hand = None
        leap_there = getattr(self.run, "leap", None) if leap and len(self.frames) == 1 else None
        if leap_there is not None:
            frame = leap_there(self.answers, before)
            self.frames = [*self.frames, *([] if frame is None else [frame])]
            self.cursor, self.over, self.leapt = len(self.frames) - 1, True, True
            return
        self.cursor = len(self.frames) - 1
        limit = self._patience()
        while len(self.frames) < limit and self._make():
            pass
        self.endless = not self.over

    def _patience(self) -> int:
        """Frames to make before a run that may have no end is shown as it is."""
        if self.scene.algorithm not in ("gradient", "perceptron", "kernel-perceptron"):
            return MAX_FRAMES
        more = len(self.frames) + (_ENDLESS_KERNEL if self.scene.has_kernel else _ENDLESS)
        separable = not self.scene.has_kernel and self.answers.quick_verdict.verdict == "separable"
        return MAX_FRAMES if separable else min(more, MAX_FRAMES)

    def sentence(self, quick: bool = False) -> str:
        """Return the text about the frame that is shown; ``quick`` leaves out what takes a fit to know."""
        if self.hand is not None:
            return hand_words(self.scene, self.hand, None if quick else self.answers)[0]
        if self.at_end:
            return self.run.ending()
        if self.cursor == len(self.frames) - 1 and (self.endless or self.full):
            made = counted(self.frame.updates, "step" if self.scene.algorithm == "gradient" else "update")
            kept = f"The page keeps {MAX_FRAMES - 1} steps of a run and stops here, after {made}. "
            return (kept if self.full else f"Shown after {made}. ") + self._why_no_end()
        return self.frame.note

    def _why_no_end(self) -> str:
        if self.scene.has_kernel:
            return "No pass has been without a mistake yet."
        if self.answers.quick_verdict.verdict == "separable":
            return "A line separates these points, so the run would end; its bound allows more steps."
        line = "line through the origin" if self.scene.bias == "none" else "line"
        return f"No {line} separates these points, so the run has no end."

    def named(self) -> list[int]:
        """The rows that the text names by their numbers."""
        if self.hand is not None:
            return hand_words(self.scene, self.hand, None)[1]
        frame = self.frame
        held = np.flatnonzero(frame.weights).tolist() if self.scene.algorithm == "hard-margin" else []
        step = [] if self.at_end else [*frame.used, *([] if frame.row is None else [frame.row])]
        return named(list({*held, *step}))

    def grow(self, scene: Scene) -> bool:
        """Go on with one row more, where the algorithm learns online and is shown where it is."""
        fresh = len(self.frames) == 1 or self.hand is not None
        if fresh or self.cursor != len(self.frames) - 1 or not self.run.grown(scene):
            return False
        self.scene, self.answers, self.whole, self.over, self.endless = (
            scene,
            Answers(scene),
            False,
            False,
            False,
        )
        self.frames = [replace(frame, weights=np.append(frame.weights, 0.0)) for frame in self.frames]
        return True
