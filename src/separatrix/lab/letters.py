"""Letters on twenty by twenty cells, drawn with strokes: no two of a kind are quite alike. And what spoils them.

A letter is a list of strokes in the unit square, x to the right and y upwards; a cell is drawn where a pen of some
width passes over its middle.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

SIDE = 20
Cells = NDArray[np.float64]
Stroke = tuple[tuple[float, float], tuple[float, float]]

_ROUND = [(0.5 + 0.5 * math.cos(k * math.pi / 8), 0.5 + 0.5 * math.sin(k * math.pi / 8)) for k in range(17)]
_STEM: Stroke = ((0, 0), (0, 1))
_STROKES: dict[str, list[Stroke]] = {
    "E": [_STEM, ((0, 1), (1, 1)), ((0, 0.5), (0.8, 0.5)), ((0, 0), (1, 0))],
    "F": [_STEM, ((0, 1), (1, 1)), ((0, 0.5), (0.8, 0.5))],
    "L": [_STEM, ((0, 0), (1, 0))],
    "O": [(_ROUND[k], _ROUND[k + 1]) for k in range(16)],
    "T": [((0, 1), (1, 1)), ((0.5, 1), (0.5, 0))],
    "X": [((0, 0), (1, 1)), ((0, 1), (1, 0))],
}
#: Pairs that the page offers: A is the first letter, B the second.
PAIRS = ("TL", "EF", "XO")
VARIANTS = 8  #: of each letter


def letter(name: str, variant: int) -> Cells:
    """A letter in one of its variants: its place, size, slant and pen differ a little; shape (400,).

    >>> letter("L", 0).sum() > 30, np.array_equal(letter("L", 0), letter("L", 1))
    (np.True_, False)
    """
    rng = np.random.default_rng([ord(name), variant])
    height, width = rng.uniform(11.0, 14.0), rng.uniform(8.0, 10.5)
    centre, slant, pen = SIDE / 2 + rng.uniform(-1.0, 1.0, 2), rng.uniform(-0.15, 0.15), rng.uniform(1.9, 2.6)
    middles = np.arange(SIDE) + 0.5
    px, py = np.meshgrid(middles, middles)
    drawn = np.zeros((SIDE, SIDE), dtype=bool)
    for ends in _STROKES[name]:
        (ax, ay), (bx, by) = (
            (
                centre[0] + width * (x - 0.5) + slant * height * (y - 0.5),
                centre[1] - height * (y - 0.5),
            )
            for x, y in ends
        )
        along = ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
        t = np.clip(along, 0.0, 1.0)
        drawn |= np.hypot(px - ax - t * (bx - ax), py - ay - t * (by - ay)) <= pen / 2
    return drawn.astype(np.float64).ravel()


def spoilt(drawing: Cells, shift: int, noise: float, rng: np.random.Generator) -> Cells:
    """A drawing moved by up to ``shift`` cells each way, each cell then flipped with probability ``noise``.

    What leaves the pad is lost.
    """
    down, right = (int(rng.integers(-shift, shift + 1)) for _ in range(2))
    padded = np.pad(drawing.reshape(SIDE, SIDE), shift)
    moved = padded[shift - down : shift - down + SIDE, shift - right : shift - right + SIDE].ravel()
    return np.where(rng.random(SIDE * SIDE) < noise, 1.0 - moved, moved)
