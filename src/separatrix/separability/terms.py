"""Terms of a model: the columns that belong together, and the levels of a category among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from separatrix.types import Index


@dataclass(frozen=True)
class Term:
    """A term of a model: one column, or the columns of a category or an interaction.

    ``levels`` names the level of each column of a category coded by indicators; ``reference`` is the level that
    has no column, if there is one. A category that also takes part in other terms is ``crossed``.
    """

    name: str
    columns: tuple[int, ...]
    levels: tuple[str, ...] = ()
    reference: str | None = None
    crossed: bool = False

    def without(self, column: int) -> Term:
        """The term once a column of the design has been taken out: later columns move down by one."""
        kept = [k for k, c in enumerate(self.columns) if c != column]
        return replace(
            self,
            columns=tuple(self.columns[k] - (self.columns[k] > column) for k in kept),
            levels=tuple(self.levels[k] for k in kept) if self.levels else (),
        )


@dataclass(frozen=True, eq=False)
class ModelFacts:
    """Facts about the model behind a verdict, other than its numbers."""

    source: str = ""  #: as in "statsmodels Logit"
    outcome: str = ""
    terms: Sequence[Term] = ()
    formula: str | None = None
    rows: Index | None = None  #: row of the user's data behind each row of X; None: the same
    notes: tuple[str, ...] = ()
    counts: bool = False  #: the outcome is binomial counts

    def rows_of(self, index: Index) -> list[int]:
        """Numbers in the user's data of rows of X, each once."""
        if self.rows is None:
            return [int(i) for i in index]
        return sorted({int(i) for i in self.rows[index]})
