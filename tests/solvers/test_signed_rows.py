"""Products with A in every storage agree with the dense definition."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from separatrix import _core
from separatrix.problem import HINGE, Problem
from separatrix.solvers.compiled import compiled_rows
from separatrix.solvers.interior_point.normal_equations import GramSide, PrimalSide, scaled_cholesky
from separatrix.solvers.interior_point.signed_rows import PairProducts, SignedRows, pair_count
from separatrix.solvers.interior_point.tuning import RowTuning
from separatrix.threads import fit_threads

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles import signed_rows

BIASES = ("none", "augmented", "free")


def problem(kind: str, bias: str, n: int = 300, d: int = 12) -> Problem:
    rng = np.random.default_rng(7)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.1)
    X = X.astype(np.float32) if kind.endswith("32") else X
    data = sparse.csr_array(X) if kind.startswith("csr") else X
    return Problem(data, np.where(rng.random(n) < 0.5, 1.0, -1.0), np.ones(n), HINGE, bias)  # type: ignore[arg-type]


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("kind", ["dense64", "dense32", "csr64", "csr32"])
@pytest.mark.parametrize("form", ["copied", "streamed", "dense blocks", "by SYRK"])
def test_products(form: str, kind: str, bias: str) -> None:
    tuning = {
        "copied": RowTuning(),
        "streamed": RowTuning(copied_bytes=0),
        "dense blocks": RowTuning(pair_cost=1e9),
        "by SYRK": RowTuning(pair_cost=1e9, few_columns=0),
    }[form]
    given = problem(kind, bias)
    rows, A = SignedRows(given, tuning=tuning), signed_rows(given)
    rng = np.random.default_rng(1)
    z, c, theta = rng.standard_normal(rows.D), rng.standard_normal(rows.n), rng.random(rows.n)
    np.testing.assert_allclose(rows.margins(z), A @ z, atol=1e-12)
    np.testing.assert_allclose(rows.pull(c), A.T @ c, atol=1e-12)
    M = np.diag(rows.R) + A.T @ (theta[:, None] * A)
    np.testing.assert_allclose(np.tril(rows.normal_matrix(theta)), np.tril(M), atol=1e-12)
    some = np.array([5, 0, 17])
    np.testing.assert_allclose(rows.take(some), A[some])
    inner = A[:, :-1] if bias == "free" else A
    np.testing.assert_allclose(rows.gram(), inner @ inner.T, atol=1e-12)
    C, slack, active = rng.random(rows.n) + 0.1, rng.standard_normal(rows.n), rng.random(rows.n) < 0.5
    before = np.asfortranarray(np.tril(np.diag(rows.R) + 2.0 * A.T @ ((C * active)[:, None] * A)))
    after = np.diag(rows.R) + 2.0 * A.T @ ((C * (slack > 0))[:, None] * A)
    moved = rows.move_normal_matrix(before, C, slack, active)
    np.testing.assert_allclose(np.tril(moved), np.tril(after), atol=1e-11)
    np.testing.assert_array_equal(active, slack > 0)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("kind", ["dense64", "dense32", "csr64", "csr32"])
def test_the_squared_hinge_in_one_pass(kind: str, bias: str, n_threads: int) -> None:
    given = problem(
        kind, bias, n=9503
    )  # read in two parts, by more than one thread, no whole block at the end
    rows, A = SignedRows(given, tuning=RowTuning(span=9000)), signed_rows(given)
    rng = np.random.default_rng(1)
    z, C, slack = rng.standard_normal(rows.D), rng.random(rows.n), np.full(rows.n, np.nan)
    with fit_threads(n_threads):
        loss, total, v = rows.squared_hinge(z, C, slack)
    expected = 1.0 - A @ z
    alpha = 2.0 * C * np.maximum(0.0, expected)
    np.testing.assert_allclose(slack, expected, atol=1e-12)
    np.testing.assert_allclose(v, A.T @ alpha, rtol=1e-11, atol=1e-9)
    assert loss == pytest.approx(np.sum(C * np.maximum(0.0, expected) ** 2), rel=1e-12)
    assert total == pytest.approx(np.sum(alpha), rel=1e-12)


def test_an_overflow_is_not_a_row_without_loss() -> None:
    slack, v = np.empty(3), np.zeros(1)
    rows = compiled_rows(np.array([[1e308], [-1e308], [1.0]]))
    loss, _ = rows.squared_hinge(np.ones(3), np.ones(3), np.array([np.nan]), slack, v, ones=False)
    assert np.isnan(loss)
    assert np.isnan(v[0])


@pytest.mark.parametrize("n", [1, 7, 8, 9, 1000])
def test_slope_between_two_points(n: int) -> None:
    rng = np.random.default_rng(n)
    C, before, after, t = rng.random(n), rng.standard_normal(n), rng.standard_normal(n), 0.3
    change, left = after - before, before + t * (after - before)
    slope, curvature = _core.squared_hinge_slope(C, before, after, t)
    assert slope == pytest.approx(2.0 * float(C @ (change * np.maximum(0.0, left))), rel=1e-12)
    assert curvature == pytest.approx(2.0 * float(C @ (change**2 * (left > 0))), rel=1e-12)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("d", [1, 3, 4, 7, 8, 9, 31, 127, 128, 129])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_normal_matrices_of_every_width(dtype: type, d: int, n_threads: int) -> None:
    rng, n = np.random.default_rng(d), 9001
    X = rng.standard_normal((n, d)).astype(dtype)
    given = Problem(X, np.where(rng.random(n) < 0.5, 1.0, -1.0), np.ones(n), HINGE, "free")
    rows = SignedRows(given, in_place=True, tuning=RowTuning(span=4500))
    A = signed_rows(given)
    theta, slack, active = rng.random(n), rng.standard_normal(n), np.zeros(n, dtype=bool)
    with fit_threads(n_threads):
        M = rows.normal_matrix(theta)
        moved = rows.move_normal_matrix(np.diag(rows.R).copy(order="F"), 0.5 * theta, slack, active)
    expected = np.diag(rows.R) + A.T @ (theta[:, None] * A)
    np.testing.assert_allclose(np.tril(M), np.tril(expected), atol=1e-9)
    on = slack > 0
    expected = np.diag(rows.R) + A[on].T @ (theta[on, None] * A[on])
    np.testing.assert_allclose(np.tril(moved), np.tril(expected), atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_core_refuses_products_it_is_not_made_for(dtype: type) -> None:
    rows, M = compiled_rows(np.ones((4, 3), dtype=dtype)), np.zeros((3, 3), order="F")
    with pytest.raises(IndexError, match="There are 4 rows; got a range of"):
        rows.add_normal_matrix(np.ones(5), M, ones=False)
    with pytest.raises(ValueError, match="active must have length 4"):
        rows.move_normal_matrix(np.ones(4), np.ones(4), np.zeros(3, dtype=bool), M, ones=False)
    with pytest.raises(ValueError, match="w must have length 4"):
        rows.squared_hinge(np.ones(4), np.ones(4), np.ones(3), np.ones(4), np.zeros(4), ones=True)
    with pytest.raises(ValueError, match="must have length 4"):
        rows.add_normal_matrix(np.ones(4), M, ones=True)
    wide = compiled_rows(np.ones((2, 129), dtype=dtype))
    with pytest.raises(ValueError, match="at most 128 columns; got 129"):
        wide.add_normal_matrix(np.ones(2), np.zeros((129, 129), order="F"), ones=False)
    with pytest.raises(ValueError, match="dense"):
        compiled_rows(sparse.csr_array(np.eye(3, dtype=dtype))).add_normal_matrix(np.ones(3), M, ones=False)


@dataclass(frozen=True, eq=False)
class Given:
    """A right-hand side that is known for all rows."""

    theta: np.ndarray
    g: np.ndarray

    def plain(self) -> np.ndarray:
        return self.g

    def weighted(self, span: slice, less: np.ndarray) -> np.ndarray:
        return self.theta[span] * (self.g[span] - less)


@pytest.mark.parametrize("in_place", [False, True])
def test_spans_of_rows_make_up_the_whole(in_place: bool) -> None:
    for kind in ("dense64", "dense32", "csr64", "csr32"):
        given = problem(kind, "free", n=20)
        rows, A = SignedRows(given, in_place=in_place, tuning=RowTuning(span=7)), signed_rows(given)
        z, c = np.arange(1.0, rows.D + 1.0), np.linspace(-1.0, 1.0, 20)
        assert [span.stop for span in rows.spans] == [7, 14, 20]
        np.testing.assert_allclose(
            np.concatenate([rows.margins(z, span) for span in rows.spans]), A @ z, atol=1e-12
        )
        np.testing.assert_allclose(sum(rows.pull(c[span], span) for span in rows.spans), A.T @ c, atol=1e-12)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("n", [8, 60], ids=["more columns", "more rows"])
def test_both_sides_solve_the_system(n: int, bias: str) -> None:
    given = problem("dense64", bias, n=n)
    rows, A = SignedRows(given), signed_rows(given)
    rng = np.random.default_rng(2)
    theta, p, g = rng.random(n) + 0.1, rng.standard_normal(rows.D), rng.standard_normal(n)
    for side in (PrimalSide(rows), GramSide(rows)):
        side.factor(theta)
        da = np.empty(n)
        dz = side.solve(p, Given(theta, g), da)
        np.testing.assert_allclose(rows.R * dz - A.T @ da, p, atol=1e-9)
        np.testing.assert_allclose(A @ dz + da / theta, g, atol=1e-9)


def test_cholesky_of_a_singular_matrix_is_regularised() -> None:
    L, s = scaled_cholesky(np.ones((3, 3), order="F"))
    np.testing.assert_allclose(np.tril(L) @ np.tril(L).T, np.ones((3, 3)), atol=1e-6)
    np.testing.assert_allclose(s, 1.0)


def test_cholesky_refuses_what_is_not_finite() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        scaled_cholesky(np.full((2, 2), np.nan, order="F"))


def test_pairs_of_an_empty_row() -> None:
    A = sparse.csr_array(np.array([[0.0, 0.0], [1.0, 2.0]]))
    assert pair_count(A.indptr) == 3
    np.testing.assert_array_equal(PairProducts(A).weighted(np.array([5.0, 1.0])), [[1.0, 0.0], [2.0, 4.0]])
