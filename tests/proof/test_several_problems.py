"""Values of several problems on the same rows agree with those of each problem on its own, whatever the alphas."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.problem import LOSSES, Point
from separatrix.problem.kernel_values import whole_gram
from separatrix.problem.kernels import Laplacian, Linear, Poly, Rbf, Sigmoid
from separatrix.problem.problem import ProblemSet
from separatrix.proof.duality import certify, certify_together


def problem_set(seed, loss="hinge", bias="free", kernel=None, k=3, n=14, d=3):
    """k problems on n rows; some rows take no part, and all costs differ. Both classes are there."""
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1, 0, 1], (k, n)).astype(np.int8)
    signs[:, 0], signs[:, 1] = 1, -1
    C = np.abs(signs) * rng.uniform(0.1, 5.0, (k, n))
    return ProblemSet(rng.normal(size=(n, d)), signs, C, LOSSES[loss], bias, kernel)


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    loss=st.sampled_from(["hinge", "squared_hinge"]),
    bias=st.sampled_from(["free", "augmented", "none"]),
    kernel=st.sampled_from([None, Rbf(0.5), Poly(2, 1.0, 1.0)]),
    given_planes=st.booleans(),
)
def test_the_values_of_each_problem_are_those_of_its_own_proof(seed, loss, bias, kernel, given_planes):
    problems = problem_set(seed, loss, bias, kernel)
    rng = np.random.default_rng(seed + 1)
    alpha = rng.uniform(-0.2, 1.2, problems.C.shape) * problems.C
    planes = (rng.normal(size=(3, 3)), rng.normal(size=3)) if given_planes and kernel is None else None
    K = None if kernel is None else whole_gram(problems.X, kernel)
    found = certify_together(problems, alpha, planes, K)
    for i in range(len(problems)):
        rows, w, b = problems.rows(i), None, None
        if planes is not None:
            w, b = planes[0][i], float(planes[1][i])
        # Balancing may take another way; from a balanced point both begin alike.
        own = certify(problems[i], Point(found.alpha[i, rows], w, b if bias == "augmented" else None))
        assert found.dual[i] == pytest.approx(own.dual, rel=1e-9, abs=1e-9)
        assert found.primal[i] == pytest.approx(own.primal, rel=1e-9, abs=1e-9)
        np.testing.assert_array_equal(own.alpha, found.alpha[i, rows])
        np.testing.assert_array_equal(np.delete(found.alpha[i], rows), 0.0)
        if bias == "free":
            assert sum(map(Fraction, (found.alpha[i] * problems.signs[i]).tolist())) == 0
            np.testing.assert_allclose(found.intervals[i], own.interval, atol=1e-9)


def test_alphas_and_planes_that_are_no_numbers_count_as_not_proposed():
    problems = problem_set(5)
    found = certify_together(
        problems, np.full(problems.C.shape, np.nan), (np.full((3, 3), np.inf), np.zeros(3))
    )
    assert found.dual == [0.0, 0.0, 0.0]
    assert not found.alpha.any()
    assert not found.w.any()
    assert found.gap == [1.0, 1.0, 1.0]


def test_values_beyond_the_range_of_floats_are_within_no_tolerance():
    signs = np.array([[1, -1]], dtype=np.int8)
    far = ProblemSet(np.array([[1e200], [3e200]]), signs, np.ones((1, 2)), LOSSES["hinge"], "none")
    with np.errstate(all="ignore"):
        found = certify_together(far, np.ones((1, 2)))
    assert not found.gap[0] <= 1e300


@pytest.mark.parametrize("kernel", [Linear(), Rbf(0.3), Poly(3, 0.5, 1.0), Sigmoid(0.1), Laplacian(0.2)])
@pytest.mark.parametrize("n", [1, 5, 700])
def test_half_of_a_kernel_matrix_is_enough(kernel, n):
    X = np.random.default_rng(n).normal(size=(n, 4))
    np.testing.assert_allclose(whole_gram(X, kernel), kernel.matrix(X, X), rtol=1e-12, atol=1e-12)
