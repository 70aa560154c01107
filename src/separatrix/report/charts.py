"""The drawings of a fit: margins, progress, and the rows in a plane."""

from __future__ import annotations

import numpy as np

from separatrix.report.plane import DENSE, Picture
from separatrix.report.records import FitProgress, Report
from separatrix.svg import WIDTH, Plot, coordinate, mark, number, shape_of

#: Least gap on a logarithmic axis.
_LEAST_GAP = 1e-16
#: Letters of a name that fit next to an axis.
_LONGEST_NAME = 32


def margins_chart(report: Report) -> str:
    """Histogram of the margins: two classes on the two sides of the axis, or all rows above it."""
    facts = report.rows
    assert facts is not None
    edges, counts = facts.histogram()
    two = len(counts) == 2
    above, below = (counts[1], counts[0]) if two else (counts.sum(axis=0), np.zeros_like(counts[0]))
    tall = max(1, int(above.max()), 0 if two else 1)
    deep = max(1, int(below.max())) if two else 0
    frame = Plot((float(edges[0]), float(edges[-1])), (-1.12 * deep, 1.16 * tall), height=270)
    if edges[0] < 0:
        frame.box(float(edges[0]), -1.12 * deep, 0.0, 1.16 * tall, "zone wrong")
    if report.slab and edges[-1] > 0:
        frame.box(0.0, -1.12 * deep, min(1.0, float(edges[-1])), 1.16 * tall, "zone inside")
    frame.axes(
        "score for the own class" if two else "lead over the best other class",
        "rows",
        whole=True,
        absolute=True,
    )
    for values, sign, kind in ((above, 1.0, "c1" if two else "c0"), (below, -1.0, "c0")):
        for place in np.flatnonzero(values):
            name = facts.names[1 if sign > 0 else 0] + ": " if two else ""
            title = f"{name}{values[place]} rows from {number(edges[place])} to {number(edges[place + 1])}"
            frame.box(edges[place], 0.0, edges[place + 1], sign * float(values[place]), f"bar {kind}", title)
    frame.line([(0.0, -1.12 * deep), (0.0, 1.16 * tall)], "boundary")
    if report.slab and edges[0] <= 1.0 <= edges[-1]:
        frame.line([(1.0, -1.12 * deep), (1.0, 1.16 * tall)], "edge")
    if two:
        frame.line([(float(edges[0]), 0.0), (float(edges[-1]), 0.0)], "base")
    words = f"Histogram of the margins of {len(facts.codes)} rows; {facts.errors} are misclassified."
    return frame.svg(words)


def progress_chart(progress: FitProgress) -> str:
    """The gap of each problem on a logarithmic axis, or updates against their bound, over seconds."""
    falling = progress.quantity == "relative gap"
    values = np.concatenate([curve.values for curve in progress.curves])
    last = max(float(curve.time[-1]) for curve in progress.curves)
    limit = progress.limit
    if falling:
        values = np.maximum(values, _LEAST_GAP)
        low = min(float(values.min()), limit or 1.0) / 2
        frame = Plot((0.0, last or 1e-3), (low, max(float(values.max()), limit or _LEAST_GAP) * 2), log=True)
    else:
        near = limit is not None and limit <= 4 * float(values.max())
        top = max(float(values.max()), limit if near and limit is not None else 0.0)
        frame = Plot((0.0, last or 1e-3), (0.0, 1.1 * top or 1.0))
    frame.axes("seconds", progress.quantity, whole=not falling)
    if limit is not None and frame.y[0] <= limit <= frame.y[1]:
        frame.line([(0.0, limit), (frame.x[1], limit)], "edge")
        frame.text(frame.left + 6, frame.at_y(limit) - 5, f"{progress.limit_name} {number(limit)}", "axis")
    for place, curve in enumerate(progress.curves):
        shown = np.maximum(curve.values, _LEAST_GAP) if falling else curve.values
        points = np.column_stack([curve.time, shown])
        frame.line(points.tolist(), f"course d{place % 6}")
        if np.any(curve.proved):
            frame.marks(points[curve.proved], "circle", f"dot d{place % 6}", 3.0)
    end = max(float(curve.values[-1]) for curve in progress.curves)
    return frame.svg(f"{progress.quantity} over {number(last)} seconds; at the end {number(end)}.")


KINDS = {
    "slack": "inside the margin or on the wrong side",
    "margin": "on the margin, to 1 %",
    "beyond": "beyond the margin, with a remainder that a closer solution would take away",
    "updates": "caused updates",
    "none": "no weight: without them the model would be the same",
    "quiet": "caused none",
}


def plane_chart(picture: Picture, report: Report) -> str:
    """The rows as small shapes, one for each class; support vectors have a ring, misclassified rows a cross."""
    facts = report.rows
    assert facts is not None
    points = picture.points
    low, high = points.min(axis=0), points.max(axis=0)
    pad = 0.05 * np.where(high > low, high - low, 1.0)
    (x0, y0), (x1, y1) = (low - pad).tolist(), (high + pad).tolist()
    frame = Plot((x0, x1), (y0, y1), height=360)
    frame.axes(*axis_names(picture))
    width, tall = WIDTH - frame.left - frame.right, frame.height - frame.top - frame.bottom
    frame.parts.append(
        f'<clipPath id="plane"><rect x="{frame.left:.0f}" y="{frame.top:.0f}" width="{width:.0f}" '
        f'height="{tall:.0f}"/></clipPath><g clip-path="url(#plane)">'
    )
    for kind, lines in picture.lines:
        frame.lines(lines, kind)
    codes, dense = facts.codes[picture.rows], len(picture.rows) > DENSE
    for code in range(len(facts.classes)):
        frame.marks(points[codes == code], shape_of(code), f"point c{code % 6}", 2.6 if dense else 3.2)
    for kind in ringed(report):
        here = np.isin(picture.rows, report.support_rows[kind])
        frame.marks(points[here], "circle", f"ring {kind}", 4.6 if dense else 6.0)
    wrong = facts.predicted[picture.rows] != codes
    for x, y in points[wrong]:
        px, py = frame.at_x(float(x)), frame.at_y(float(y))
        reach = 2.4 if dense else 4.0
        size = coordinate(2 * reach)
        frame.parts.append(
            f'<path class="cross{" small" if dense else ""}" d="M{px - reach:.1f} {py - reach:.1f}l{size} {size}'
            f'm0 -{size}l-{size} {size}"/>'
        )
    frame.parts.append("</g>")
    return frame.svg(f"{len(picture.rows)} rows in a plane, {int(wrong.sum())} of them misclassified.")


def axis_names(picture: Picture) -> tuple[str, str]:
    """Return names of the axes that fit next to them; the words above the picture say the long ones."""
    across, up = picture.axes
    return (
        across if len(across) <= _LONGEST_NAME else "first column",
        up if len(up) <= _LONGEST_NAME else "second column",
    )


def ringed(report: Report) -> list[str]:
    """Kinds of support vectors that have a ring in the picture; among many rows only those on the margin."""
    kinds = [kind for kind, rows in report.support_rows.items() if len(rows)]
    crowd = report.picture is not None and len(report.picture.rows) > DENSE
    return [kind for kind in kinds if kind == "margin"] if crowd else kinds


def swatch(shape: str, kind: str) -> str:
    """A small shape for a legend."""
    return (
        '<svg class="swatch" viewBox="0 0 16 16" aria-hidden="true" focusable="false">'
        f'<path class="{kind}" d="{mark(shape, 8.0, 8.0, 4.5)}"/></svg>'
    )
