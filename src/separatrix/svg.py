"""Small plots with axes and marks as inline SVG, which takes its colours from the page.

Coordinates are in a box 440 wide, so that texts of size 13 stay readable on a telephone and sober on a screen.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: Width of every drawing, in pixels.
WIDTH = 440.0
#: Half the width of a letter of a tick label, in pixels.
_HALF_LETTER = 3.6
#: Width of the name of the upward axis and the spaces around it, in pixels.
_AXIS_NAME = 36.0


def escape(value: Any) -> str:
    """Text that is safe in HTML, attributes included."""
    return html.escape(str(value), quote=True)


def number(value: float) -> str:
    """A number as short as a label allows.

    >>> number(1234567.0), number(2500.0), number(0.5), number(1e-7), number(0.1 + 0.2)
    ('1.23e6', '2,500', '0.5', '1e-7', '0.3')
    """
    if 1000.0 <= abs(value) < 1e6:
        return f"{round(value):,}"
    if 0.0 < abs(value) < 1e-3:
        mantissa, power = f"{value:.2e}".split("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}"
    mantissa, _, power = f"{value:.3g}".partition("e")
    return f"{mantissa}e{int(power)}" if power else mantissa


def coordinate(value: float) -> str:
    """One decimal of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


@dataclass
class Plot:
    """A plot: data ranges, the box they fill, and the marks so far. y grows upwards."""

    x: tuple[float, float]
    y: tuple[float, float]
    height: float = 260.0
    left: float = 46.0
    right: float = 12.0
    top: float = 14.0
    bottom: float = 40.0
    log: bool = False  #: the y axis has decades
    parts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.x[1] <= self.x[0]:
            self.x = (self.x[0] - 0.5, self.x[0] + 0.5)
        if self.y[1] <= self.y[0]:
            self.y = (self.y[0] * 0.5, self.y[0] * 2.0) if self.log else (self.y[0] - 0.5, self.y[0] + 0.5)
        labels = [number(value) for value in (decades(*self.y) if self.log else ticks(*self.y))]
        self.left = max(self.left, _AXIS_NAME + 2.4 * _HALF_LETTER * max(map(len, labels), default=0))

    def at_x(self, value: float) -> float:
        """Pixels from the left."""
        share = (value - self.x[0]) / (self.x[1] - self.x[0])
        return self.left + share * (WIDTH - self.left - self.right)

    def at_y(self, value: float) -> float:
        """Pixels from the top."""
        low, high = self.y
        share = math.log(value / low) / math.log(high / low) if self.log else (value - low) / (high - low)
        return self.height - self.bottom - share * (self.height - self.bottom - self.top)

    def axes(self, across: str, up: str, whole: bool = False, absolute: bool = False) -> None:
        """Grid lines, labels of ticks and names of axes; ``absolute`` labels a mirrored axis without signs."""
        foot = self.height - self.bottom
        for value in ticks(*self.x):
            px, label = coordinate(self.at_x(value)), number(value)
            self.parts.append(f'<path class="grid" d="M{px} {coordinate(self.top)}V{coordinate(foot)}"/>')
            # A letter more than it has: fonts differ.
            fits = self.at_x(value) + _HALF_LETTER * (len(label) + 1) <= WIDTH
            self.text(
                self.at_x(value) if fits else WIDTH, foot + 16, label, "tick", "middle" if fits else "end"
            )
        for value in decades(*self.y) if self.log else ticks(*self.y, whole=whole):
            py = coordinate(self.at_y(value))
            self.parts.append(
                f'<path class="grid" d="M{coordinate(self.left)} {py}H{coordinate(WIDTH - self.right)}"/>'
            )
            label = number(abs(value) if absolute else value)
            self.text(self.left - 6, self.at_y(value) + 4, label, "tick", "end")
        self.text((self.left + WIDTH - self.right) / 2, self.height - 6, across, "axis", "middle")
        middle = (self.top + foot) / 2
        self.parts.append(
            f'<text class="axis" text-anchor="middle" transform="translate(17 {coordinate(middle)}) rotate(-90)">'
            f"{escape(up)}</text>"
        )

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        """Words at pixels."""
        self.parts.append(
            f'<text class="{kind}" x="{coordinate(x)}" y="{coordinate(y)}" text-anchor="{anchor}">'
            f"{escape(words)}</text>"
        )

    def box(self, x0: float, y0: float, x1: float, y1: float, kind: str, title: str = "") -> None:
        """A rectangle between two corners in data coordinates."""
        left, right = sorted((self.at_x(x0), self.at_x(x1)))
        high, low = sorted((self.at_y(y0), self.at_y(y1)))
        tip = f"<title>{escape(title)}</title>" if title else ""
        self.parts.append(
            f'<rect class="{kind}" x="{coordinate(left)}" y="{coordinate(high)}" width="{coordinate(right - left)}" '
            f'height="{coordinate(low - high)}">{tip}</rect>'
        )

    def line(self, points: Iterable[Sequence[float]], kind: str) -> None:
        """A polyline through data coordinates."""
        self.parts.append(f'<path class="{kind}" d="{self._path(points)}"/>')

    def lines(self, several: Iterable[Any], kind: str) -> None:
        """Many polylines as one path."""
        self.parts.append(f'<path class="{kind}" d="{"".join(self._path(points) for points in several)}"/>')

    def _path(self, points: Iterable[Sequence[float]]) -> str:
        places = (f"{coordinate(self.at_x(p[0]))} {coordinate(self.at_y(p[1]))}" for p in points)
        return "M" + "L".join(places)

    def marks(self, points: Any, shape: str, kind: str, size: float = 3.5) -> None:
        """Points as one path of small shapes."""
        places = [(self.at_x(float(p[0])), self.at_y(float(p[1]))) for p in np.asarray(points)]
        self.parts.append(f'<path class="{kind}" d="{"".join(mark(shape, x, y, size) for x, y in places)}"/>')

    def svg(self, label: str, style: str = "") -> str:
        """The finished drawing; ``style`` are rules of its own, for where it stands outside a page of ours."""
        return svg_image(self.height, label, self.parts, style)


def svg_image(height: float, label: str, parts: list[str], style: str = "") -> str:
    """A drawing of the common width, with words for those who cannot see it."""
    box = f"0 0 {coordinate(WIDTH)} {coordinate(height)}"
    alone = f' xmlns="http://www.w3.org/2000/svg" class="separatrix"><style>{style}</style' if style else ""
    return f'<svg viewBox="{box}" role="img" aria-label="{escape(label)}"{alone}>{"".join(parts)}</svg>'


SHAPES = ("circle", "square", "triangle", "diamond", "down", "plus")


def shape_of(code: int) -> str:
    """The shape of a class; where the six colours begin again, shapes are shifted by one.

    >>> shape_of(0), shape_of(6)
    ('circle', 'square')
    """
    return SHAPES[(code + code // 6) % 6]


def mark(shape: str, x: float, y: float, size: float) -> str:
    """The path of a small shape around a place."""
    s, c = coordinate(size), coordinate
    if shape == "circle":
        return f"M{c(x - size)} {c(y)}a{s} {s} 0 1 0 {c(2 * size)} 0a{s} {s} 0 1 0 {c(-2 * size)} 0"
    if shape == "square":
        r = 0.88 * size
        return f"M{c(x - r)} {c(y - r)}h{c(2 * r)}v{c(2 * r)}h{c(-2 * r)}z"
    if shape == "triangle":
        return f"M{c(x)} {c(y - 1.2 * size)}l{c(1.1 * size)} {c(2 * size)}h{c(-2.2 * size)}z"
    if shape == "down":
        return f"M{c(x)} {c(y + 1.2 * size)}l{c(1.1 * size)} {c(-2 * size)}h{c(-2.2 * size)}z"
    if shape == "diamond":
        r = 1.3 * size
        return f"M{c(x)} {c(y - r)}l{c(r)} {c(r)}l{c(-r)} {c(r)}l{c(-r)} {c(-r)}z"
    t = 0.42 * size
    return (
        f"M{c(x - t)} {c(y - size)}h{c(2 * t)}v{c(size - t)}h{c(size - t)}v{c(2 * t)}h{c(t - size)}v{c(size - t)}"
        f"h{c(-2 * t)}v{c(t - size)}h{c(t - size)}v{c(-2 * t)}h{c(size - t)}z"
    )


def ticks(low: float, high: float, whole: bool = False) -> list[float]:
    """About five round numbers in a range.

    >>> ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    step = nice_step((high - low) / 6)
    if whole:
        step = max(1.0, step)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, 12) if abs(i * step) < 1e6 else i * step for i in range(first, last + 1)]


def nice_step(size: float) -> float:
    """The next of 1, 2, 5 times a power of ten.

    >>> nice_step(0.13), nice_step(3.0)
    (0.2, 5.0)
    """
    power = 10.0 ** np.floor(np.log10(max(size, 1e-300)))
    steps = [factor * power for factor in (1.0, 2.0, 5.0, 10.0)]
    return float(next(step for step in steps if step >= size * (1 - 1e-12)))


def decades(low: float, high: float) -> list[float]:
    """Powers of ten in a range, at most seven of them.

    >>> decades(0.002, 2.0)
    [0.01, 0.1, 1.0]
    """
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    stride = max(1, math.ceil((last - first + 1) / 7))
    return [10.0**power for power in range(first, last + 1, stride)]
