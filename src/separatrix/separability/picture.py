"""The rows along the direction of recession: those that become certain, and those that stay on the line.

Two classes: the position of a row is w.x + b, the second class to the right. More of them: the largest lead of a row's
own class over another, which is never below zero. Rows that are tied in every comparison lie exactly at 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import scores
from separatrix.svg import WIDTH, Plot, shape_of
from separatrix.types import Vector

#: Rows drawn of each class: more would be a blot.
MOST_ROWS = 400
#: Golden section: neighbouring rows are drawn apart.
_GOLDEN = 0.6180339887498949
_COLOURS = ("#0b7ac2", "#d55e00", "#0a8f68", "#b0598c", "#94760a", "#6b7583")
_STYLE = (
    "svg.separatrix{display:block;width:100%;max-width:40rem;height:auto;color:inherit}svg.separatrix text{font:13px "
    "system-ui,sans-serif;fill:currentColor}svg.separatrix .count{font-size:11px;fill-opacity:.7}svg.separatrix "
    ".grid{stroke:currentColor;stroke-opacity:.12;fill:none}svg.separatrix "
    ".line{stroke:currentColor;stroke-width:2;fill:none}"
    + "".join(
        f"svg.separatrix .on{k}{{fill:none;stroke:{c};stroke-width:1.1}}"
        f"svg.separatrix .off{k}{{fill:{c};fill-opacity:.8}}"
        for k, c in enumerate(_COLOURS)
    )
)


@dataclass(frozen=True, eq=False)
class Positions:
    """Places of the rows that take part along the direction, in units of the farthest."""

    position: Vector
    codes: NDArray[np.intp]
    tied: NDArray[np.bool_]
    labels: tuple[str, ...]
    across: str  #: name of the axis

    def drawn(self, code: int, tied: bool) -> tuple[Vector, Vector]:
        """Positions and heights of the rows of a class that are drawn: all, or some at equal distances."""
        rows = np.flatnonzero((self.codes == code) & (self.tied == tied))
        if len(rows) > MOST_ROWS:
            rows = rows[np.linspace(0, len(rows) - 1, MOST_ROWS).astype(np.intp)]
        heights = code + 0.72 * (np.arange(len(rows), dtype=np.float64) * _GOLDEN % 1.0) - 0.36
        return self.position[rows], heights

    def counts(self, code: int) -> str:
        """Rows of a class on the line and off it."""
        own = self.codes == code
        on = int(np.count_nonzero(self.tied[own]))
        return f"{on:,} on, {int(own.sum()) - on:,} off"

    def words(self) -> str:
        """The picture in a sentence."""
        on = int(np.count_nonzero(self.tied))
        off = len(self.tied) - on
        return f"{on + off} rows along the separating direction: {on} exactly on the line, {off} off it."


def positions(answer: Any) -> Positions:
    """Find where the rows of a separated verdict lie along its direction."""
    question, decision = answer._question, answer.decision
    largest = max(map(abs, decision.z)) or 1
    z = np.array([float(Fraction(a, largest)) for a in decision.z])
    rows = question.rows
    products = rows.y * scores(rows.X, z[: rows.d]) + (rows.y * z[rows.d] if rows.bias else 0.0)
    strict = np.ones(rows.n, dtype=bool)
    strict[decision.tied] = False
    lead = np.zeros(question.plain.n)
    np.maximum.at(lead, question.owners[strict], products[strict])
    tied = np.ones(question.plain.n, dtype=bool)
    tied[question.owners[strict]] = False
    lead = np.where(tied, 0.0, lead / (np.max(np.abs(lead[~tied]), initial=0.0) or 1.0))
    if question.kind == "two":
        codes = (rows.y > 0).astype(np.intp)
        labels = " or ".join(map(str, answer.negative)), " or ".join(map(str, answer.positive))
        return Positions(
            np.where(codes == 1, lead, -lead), codes, tied, labels, "position along the direction"
        )
    return Positions(
        lead,
        answer._codes(),
        tied,
        tuple(map(str, answer.positive)),
        "largest lead of the own class over another",
    )


def svg(found: Positions) -> str:
    """The picture as SVG that takes the colour of its text from the page."""
    k = len(found.labels)
    low = -1.08 if found.position.min(initial=0.0) < 0 else -0.08
    frame = Plot((low, 1.08), (-0.6, k - 0.4), height=64.0 * k + 58, left=104.0)
    for value in (-1.0, -0.5, 0.5, 1.0):
        if value > low:
            frame.line([(value, -0.6), (value, k - 0.4)], "grid")
    frame.line([(0.0, -0.6), (0.0, k - 0.4)], "line")
    for code, label in enumerate(found.labels):
        short = label if len(label) <= 12 else label[:11] + "…"
        frame.text(frame.left - 8, frame.at_y(code) - 2, short, "name", "end")
        frame.text(frame.left - 8, frame.at_y(code) + 14, found.counts(code), "count", "end")
        for tied in (False, True):
            points = np.column_stack(found.drawn(code, tied))
            if len(points):
                frame.marks(points, shape_of(code), f"{'on' if tied else 'off'}{code % 6}", 3.6)
    foot = frame.height - frame.bottom
    frame.text(frame.at_x(0.0), foot + 16, "on the line", "tick", "middle" if low < -1 else "start")
    frame.text((frame.left + WIDTH - frame.right) / 2, frame.height - 6, found.across, "axis", "middle")
    return frame.svg(found.words(), _STYLE)


def plot(found: Positions, axes: Any = None) -> Any:
    """Draw the picture with matplotlib; return the axes."""
    if axes is None:
        import matplotlib.pyplot as plt

        _, axes = plt.subplots(figsize=(7.0, 1.0 + 0.9 * len(found.labels)), layout="constrained")
    axes.axvline(0.0, color="black", lw=1.5, zorder=1)
    for code in range(len(found.labels)):
        marker = "osD^vP"[code % 6]
        for tied in (False, True):
            x, y = found.drawn(code, tied)
            colour = _COLOURS[code % 6]
            axes.scatter(
                x, y, s=26, marker=marker, facecolors="none" if tied else colour, edgecolors=colour, zorder=2
            )
    names = [f"{label}\n{found.counts(code)}" for code, label in enumerate(found.labels)]
    axes.set(yticks=range(len(names)), yticklabels=names, xlabel=found.across)
    axes.set_ylim(-0.6, len(found.labels) - 0.4)
    return axes
