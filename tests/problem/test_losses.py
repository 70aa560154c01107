"""Losses: the dual term is the conjugate, and the bounds of alpha."""

import numpy as np
import pytest

from separatrix.problem import HINGE, LOSSES, SQUARED_HINGE


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_dual_term_is_the_conjugate_of_the_loss(loss):
    """C loss(m) >= dual_term(alpha) - alpha m for every m (Fenchel-Young), with equality for the best m."""
    C = np.array([0.3, 1.0, 20.0])
    margins = np.arange(-200 * 64, 5 * 64) / 64
    for share in (0.0, 0.1, 0.7, 1.0):
        alpha = share * C
        for c, a in zip(C, alpha, strict=True):
            lower = np.min(c * loss.values(margins) + a * margins)
            term = loss.dual_total(np.array([a]), np.array([c]))
            assert lower >= term - 1e-12
            assert lower == pytest.approx(term, abs=1e-3)


def test_upper_bounds():
    C = np.array([1.0, 2.0])
    np.testing.assert_array_equal(HINGE.upper(C), C)
    assert np.all(np.isinf(SQUARED_HINGE.upper(C)))
