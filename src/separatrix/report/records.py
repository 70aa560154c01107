"""The contents of a report, collected once; the page, the text and the JSON show the same records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.data.description import TableDescription
from separatrix.report.plane import Picture
from separatrix.report.row_values import FieldRead
from separatrix.report.rows import RowFacts
from separatrix.types import Index, Vector
from separatrix.validation.scores import Scores


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


@dataclass(frozen=True, eq=False)
class Source:
    """A table and what the model says of its rows."""

    X: Any
    facts: RowFacts
    numbers: Any = None  #: the number of each row in its file; None counts from 0


@dataclass(frozen=True, eq=False)
class Part:
    """Rows that are judged together."""

    name: str  #: one of `quality.PARTS`
    rows: Index
    scores: Scores
    source: Source  #: the table that they are rows of


@dataclass(frozen=True)
class Quality:
    """The scores in words, which come before anything about the fit."""

    headline: str
    tone: (
        str  #: "better" than the most frequent class, "no-better", or "unknown" where no new rows were judged
    )
    details: list[str]


@dataclass(frozen=True)
class WrongRow:
    """A row that the model puts into another class than its own."""

    row: int  #: counted from 0, as in X
    number: int  #: as people count in the file; ``row`` where there is no file
    part: str
    label: str
    predicted: str
    margin: float
    chance: float | None  #: the probability that the model gives to the class that it predicts
    values: list[tuple[str, str]]
    #: Columns that pull it to the wrong side, with their share of the score.
    opposing: list[tuple[str, float]]


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
    """A column's weight in one plane, for one unit of the column; ``effect`` is weight times the column's spread."""

    column: str
    weight: float
    effect: float


@dataclass(frozen=True)
class Setting:
    """A parameter of the model, and whether it is the one that it has by itself."""

    name: str
    value: str
    default: bool


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
    verdict: str  #: what is proved, in one sentence
    tone: str  #: mark of the verdict: "proved", "open" or "refuted"
    details: list[str]
    about: list[tuple[str, str]]
    n_rows: int
    n_columns: int
    class_counts: dict[str, int]
    proofs: list[ProofRecord]
    commands: list[tuple[str, str]]
    quality: Quality | None = None
    parts: list[Part] = field(default_factory=list)  #: the one that counts first
    settings: list[Setting] = field(default_factory=list)
    description: TableDescription | None = None  #: how the file was read
    fields: list[FieldRead] = field(default_factory=list)  #: the columns of a table
    mistakes: list[WrongRow] = field(default_factory=list)
    mistakes_left: dict[str, int] = field(default_factory=dict)  #: part -> wrong rows that are not shown
    values_left: int = 0  #: columns of the file whose values are not shown with those rows
    test_file: str = ""  #: the table for testing, where there is one
    row_word: str = "row"  #: "line" where rows are numbered as the lines of a text
    counted: str = "counted from 0"  #: how rows are numbered
    rows: RowFacts | None = None
    slab: bool = False  #: a margin of 1 is the edge of a slab
    geometric: float | None = None  #: factor from a margin to a distance
    support: list[SupportCounts] = field(default_factory=list)
    progress: FitProgress | None = None
    weights: dict[str, list[Weight]] = field(default_factory=dict)
    weights_left: int = 0
    planes_left: int = 0
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
