"""Causes of a separation: the smallest sets of terms whose removal ends it, and levels of a category to merge.

Removing columns S leaves the directions of recession with z_S = 0. A set ends the separation if and only if it meets
the support of each direction that separates, so the sets that do are closed upwards, and each verdict "still
separated" yields a direction whose support every such set must meet. Sets are tried by size, those that miss a known
support are passed over, and every set that is reported has been decided exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.separability.terms import Term

#: Terms of which a matrix (n, k) is a direction's support: True where the data are still separated.
Decide = Callable[[NDArray[Any]], NDArray[np.bool_] | None]
#: Exact verdicts that a search for the smallest sets may take. Beyond it one set is made as small as it gets.
MAX_VERDICTS = 300
#: Exact verdicts on merged levels.
MERGE_VERDICTS = 128
#: Work of all verdicts of a search: n D^2 for n signed rows of D columns, which takes about a second for 1e8.
MAX_WORK = 3e8


@dataclass(frozen=True)
class Merge:
    """Levels of a category that end the separation once they are one."""

    term: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Causes:
    """Sets of terms whose removal ends the separation, and merges of levels that do.

    ``smallest`` says that ``sets`` are all those with the fewest terms; otherwise there is one set, of which no term
    can be spared, and a smaller one may exist; or none, where even that would take too long. ``merges`` are, for each
    category alone, the smallest groups of levels that do; ``merges_tried`` is False where there were too many groups.
    """

    sets: tuple[tuple[str, ...], ...]
    smallest: bool
    merges: tuple[Merge, ...] = ()
    merges_tried: bool = True


def find_causes(X: NDArray[Any], suspects: Sequence[Term], decide: Decide, work: float) -> Causes:
    """Find the causes of a separation of X (n, d).

    ``suspects`` are the terms that may have to go: those with an infinite estimate, and all of them where columns are
    aliased. ``decide`` takes the columns that are left and returns None if they overlap, else the support (k,) of a
    direction that separates; ``work`` is that of one verdict.
    """
    affordable = int(MAX_WORK / max(1.0, work))
    search = _Search(X, decide, min(MAX_VERDICTS, affordable))
    found = _smallest_sets(search, list(suspects))
    smallest = found is not None
    if found is None and len(suspects) > affordable:
        return Causes((), False, merges_tried=False)
    if found is None:
        found = [_minimal_set(search, list(suspects))]
    search.left = min(MERGE_VERDICTS, affordable)
    merges, tried = _merges(search, [t for t in suspects if t.levels and not t.crossed])
    return Causes(tuple(tuple(t.name for t in group) for group in found), smallest, tuple(merges), tried)


class _Search:
    def __init__(self, X: NDArray[Any], decide: Decide, verdicts: int) -> None:
        self.X, self.decide, self.left = X, decide, verdicts

    def support_without(self, group: Sequence[Term]) -> frozenset[int] | None:
        """Support, in columns of X, of a direction that still separates without the terms; None if there is none."""
        self.left -= 1
        gone = {c for term in group for c in term.columns}
        kept = np.array([c for c in range(self.X.shape[1]) if c not in gone], dtype=np.intp)
        support = self.decide(self.X[:, kept])
        return None if support is None else frozenset(kept[support].tolist())


def _smallest_sets(search: _Search, suspects: list[Term]) -> list[tuple[Term, ...]] | None:
    """All sets of fewest terms that end the separation; None where that takes too many verdicts."""
    supports: list[frozenset[int]] = []
    for size in range(1, len(suspects) + 1):
        found = []
        for group in combinations(suspects, size):
            columns = {c for term in group for c in term.columns}
            if any(support.isdisjoint(columns) for support in supports):
                continue
            if search.left <= 0:
                return None
            support = search.support_without(group)
            if support is None:
                found.append(group)
            else:
                supports.append(support)
        if found:
            return found
    return [tuple(suspects)]


def _minimal_set(search: _Search, suspects: list[Term]) -> tuple[Term, ...]:
    """One set of which no term can be spared: all suspects, from which those are taken back that may stay."""
    group = list(suspects)
    for term in suspects:
        rest = [other for other in group if other is not term]
        if search.support_without(rest) is None:
            group = rest
    return tuple(group)


def _merges(search: _Search, categories: Sequence[Term]) -> tuple[list[Merge], bool]:
    """The smallest groups of levels of one category whose merging into one ends the separation."""
    found, tried = [], True
    for term in categories:
        levels = [*term.levels, *([term.reference] if term.reference is not None else [])]
        for size in range(2, len(levels)):  # all of them as one would be no category
            groups = list(combinations(range(len(levels)), size))
            if len(groups) > search.left:
                tried = False
                break
            search.left -= len(groups)
            ends = [group for group in groups if search.decide(_merged(search.X, term, group)) is None]
            found += [Merge(term.name, tuple(levels[k] for k in group)) for group in ends]
            if ends:
                break
    return found, tried


def _merged(X: NDArray[Any], term: Term, group: tuple[int, ...]) -> NDArray[Any]:
    """X with some levels of a category made one; the level after the last column is the reference."""
    columns = [term.columns[k] for k in group if k < len(term.columns)]
    if len(columns) < len(group):
        return np.delete(X, columns, axis=1)
    out = X.copy()
    out[:, columns[0]] = X[:, columns].sum(axis=1)
    return np.delete(out, columns[1:], axis=1)
