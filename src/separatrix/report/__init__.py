"""Answers for people: a report on a model as a page, as text and as JSON; pictures of the perceptron.

>>> import numpy as np
>>> from separatrix import SVC, report
>>> X, y = np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]]), ["left", "left", "right", "right"]
>>> made = report.make(SVC(C=10.0).fit(X, y), X, y)
>>> print(made.quality.headline)
All 4 rows that it learnt from are right; how good it is on new rows was not measured.
>>> made.tone
'proved'
>>> page = made.html()
"""

from typing import Any

from separatrix.report.collect import make
from separatrix.report.records import Report


def html(model: Any, X: Any, y: Any, **options: Any) -> str:
    """One self-contained page on a fitted model; `make` says which options there are."""
    return make(model, X, y, **options).html()


def text(model: Any, X: Any, y: Any, **options: Any) -> str:
    """The report as plain text."""
    return make(model, X, y, **options).text()


def to_json(model: Any, X: Any, y: Any, **options: Any) -> dict[str, Any]:
    """The report as plain JSON values."""
    return make(model, X, y, **options).to_json()


__all__ = ["Report", "html", "make", "text", "to_json"]
