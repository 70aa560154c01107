"""Verdicts on a store: the same as on arrays, without copies of many of its rows; refused where they cannot fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import separatrix.memory
from separatrix import separability, verify
from separatrix.problem import is_mapped
from separatrix.proof.signed_rows import SignedRows


def mapped(array: np.ndarray, path: Path) -> Any:
    """The array in a mapped file."""
    np.save(path, array)
    return np.load(path, mmap_mode="r").view(np.ndarray)


def mapped_csr(X: np.ndarray, folder: Path) -> Any:
    plain = sparse.csr_array(X)
    out = sparse.csr_array(plain.shape, dtype=plain.dtype)
    for name in ("data", "indices", "indptr"):
        setattr(out, name, mapped(getattr(plain, name), folder / f"{name}.npy"))
    assert is_mapped(out)
    return out


def random_rows(kind: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (60, 6)) * (rng.random((60, 6)) < 0.5).astype(float)
    y = np.where(X @ np.array([4.0, 2, 1, 0, 0, 0]) > 0, 1, -1)
    if kind == "layers":  # a column of one sign, and one more behind it
        X[:, 5] = np.where(rng.random(60) < 0.5, y, 0)
        X[:, 4] = np.where(X[:, 5] == 0, 2 * y, rng.integers(-1, 2, 60))
    if kind == "noise":
        y[::7] *= -1
    return X, y


@pytest.mark.parametrize("kind", ["layers", "noise", "plain"])
@pytest.mark.parametrize("seed", range(4))
def test_the_verdict_is_that_of_arrays(tmp_path: Path, kind: str, seed: int) -> None:
    X, y = random_rows(kind, seed)
    plain = separability(sparse.csr_array(X), y)
    stored = separability(mapped_csr(X, tmp_path), y)
    assert stored.verdict == plain.verdict == separability(mapped(X, tmp_path / "X.npy"), y).verdict
    assert np.array_equal(stored.tied, plain.tied)
    assert verify(stored.certificate, X, y, exact=True)


def test_many_rows_of_a_store_are_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = random_rows("noise", 0)
    plain, stored = (
        SignedRows(form, y.astype(float), True) for form in (sparse.csr_array(X), mapped_csr(X, tmp_path))
    )
    most, z = np.arange(3, 60), np.arange(1.0, 8.0)
    expected = plain.products(z, most), plain.total(most)
    monkeypatch.setattr(sparse.csr_array, "__getitem__", None)
    assert np.array_equal(stored.products(z, most), expected[0])
    total, exponents = stored.total(most)
    assert total == expected[1][0]
    assert np.array_equal(exponents, expected[1][1])


def test_a_verdict_that_does_not_fit_is_refused_before_it_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = random_rows("noise", 1)
    monkeypatch.setattr(separatrix.memory, "available_memory", lambda: 100.0)
    monkeypatch.setattr(separatrix.memory, "_TRIFLE", 0)
    with pytest.raises(MemoryError, match=r"The exact verdict on 7 columns needs about .* MB of memory"):
        separability(X, y)
