"""The contents of a report, collected once; the page, the text and the JSON show the same records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.report.plane import Picture
from separatrix.report.rows import RowFacts
from separatrix.types import Vector


@dataclass(frozen=True)
class ProofRecord:
    """One certificate, and the outcome of its check against the rows of the report."""

    problem: str
    kind: str
    claim: str
    digest: str
    outcome: str | None  #: "proved", "conditional" or "rejected" for these rows; None: not checked here
    reason: str
    document: dict[str, Any] | None = field(repr=False, default=None)

    @property
    def checked(self) -> bool | None:
        """True if the claim was proved without a condition; None if it was not checked here."""
        return None if self.outcome is None else self.outcome == "proved"


@dataclass(frozen=True)
class SupportCounts:
    """Numbers of rows by class and kind of support vector, in one binary problem."""

    problem: str
    counts: dict[str, dict[str, int]]  #: class -> {"margin": ..., "slack": ..., "none": ...}

    def total(self, kind: str) -> int:
        """Support vectors of a kind over all classes."""
        return sum(each.get(kind, 0) for each in self.counts.values())


@dataclass(frozen=True, eq=False)
class Curve:
    """A quantity over time for one problem: values (m,) at time (m,)."""

    problem: str
    time: Vector
    values: Vector
    proved: NDArray[np.bool_]


@dataclass(frozen=True)
class FitProgress:
    """Curves of a quantity that fell, or rose, while the model was fitted."""

    quantity: str  #: "relative gap" or "updates"
    curves: list[Curve]
    limit: float | None  #: tol, or the bound on updates
    limit_name: str
    seconds: float


@dataclass(frozen=True)
class Weight:
    """A column's weight in one plane; ``effect`` is weight times the spread of the column."""

    column: str
    weight: float
    effect: float


@dataclass(frozen=True)
class WorstRow:
    """A row that fits the model badly."""

    row: int
    label: str
    predicted: str
    margin: float
    slack: float | None
    #: Columns that pull it to the wrong side, with their share of the score.
    opposing: list[tuple[str, float]]


@dataclass(frozen=True)
class Cancelling:
    """Rows that prove that no hyperplane separates the classes: weighted so, they cancel exactly."""

    verdict: str
    rows: list[int]
    labels: list[str]
    weights: list[str]


@dataclass(frozen=True, eq=False)
class Report:
    """Contents of a report, made by `separatrix.report.make`; ``html()``, ``text()`` and ``to_json()`` show them."""

    title: str
    verdict: str
    tone: str  #: mark of the verdict: "proved", "open" or "refuted"
    details: list[str]
    about: list[tuple[str, str]]
    n_rows: int
    n_columns: int
    class_counts: dict[str, int]
    proofs: list[ProofRecord]
    commands: list[tuple[str, str]]
    rows: RowFacts | None = None
    slab: bool = False  #: a margin of 1 is the edge of a slab
    geometric: float | None = None  #: factor from a margin to a distance
    support: list[SupportCounts] = field(default_factory=list)
    progress: FitProgress | None = None
    weights: dict[str, list[Weight]] = field(default_factory=dict)
    weights_left: int = 0
    contradictions: list[WorstRow] = field(default_factory=list)
    cancelling: Cancelling | None = None
    picture: Picture | None = None
    support_rows: dict[str, NDArray[np.intp]] = field(default_factory=dict)  #: "margin", "slack" -> rows

    def html(self) -> str:
        """One self-contained page."""
        from separatrix.report.page import page

        return page(self)

    def text(self) -> str:
        """The report as plain text."""
        from separatrix.report.sentences import words

        return words(self)

    def to_json(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        from separatrix.report.to_json import plain

        return plain(self)
