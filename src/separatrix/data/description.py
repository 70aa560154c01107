"""The description of a table: what was made of a file before anything is learnt from it.

The label and why it was chosen, the kind of each column, missing cells and what was done about them, cells that look
wrong, what was guessed, what a reader should be warned of, and what stands in the way of learning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Kind = Literal["number", "category", "text", "identifier", "date", "constant", "left out"]

#: Kinds whose cells are not among the columns of X.
ABSENT: tuple[Kind, ...] = ("identifier", "date", "left out")
_PLURALS: dict[Kind, str] = {
    "number": "numbers",
    "category": "categories",
    "text": "free texts",
    "identifier": "identifiers",
    "date": "dates",
    "constant": "constants",
    "left out": "others",
}
_SHOWN = 5  # names, cells and warnings of one sort that are listed; the rest is counted


@dataclass(frozen=True)
class LabelDescription:
    """The column of the labels, why it was taken for that, and the rows of each class."""

    name: str
    why: str
    classes: list[tuple[Any, int]]
    position: int = 0


@dataclass(frozen=True)
class ColumnDescription:
    """A column of the file. ``width`` counts the columns of X that it became, ``missing`` the cells without a value.

    ``values`` counts the different values of texts and is None for numbers; ``note`` says what is worth knowing:
    the range of numbers, the first categories, why a column was left out.
    """

    name: str
    kind: Kind
    values: int | None
    missing: int
    done: str  #: what was done about missing cells, in words; empty where there are none
    note: str
    width: int
    position: int = 0


@dataclass(frozen=True)
class SuspiciousCell:
    """A cell that does not look like the others of its column. ``row`` is numbered as in the file."""

    row: int
    column: str
    text: str
    why: str


@dataclass(frozen=True)
class Setting:
    """Something about the file that was given or guessed: its delimiter, decimal sign, encoding, header, sheet."""

    name: str
    value: str
    how: str  #: "given", "guessed", "by the name of the file", or "as in the file that was learnt from"


@dataclass(frozen=True)
class Refusal:
    """A reason why nothing can be learnt from the table as it is read, and the way on."""

    sentence: str
    hint: str


@dataclass(frozen=True)
class TableDescription:
    """A table as it was read. ``row_word`` is "line" where rows are numbered as the lines of a text, else "row"."""

    file: str
    format: str
    rows: int
    row_word: str
    label: LabelDescription | None
    columns: list[ColumnDescription]
    suspicious: list[SuspiciousCell] = field(default_factory=list)
    sniffed: list[Setting] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)

    def record(self) -> dict[str, Any]:
        """Return the description for JSON."""
        found = asdict(self)
        if self.label is not None:
            found["label"]["classes"] = [
                {"label": value, "rows": count} for value, count in self.label.classes
            ]
        return found

    def lines(self) -> list[tuple[str, str]]:
        """Return the description in words: a name and a text for each line.

        >>> city = ColumnDescription("city", "category", 2, 0, "", "Bern, Oslo", 2)
        >>> label = LabelDescription("sick", "it is the last column", [(0, 3), (1, 2)], 1)
        >>> for line in TableDescription("a.csv", "csv", 5, "line", label, [city]).lines():
        ...     print(line)
        ('label', 'sick, 2 classes: it is the last column')
        ('columns', '1 category (city)')
        """
        return [*self._label(), *_named("columns", self._kinds()), *self._rest()]

    def whole(self) -> list[tuple[str, str]]:
        """Return every column on one line each, then warnings and refusals: the answer of ``separatrix look``."""
        columns = [f"{each.name}: {_words(each)}" for each in self.columns[:_MOST_LINES]]
        if len(self.columns) > _MOST_LINES:
            columns.append(f"... {len(self.columns):,} in all: {'; '.join(self._kinds())}")
        refusals = [("refused", f"{each.sentence} Hint: {each.hint}.") for each in self.refusals]
        warnings = [("warning", text) for text in self.warnings]
        return [*self._label(), *_named("columns", columns), *self._rest(), *warnings, *refusals]

    def _label(self) -> list[tuple[str, str]]:
        if self.label is None:
            return []
        count = len(self.label.classes)
        classes = f"{count:,} class{'' if count == 1 else 'es'}"
        return [("label", f"{self.label.name}, {classes}: {self.label.why}")]

    def _rest(self) -> list[tuple[str, str]]:
        said = [f"{each.name} {each.value} ({each.how})" for each in self.sniffed]
        out = [*_named("missing", self._missing()), *_named("suspicious", self._cells())]
        return [*out, ("read with", ", ".join(said))] if said else out

    def _kinds(self) -> list[str]:
        """Each kind with the names of its columns, the commonest first."""
        by_kind: dict[Kind, list[str]] = {}
        for column in self.columns:
            by_kind.setdefault(column.kind, []).append(column.name)
        out = []
        for kind, names in sorted(by_kind.items(), key=lambda item: (item[0] in ABSENT, -len(item[1]))):
            word = kind if len(names) == 1 and kind != "left out" else _PLURALS[kind]
            left = " left out" if kind in ABSENT else ""
            out.append(f"{len(names):,} {word}{left} ({few(names)})")
        return out

    def _missing(self) -> list[str]:
        some = [column for column in self.columns if column.missing]
        done: dict[str, list[str]] = {}
        for column in some:
            done.setdefault(column.done.partition(":")[0], []).append(f"{column.name} {column.missing:,}")
        return [f"{few(names)}: {what}" if what else few(names) for what, names in done.items()]

    def _cells(self) -> list[str]:
        out = [
            f"{self.row_word} {cell.row:,}, column {cell.column!r}: {cell.text!r} ({cell.why})"
            for cell in self.suspicious[:_SHOWN]
        ]
        if len(self.suspicious) > _SHOWN:
            more = Counter(cell.column for cell in self.suspicious[_SHOWN:])
            out.append(f"... and others in {few(list(more))}")
        return out


_MOST_LINES = 60  # columns that `look` shows one by one


def few(names: Sequence[str], most: int = _SHOWN) -> str:
    """The first few names of a list, in words.

    >>> few(["a", "b", "c"], 2)
    'a, b, ... 3 in all'
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown}, ... {len(names):,} in all"


def _words(column: ColumnDescription) -> str:
    parts = [column.kind if column.kind != "category" else f"category with {column.values:,} values"]
    if column.note:
        parts.append(column.note)
    if column.missing:
        parts.append(f"{column.missing:,} missing" + (f", {column.done}" if column.done else ""))
    return "; ".join(parts)


def _named(name: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    return [(name if at == 0 else "", text) for at, text in enumerate(texts)]
