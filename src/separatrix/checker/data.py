"""The data of a claim: rows in integers, labels as texts, which rows take part and on which side."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from separatrix.checker.numbers import Rejected, fields, real, shown, vector

_SCALING = "shift", "factor"
_WHOLE = re.compile(r"(?!.{1001})(?:0|-?[1-9][0-9]*)")


class Table(Protocol):
    """Rows of finite binary64 numbers: the places of the entries of each, increasing, and the entries."""

    n_rows: int
    n_columns: int

    def rows(self) -> Iterator[tuple[Sequence[int], Sequence[float]]]: ...  # noqa: D102


class ScaledRows:
    """Rows with every entry x of column j as fl(fl(x - shift_j) * factor_j), fl rounding to nearest, ties to even."""

    def __init__(self, table: Table, record: Any) -> None:
        self.table, self.n_rows, self.n_columns = table, table.n_rows, table.n_columns
        shift, factor = (
            vector(v, "scaling", table.n_columns, real) for v in fields(record, "scaling", *_SCALING)
        )
        if len(factor) < table.n_columns or min(factor.values(), default=1.0) <= 0:
            raise Rejected("Every factor of a scaling must be above 0.")
        self.shift, self.factor = [shift.get(j, 0.0) for j in factor] if shift else [], list(factor.values())

    def rows(self) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
        """Every row in order; rejects an entry that is no longer finite."""
        for columns, values in self.table.rows():
            if self.shift:  # then zeros that are not stored move too
                entry = dict(zip(columns, values, strict=True)).get
                columns, values = range(self.n_columns), [entry(j, 0.0) - s for j, s in enumerate(self.shift)]
            out = [x * self.factor[j] for j, x in zip(columns, values, strict=True)]
            if not all(map(math.isfinite, out)):
                raise Rejected("A scaled entry is beyond the largest number of double precision.")
            yield columns, out


class Labels(NamedTuple):
    """``classes[codes[i]]`` is the label of row i as a text; classes are in order of first appearance."""

    kind: str  #: "number" or "text"
    classes: Sequence[str]
    codes: Sequence[int]


@dataclass(frozen=True)
class Data:
    """Labelled rows, and the part of each in a claim: +1 or -1, or 1 + its class; 0 takes no part."""

    table: Table
    labels: Labels
    positive: list[str]
    negative: list[str]
    excluded: list[int]
    joint: bool
    part: list[int]
    n: int
    d: int

    @cached_property
    def scale(self) -> int:
        """The least t >= 0 for which every entry is an integer times 2^-t."""
        denominators = (value.as_integer_ratio()[1] for _, row in self.table.rows() for value in row)
        return max(denominators, default=1).bit_length() - 1

    def rows(self) -> Iterator[tuple[int, int, Sequence[int], list[int]]]:
        """Number, part, places and entries times 2^scale of each row that takes part."""
        for number, ((columns, values), part) in enumerate(zip(self.table.rows(), self.part, strict=True)):
            if part:
                yield number, part, columns, to_integers(values, self.scale)


def to_integers(values: Iterable[float], scale: int) -> list[int]:
    """The floats times 2^scale, which must make integers of them.

    >>> to_integers([1.5, -2.0], 1)
    [3, -4]
    """
    return [n << (scale + 1 - d.bit_length()) for n, d in map(float.as_integer_ratio, values)]


def integers(values: Sequence[float]) -> tuple[list[int], int]:
    """Integers m and the least s >= 0 with values[i] = m[i] / 2^s.

    >>> integers([1.5, -2.0])
    ([3, -4], 1)
    """
    scale = max((value.as_integer_ratio()[1] for value in values), default=1).bit_length() - 1
    return to_integers(values, scale), scale


def read_data(positive: Any, negative: Any, excluded: Any, joint: bool, table: Table, labels: Labels) -> Data:
    """The labelled rows with the part of each."""
    if not all(isinstance(each, list) for each in (positive, negative, excluded)):
        raise Rejected("data.positive, data.negative and data.excluded must be lists.")
    named = [_label(each, labels.kind) for each in (*positive, *negative)]
    if not named or len(set(named)) != len(named):
        raise Rejected("A label is named twice, or none is.")
    if joint and (negative or len(positive) < 2 or not set(labels.classes).issuperset(positive)):
        raise Rejected("All classes at once are two or more, all named as positive and all among the labels.")
    part_of = {label: k if joint else 1 for k, label in enumerate(positive, 1)} | dict.fromkeys(negative, -1)
    by_class = [part_of.get(label, 0) for label in labels.classes]
    part, last = list(map(by_class.__getitem__, labels.codes)), -1
    for row in excluded:
        if type(row) is not int or not last < row < len(part) or not part[row]:
            raise Rejected(f"data.excluded must be increasing rows with a named label; got {shown(row)}.")
        part[row], last = 0, row
    if not any(part):
        raise Rejected("No row takes part.")
    return Data(table, labels, positive, negative, excluded, joint, part, table.n_rows, table.n_columns)


def _label(text: Any, kind: str) -> str:
    if not isinstance(text, str) or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise Rejected(f"A label is a text of whole characters; got {shown(text)}.")
    if kind == "number" and not _WHOLE.fullmatch(text) and real(text, "A label").is_integer():
        raise Rejected(f"The label {text} is written as the integer that it is.")
    return text
