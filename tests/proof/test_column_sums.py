"""Exact sums of columns, block by block."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from separatrix.problem import rows
from separatrix.proof.sums import exact_column_sums


@pytest.mark.parametrize("entries", [7, 1 << 18])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_sums_over_all_exponents_are_exact(monkeypatch: pytest.MonkeyPatch, form, entries: int) -> None:
    monkeypatch.setattr(rows, "_BLOCK_ENTRIES", entries)
    monkeypatch.setattr(rows, "_REUSED_ENTRIES", entries)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) * 10.0 ** rng.integers(-320, 280, (60, 4)) * (rng.random((60, 4)) < 0.7)
    signs = rng.choice([-1.0, 0.0, 1.0], 60)
    expected = [
        sum(Fraction(x) * int(s) for x, s in zip(column, signs, strict=True)) for column in X.T.tolist()
    ]
    assert exact_column_sums(form(X), signs) == expected


def test_numbers_too_large_for_the_method_are_left_to_integers() -> None:
    X = sparse.csr_array(np.array([[1e308], [1.0]]))
    assert exact_column_sums(X, np.ones(2)) is None
