"""Curves of how good a model is: ROC, precision and recall, and whether its probabilities come true."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix.report.records import Part
from separatrix.svg import Plot, number
from separatrix.types import Vector
from separatrix.validation.scores import precision_recall_points, reliability, roc_points

#: Classes up to which each has a colour; of more, those with the smallest areas have one.
COLOURED, _WORST = 6, 3
#: Steps of a curve along each axis beyond which points are left out.
_STEPS = 400


def shown_classes(part: Part) -> list[tuple[int, str]]:
    """The classes with a curve and the kind of its line: the second of two; or all, with a colour for the worst."""
    each = part.scores.classes
    if len(each) == 2:
        return [(1, "d0")]
    known = [code for code, one in enumerate(each) if one.roc_auc is not None]
    worst = sorted(known, key=lambda code: each[code].roc_auc or 0.0)
    if len(known) <= COLOURED:
        return [(code, f"d{place}") for place, code in enumerate(known)]
    named = worst[:_WORST]
    return [(code, "faint") for code in known if code not in named] + [
        (code, f"d{place}") for place, code in enumerate(named)
    ]


def roc_chart(parts: list[Part]) -> str:
    """True against false alarms: rows of the class that are found, against others that are taken for it."""
    frame = Plot((0.0, 1.0), (0.0, 1.0), height=300)
    frame.axes("other rows taken for it", "its rows found")
    frame.line([(0.0, 0.0), (1.0, 1.0)], "edge")
    for part, code, kind in _drawn(parts):
        x, y = roc_points(*_positive_scores(part, code))
        frame.line(_thinned(x, y), f"course {kind}")
    areas = ", ".join(_area(part, part.scores.roc_auc) for part in parts)
    return frame.svg(f"ROC curve; the area below it is {areas}. The dashed diagonal is guessing.")


def precision_recall_chart(parts: list[Part]) -> str:
    """Precision against recall; a dashed line at the share of the class, which guessing would reach."""
    frame = Plot((0.0, 1.0), (0.0, 1.0), height=300)
    frame.axes("its rows found (recall)", "right when said (precision)")
    first = parts[0].scores
    if len(first.classes) == 2:
        share = first.classes[1].support / first.rows
        frame.line([(0.0, share), (1.0, share)], "edge")
    for part, code, kind in _drawn(parts):
        recall, precision = precision_recall_points(*_positive_scores(part, code))
        frame.line(_thinned(recall, precision), f"course {kind}")
    areas = ", ".join(_area(part, part.scores.average_precision) for part in parts)
    return frame.svg(f"Precision against recall; the average precision is {areas}.")


def reliability_chart(part: Part) -> tuple[str, list[list[str]]]:
    """The share of rows that come true against the probability that was given, and the same in numbers."""
    said, seen, rows = reliability(*_said_and_true(part))
    frame = Plot((0.0, 1.0), (0.0, 1.0), height=300)
    frame.axes("probability that the model gives", "share that came true")
    frame.line([(0.0, 0.0), (1.0, 1.0)], "edge")
    frame.line(np.column_stack([said, seen]).tolist(), "course d0")
    for x, y, count in zip(said, seen, rows, strict=True):
        size = 2.5 + 6.0 * float(np.sqrt(count / rows.max()))
        frame.marks(np.array([[x, y]]), "circle", "dot d0", size)
    far = float(np.abs(said - seen) @ rows) / len(part.rows)
    table = [
        [f"{100 * x:.1f} %", f"{100 * y:.1f} %", f"{count:,}"]
        for x, y, count in zip(said.tolist(), seen.tolist(), rows.tolist(), strict=True)
    ]
    words = f"Reliability diagram; on average the two differ by {100 * far:.1f} percentage points."
    return frame.svg(words), table


def _said_and_true(part: Part) -> tuple[NDArray[np.bool_], Vector]:
    """Of two classes the probability of the second; of many that of the class which is predicted."""
    facts, rows = part.source.facts, part.rows
    assert facts.chances is not None
    if len(facts.classes) == 2:
        return facts.codes[rows] == 1, facts.chances[rows, 1]
    return facts.codes[rows] == facts.predicted[rows], facts.chances[rows, facts.predicted[rows]]


def _drawn(parts: list[Part]) -> list[tuple[Part, int, str]]:
    """The curves in the order in which they are drawn; of two classes also that of the rows learnt from, dotted."""
    out = [(parts[0], code, kind) for code, kind in shown_classes(parts[0])]
    if len(parts) > 1 and len(parts[0].scores.classes) == 2:
        out.insert(0, (parts[-1], 1, "faint dotted"))
    return [each for each in out if each[0].scores.classes[each[1]].roc_auc is not None]


def _positive_scores(part: Part, code: int) -> tuple[NDArray[np.bool_], Vector]:
    facts, rows = part.source.facts, part.rows
    score = facts.scores[rows] if facts.scores.ndim == 1 else facts.scores[rows, code]
    return facts.codes[rows] == code, score


def _thinned(x: Vector, y: Vector) -> list[list[float]]:
    """The points of a curve without those that fall on one before them at the resolution of the drawing."""
    places = np.rint(np.column_stack([x, y]) * _STEPS)
    keep = np.append(True, np.any(np.diff(places, axis=0) != 0, axis=1))
    keep[-1] = True
    points: list[list[float]] = np.column_stack([x, y])[keep].tolist()
    return points


def _area(part: Part, area: float | None) -> str:
    return f"{'not known' if area is None else number(area)} ({part.name})"
