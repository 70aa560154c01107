"""Both spaces answer alike, and the matrix that few rows keep is that of their kernel.

Tests `problem/spaces.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from separatrix.problem import HINGE, KernelSpace, LinearSpace, Problem
from separatrix.problem.kernel_values import gram, kernel_sums
from separatrix.problem.kernels import Function, Laplacian, Linear, Poly, Precomputed, Rbf


def problem_of(X, kernel) -> Problem:
    n = X.shape[0]
    return Problem(X, np.where(np.arange(n) % 2 == 0, 1.0, -1.0), np.ones(n), HINGE, "free", kernel)


@pytest.mark.parametrize(
    "kernel", [Linear(), Rbf(0.1), Poly(3, 0.1, 1.0), Laplacian(0.2)], ids=lambda k: k.name
)
@pytest.mark.parametrize("layout", ["dense", "float32", "csr"])
def test_it_answers_as_the_rows_do(kernel, layout) -> None:
    rng = np.random.default_rng(3)
    X = np.round(rng.standard_normal((40, 64)), 1)
    X = {"dense": X, "float32": X.astype(np.float32), "csr": sparse.csr_array(X)}[layout]
    problem = problem_of(X, kernel)
    rows, others, c = np.array([3, 1, 30]), np.array([0, 39]), rng.standard_normal(40)
    assert problem.space.matrix is not None
    np.testing.assert_allclose(
        problem.space.gram(rows, others), gram(X, kernel, rows, others), rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(
        problem.space.gram(slice(None), others), gram(X, kernel, slice(None), others), rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(problem.space.combine(c), kernel_sums(X, kernel, c), rtol=1e-11, atol=1e-11)


def test_it_is_computed_once_and_cannot_be_changed() -> None:
    problem = problem_of(np.random.default_rng(0).standard_normal((20, 64)), Rbf(1.0))
    assert problem.space.matrix is problem.space.matrix
    with pytest.raises(ValueError, match="read-only"):
        problem.space.matrix[0, 0] = 2.0


@pytest.mark.parametrize(
    ("shape", "kept"), [((20, 2), False), ((200, 63), False), ((200, 64), True), ((400, 64), False)]
)
def test_it_is_kept_where_rows_are_few_and_dear(shape, kept) -> None:
    problem = problem_of(np.ones(shape), Linear())
    assert (problem.space.matrix is not None) == kept


def test_a_matrix_that_was_given_is_not_copied() -> None:
    assert problem_of(np.eye(5), Precomputed()).space.matrix is None


def test_some_rows_have_a_matrix_of_their_own() -> None:
    problem = problem_of(np.random.default_rng(1).standard_normal((30, 64)), Rbf(0.5))
    part = problem.take(np.array([4, 7, 9]))
    np.testing.assert_allclose(
        part.space.matrix, problem.space.matrix[np.ix_([4, 7, 9], [4, 7, 9])], rtol=1e-12
    )


def test_an_array_that_a_function_returns_stays_writeable() -> None:
    own = np.eye(4)
    assert problem_of(np.ones((4, 2)), Function(lambda A, B: own)).space.matrix is not None
    own[0, 0] = 2.0


@pytest.mark.parametrize("layout", ["dense", "float32", "csr"])
@pytest.mark.parametrize("shape", [(50,), (50, 3)], ids=["one vector", "several"])
def test_the_linear_kernel_gives_the_space_of_the_columns(layout, shape) -> None:
    rng = np.random.default_rng(5)
    X = np.round(rng.standard_normal((50, 7)), 1)
    X = {"dense": X, "float32": X.astype(np.float32), "csr": sparse.csr_array(X)}[layout]
    flat, lifted = LinearSpace(X), KernelSpace(X, Linear())
    c = rng.standard_normal(shape)
    c[::4] = 0.0
    w, F = flat.combine(c), lifted.combine(c)
    np.testing.assert_allclose(flat.products(w), lifted.products(F), rtol=1e-6, atol=1e-6)
    assert flat.square(c, w) == pytest.approx(lifted.square(c, F), rel=1e-6)
    assert flat.vector(w) is w
    assert lifted.vector(F) is None
    rows, others = np.array([3, 9]), np.array([0, 11, 12])
    np.testing.assert_allclose(flat.gram(rows, others), lifted.gram(rows, others), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(flat.take(rows).combine(c[rows]), flat.combine(_only(c, rows)), atol=1e-6)
    np.testing.assert_allclose(
        lifted.take(rows).combine(c[rows]), lifted.combine(_only(c, rows))[rows], atol=1e-6
    )


def _only(c: np.ndarray, rows: np.ndarray) -> np.ndarray:
    out = np.zeros_like(c)
    out[rows] = c[rows]
    return out


@pytest.mark.parametrize("changed", [0, 1, 40], ids=["nothing", "one row", "most rows"])
@pytest.mark.parametrize("kernel", [None, Rbf(0.3)], ids=["columns", "rbf"])
def test_a_moved_image_is_that_of_the_new_coefficients(changed, kernel) -> None:
    rng = np.random.default_rng(6)
    space = problem_of(rng.standard_normal((50, 4)), kernel).space
    old = rng.standard_normal(50)
    new = old.copy()
    new[:changed] += 1.0
    image = space.combine(old)
    moved = space.moved(image, old, new)
    np.testing.assert_allclose(moved, space.combine(new), rtol=1e-12, atol=1e-12)
    assert (moved is image) == (changed == 0)
