"""The rows in a plane: two coordinates for each, and the meaning of the axes.

d = 2                       the two columns themselves, with the surface as contours
two classes, else           (w.x + b) / ||w|| across, and the leading direction orthogonal to w upwards
kernel, else                the score across, and the leading direction of the rows upwards
many classes, else          the two leading directions of the scores
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.predicting import raw_scores
from separatrix.report.rows import RowFacts, dense_rows
from separatrix.types import Index, Vector

#: Rows that are drawn at the most.
_POINTS = 1200
#: Rows of the worst, and of those on the margin, that are drawn in any case.
_FIRST = 50
#: Rows from which a leading direction is computed.
_SAMPLE = 3000
#: Steps of the power iteration.
_STEPS = 60
#: Points of the grid of contours along each axis.
_GRID = 90
#: Rows drawn beyond which marks are small, and only the rows on the margin have rings.
DENSE = 400


@dataclass(frozen=True, eq=False)
class Picture:
    """rows (p,) drawn at points (p, 2); ``lines`` are contours, each a list of (m, 2) polylines with a meaning."""

    rows: Index
    points: NDArray[np.float64]
    axes: tuple[str, str]
    sentence: str
    lines: list[tuple[str, list[NDArray[np.float64]]]]  #: ("boundary" or "edge", polylines)


def picture(model: Any, solved: Any, X: Any, facts: RowFacts, columns: list[str], support: Index) -> Picture:
    """Draw a model and the rows X; ``solved`` are the rows as its weights see them, scaled if it scales."""
    rows = chosen_rows(facts, support)
    d = X.shape[1]
    if d == 2 and not _precomputed(model):
        points = dense_rows(X, rows)
        lines = contours(model, points, len(facts.classes))
        sentence = "The two columns of the data, with the boundary" + (
            " between the classes."
            if len(facts.classes) > 2
            else " and the edges of its margin."
            if hasattr(model, "support_")
            else "."
        )
        return Picture(rows, points, (columns[0], columns[1]), sentence, lines)
    if facts.scores.ndim > 1:
        points = _leading_two(facts.scores[rows])
        sentence = (
            f"{d} columns seen along the two directions in which the scores of the classes differ most."
        )
        axes = ("leading direction of the scores", "second direction")
        return Picture(rows, points, axes, sentence, [])
    return _two_classes(model, solved, facts, rows)


def _two_classes(model: Any, X: Any, facts: RowFacts, rows: Index) -> Picture:
    w = np.asarray(model.coef_[0]) if hasattr(model, "coef_") else None
    size = float(np.linalg.norm(w)) if w is not None else 0.0
    across = facts.scores[rows] / size if size > 0 else facts.scores[rows]
    up = leading_direction(X, w if size > 0 else None, rows)
    edge = 1.0 / size if size > 0 else 1.0
    size_up = float(np.ptp(up)) + 1.0
    tall = np.array(
        [float(up.min()) - size_up, float(up.max()) + size_up]
    )  # beyond the picture, which clips it
    marks = [("boundary", 0.0)]
    if hasattr(model, "support_"):  # a perceptron has no slab
        marks += [("edge", -edge), ("edge", edge)]
    lines = [(kind, [np.column_stack([np.full(2, at), tall])]) for kind, at in marks]
    if size > 0:
        axes = ("distance from the boundary", "leading direction along it")
        sentence = (
            f"{X.shape[1]} columns seen along w, so that the boundary is a vertical line, and along the "
            "direction orthogonal to w in which the rows vary most."
        )
    else:
        axes = ("score", "leading direction of the rows")
        sentence = "The score that decides, and the direction in which the rows vary most."
    return Picture(rows, np.column_stack([across, up]), axes, sentence, lines)


def chosen_rows(facts: RowFacts, support: Index) -> Index:
    """Rows to draw: all, or of too many a fair sample with the worst and some on the margin."""
    n = len(facts.codes)
    if n <= _POINTS:
        return np.arange(n)
    rng = np.random.default_rng(0)
    some = support if len(support) <= _FIRST else rng.choice(support, _FIRST, replace=False)
    first = np.concatenate([facts.worst(_FIRST), some]).astype(np.intp)
    return np.unique(np.concatenate([first, rng.choice(n, _POINTS - len(first), replace=False)]))


def leading_direction(X: Any, w: Vector | None, rows: Index) -> Vector:
    """Coordinates of ``rows`` along the first principal direction that is orthogonal to w, by power iteration."""
    rng, n = np.random.default_rng(0), X.shape[0]
    sample = X if n <= _SAMPLE else X[np.sort(rng.choice(n, _SAMPLE, replace=False))]
    mean = np.asarray(sample.mean(axis=0), dtype=np.float64).ravel()
    unit = None if w is None else w / np.linalg.norm(w)

    def off(v: Vector) -> Vector:
        return v if unit is None else v - unit * float(unit @ v)

    v = off(rng.standard_normal(X.shape[1]))
    for _ in range(_STEPS):
        scores = np.asarray(sample @ v).ravel() - float(mean @ v)
        v = off(np.asarray(sample.T @ scores).ravel() - mean * float(scores.sum()))
        size = float(np.linalg.norm(v))
        if not size > 0 or not np.isfinite(size):
            return np.zeros(len(rows))  # one column: nothing is orthogonal to w
        v /= size
    return np.asarray(X[rows] @ v).ravel() - float(mean @ v)


def _leading_two(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = scores - scores.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    points = centred @ directions[:2].T
    return np.column_stack([points, np.zeros(len(points))])[:, :2]


def _precomputed(model: Any) -> bool:
    kernel = getattr(model, "kernel", None)
    return getattr(kernel, "name", kernel) == "precomputed"


def contours(model: Any, points: NDArray[np.float64], k: int) -> list[tuple[str, list[NDArray[np.float64]]]]:
    """Lines of the surface in the picture: level 0, and -1 and 1 for an SVM of two classes."""
    low, high = points.min(axis=0), points.max(axis=0)
    pad = 0.06 * np.where(high > low, high - low, 1.0)
    xs, ys = (np.linspace(low[i] - pad[i], high[i] + pad[i], _GRID) for i in (0, 1))
    grid = np.column_stack([each.ravel() for each in np.meshgrid(xs, ys)])
    scores = np.asarray(model.decision_function(grid))
    if scores.ndim == 1:
        F = scores.reshape(_GRID, _GRID)
        levels = [("boundary", 0.0)] + ([("edge", -1.0), ("edge", 1.0)] if hasattr(model, "support_") else [])
        return [(kind, level_lines(F - level, xs, ys)) for kind, level in levels]
    out: list[tuple[str, list[NDArray[np.float64]]]] = []
    if getattr(model, "_pairwise", False):
        return _pair_lines(model, grid, scores.argmax(axis=1).reshape(_GRID, _GRID), xs, ys)
    for code in range(k):
        others = np.delete(scores, code, axis=1).max(axis=1)
        out.append(("boundary", level_lines((scores[:, code] - others).reshape(_GRID, _GRID), xs, ys)))
    return out


def _pair_lines(
    model: Any, grid: NDArray[np.float64], winners: NDArray[np.intp], xs: Vector, ys: Vector
) -> list[tuple[str, list[NDArray[np.float64]]]]:
    """Surface of each pair of classes, drawn where votes decide between these two."""
    surface = model._surface
    raw = raw_scores(grid, model.coef_, model.intercept_) if surface is None else surface.scores(grid)
    k, out = len(model.classes_), []
    for place, (i, j) in enumerate(combinations(range(k), 2)):
        F = raw[:, place].reshape(_GRID, _GRID)
        out.append(("boundary", level_lines(F, xs, ys, _touches(winners == i) & _touches(winners == j))))
    return out


def _touches(here: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mask of the cells of the grid that have a corner where ``here`` is true."""
    return np.asarray(here[:-1, :-1] | here[1:, :-1] | here[:-1, 1:] | here[1:, 1:])


def level_lines(
    F: NDArray[np.float64], xs: Vector, ys: Vector, cells: NDArray[np.bool_] | None = None
) -> list[NDArray[np.float64]]:
    """Zero set of F (rows ys, columns xs) as segments (2, 2): marching squares with linear interpolation.

    >>> [line.tolist() for line in level_lines(np.array([[-1.0, 1.0], [-1.0, 1.0]]), np.arange(2.0), np.arange(2.0))]
    [[[0.5, 0.0], [0.5, 1.0]]]
    """
    segments = []
    above = F > 0
    mixed = above[:-1, :-1].astype(int) + above[1:, :-1] + above[:-1, 1:] + above[1:, 1:]
    crossed = (mixed > 0) & (mixed < 4)
    for i, j in np.argwhere(crossed if cells is None else crossed & cells):
        corners = [(i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j)]
        crossings = []
        for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1], strict=True):
            if above[a, b] != above[c, d]:
                t = F[a, b] / (F[a, b] - F[c, d])
                crossings.append((xs[b] + t * (xs[d] - xs[b]), ys[a] + t * (ys[c] - ys[a])))
        segments += [np.array(crossings[s : s + 2]) for s in range(0, len(crossings) - 1, 2)]
    return segments
