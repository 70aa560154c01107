"""Everything a report shows, gathered once: the page, the text and the JSON are three ways to say it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.report.plane import Picture
from separatrix.report.rows import RowFacts
from separatrix.types import Vector


@dataclass(frozen=True)
class Proof:
    """One certificate, and what came of checking it against the rows of the report."""

    problem: str
    kind: str
    claim: str
    digest: str
    outcome: str | None  #: "proved", "conditional" or "rejected" for these rows; None: not checked here
    reason: str
    document: dict[str, Any] | None = field(repr=False, default=None)

    @property
    def checked(self) -> bool | None:
        """Whether the claim was proved without a condition; None if that was not asked here."""
        return None if self.outcome is None else self.outcome == "proved"


@dataclass(frozen=True)
class Support:
    """How many rows carry alpha in one binary problem, by class and kind."""

    problem: str
    counts: dict[str, dict[str, int]]  #: class -> {"margin": ..., "slack": ..., "none": ...}

    def total(self, kind: str) -> int:
        """Support vectors of a kind over all classes."""
        return sum(each.get(kind, 0) for each in self.counts.values())


@dataclass(frozen=True, eq=False)
class Course:
    """One line of the picture of progress: values (m,) over time (m,)."""

    problem: str
    time: Vector
    values: Vector
    proved: NDArray[np.bool_]


@dataclass(frozen=True)
class Progress:
    """What went down, or up, while the model was fitted."""

    quantity: str  #: "relative gap" or "updates"
    courses: list[Course]
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
class Contradiction:
    """A row that fits the model badly."""

    row: int
    label: str
    predicted: str
    margin: float
    slack: float | None
    opposing: list[
        tuple[str, float]
    ]  #: columns that pull it to the wrong side, with their share of the score


@dataclass(frozen=True)
class Cancelling:
    """Rows that prove that no hyperplane separates the classes: weighted so, they cancel exactly."""

    verdict: str
    rows: list[int]
    labels: list[str]
    weights: list[str]


@dataclass(frozen=True, eq=False)
class Report:
    """The facts. `separatrix.report.make` gathers them; ``html()``, ``text()`` and ``to_json()`` say them."""

    title: str
    verdict: str
    tone: str  #: "proved", "open" or "refuted": how the verdict is marked
    details: list[str]
    about: list[tuple[str, str]]
    n_rows: int
    n_columns: int
    class_counts: dict[str, int]
    proofs: list[Proof]
    commands: list[tuple[str, str]]
    rows: RowFacts | None = None
    slab: bool = False  #: whether a margin of 1 has a meaning
    geometric: float | None = None  #: what turns a margin into a distance
    support: list[Support] = field(default_factory=list)
    progress: Progress | None = None
    weights: dict[str, list[Weight]] = field(default_factory=dict)
    weights_left: int = 0
    contradictions: list[Contradiction] = field(default_factory=list)
    cancelling: Cancelling | None = None
    picture: Picture | None = None
    support_rows: dict[str, NDArray[np.intp]] = field(default_factory=dict)  #: "margin", "slack" -> rows

    def html(self) -> str:
        """One self-contained page."""
        from separatrix.report.page import page

        return page(self)

    def text(self) -> str:
        """The same in words."""
        from separatrix.report.sentences import words

        return words(self)

    def to_json(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        from separatrix.report.to_json import plain

        return plain(self)
