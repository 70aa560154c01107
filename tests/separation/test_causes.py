"""Causes of a separation against all subsets, in fractions; merges of levels; where the search gives up.

Tests `separability/causes.py`.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from separability.exact_oracle import tied_rows
from separability.small_data import KINDS, small_problem
from separatrix import check_separation, separability
from separatrix.separability import causes as causes_module
from separatrix.separability.causes import find_causes
from separatrix.separability.terms import Term


def overlaps(X: np.ndarray, y: np.ndarray, bias: bool) -> bool:
    if not X.shape[1]:
        return True  # the intercept alone separates nothing once both classes are there
    return len(tied_rows(X, y, bias)) == len(X)


def all_smallest_sets(X: np.ndarray, y: np.ndarray, bias: bool) -> set[tuple[int, ...]]:
    d = X.shape[1]
    for size in range(1, d + 1):
        found = {
            group for group in combinations(range(d), size) if overlaps(np.delete(X, group, axis=1), y, bias)
        }
        if found:
            return found
    return set()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("columns", "rows", "entries")])
def test_smallest_sets_are_those_of_all_subsets(kind):
    generator = np.random.default_rng(11)
    compared = 0
    for _ in range(60):
        X, y, bias = small_problem(generator, kind)
        answer = separability(X, y, bias)
        if answer.verdict == "inseparable":
            assert answer.causes is None
            continue
        found = answer.causes
        assert found.smallest
        numbered = {tuple(int(name[1:]) - 1 for name in group) for group in found.sets}
        assert numbered == all_smallest_sets(X, y, bias)
        compared += 1
    assert compared >= 10


@pytest.mark.parametrize("classes", ["joint", "ordinal"])
def test_many_classes_have_causes_that_end_the_separation_and_no_smaller_ones(classes):
    generator = np.random.default_rng(12)
    compared = 0
    for _ in range(30 if classes == "joint" else 80):
        X = generator.integers(-2, 3, size=(7, 3)).astype(float)
        y = np.r_[0, 1, 2, generator.integers(0, 3, 4)]
        answer = separability(X, y, classes=classes)
        if answer.verdict == "inseparable":
            continue
        ends = {
            size: {
                group
                for group in combinations(range(3), size)
                if size == 3
                or separability(np.delete(X, group, axis=1), y, classes=classes).verdict == "inseparable"
            }
            for size in (1, 2, 3)
        }
        least = min(size for size, groups in ends.items() if groups)
        assert {tuple(int(name[1:]) - 1 for name in group) for group in answer.causes.sets} == ends[least]
        compared += 1
    assert compared >= 10


def rare_level(levels: str, deaths: dict[str, list[int]]) -> pd.DataFrame:
    rows = [(level, died) for level in levels for died in deaths[level]]
    return pd.DataFrame(rows, columns=["ward", "died"])


def test_merging_a_rare_level_with_any_other_ends_the_separation():
    data = rare_level("abcd", {"a": [0, 1], "b": [0, 1, 1], "c": [1, 0], "d": [1, 1]})
    answer = check_separation("died ~ C(ward)", data)
    assert {frozenset(merge.levels) for merge in answer.causes.merges} == {
        frozenset(pair) for pair in ("da", "db", "dc")
    }


def test_merges_are_those_that_end_it_and_no_others():
    """Against re-coding the data, for every pair of levels and every pattern of one-sided levels."""
    for pattern in product([[0, 1], [1, 1], [0, 0]], repeat=3):
        data = rare_level("abc", dict(zip("abc", pattern, strict=True)))
        if data.died.nunique() < 2:
            continue
        answer = check_separation("died ~ C(ward)", data)
        if answer.causes is None:
            continue
        expected = set()
        for a, b in combinations("abc", 2):
            merged = data.assign(ward=data.ward.replace({b: a}))
            if check_separation("died ~ C(ward)", merged).verdict == "inseparable":
                expected.add(frozenset((a, b)))
        assert {frozenset(merge.levels) for merge in answer.causes.merges} == expected


def test_levels_that_take_part_in_interactions_are_not_merged():
    data = rare_level("abc", {"a": [0, 1], "b": [0, 1], "c": [1, 1]}).assign(x=[0, 0, 1, 1, 0, 1])
    answer = check_separation("died ~ C(ward) * x", data)
    assert answer.verdict != "inseparable"
    assert answer.causes.merges == ()


def test_two_duplicated_columns_must_go_together():
    X = np.array([[0, 0, 1], [0, 0, 2], [0, 0, 3], [1, 1, 1], [1, 1, 2]], dtype=float)
    answer = separability(X, [0, 1, 0, 1, 1])
    assert answer.estimates["x2"] == "aliased"
    assert answer.causes.sets == (("x1", "x2"),)


def test_beyond_the_budget_a_set_is_minimal_and_said_to_be_heuristic(monkeypatch):
    monkeypatch.setattr(causes_module, "MAX_VERDICTS", 3)
    X = np.eye(6)[[0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]]
    y = np.array([1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1])
    answer = separability(X, y, bias=False)
    (group,) = answer.causes.sets
    assert not answer.causes.smallest
    assert set(group) == {"x1", "x2", "x3", "x4"}
    assert "heuristic" in answer.summary()
    monkeypatch.setattr(causes_module, "MAX_WORK", 10.0)
    skipped = separability(X, y, bias=False)
    assert skipped.causes.sets == ()
    assert "Not sought" in skipped.summary()


def test_supports_spare_verdicts():
    """Each failure names a direction, so sets that miss it are not tried."""
    asked = []

    def decide(X):
        asked.append(X.shape[1])
        still = X[0] == 1.0  # the first row marks the columns that separate
        return still if still.any() else None

    X = np.array([[1.0, 1.0, 0.0, 0.0, 0.0, 0.0]])
    terms = [Term(f"x{j}", (j,)) for j in range(6)]
    found = find_causes(X, terms, decide, 1.0)
    assert found.sets == (("x0", "x1"),)
    assert len(asked) <= 3
