"""Two fits without a random_state give the same digits.

Before, coordinate descent drew its seed from NumPy's global generator, and coef_ of two fits differed by 0.027.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import separatrix as sx

RNG = np.random.default_rng(0)
ROWS = sparse.random_array((3000, 400), density=0.05, rng=RNG, format="csr")
LABELS = np.where(ROWS @ RNG.normal(size=400) + 0.3 * RNG.normal(size=3000) > 0, 1, 0)


@pytest.mark.parametrize(
    "options", [{}, {"scaling": "standard"}, {"bias": "augmented"}, {"loss": "squared_hinge"}]
)
def test_two_fits_are_the_same(options):
    models = [sx.SVC(solver="coordinate-descent", **options).fit(ROWS, LABELS) for _ in range(2)]
    np.random.random(7)  # the global generator has no say
    models.append(sx.SVC(solver="coordinate-descent", **options).fit(ROWS, LABELS))
    for other in models[1:]:
        assert models[0].coef_.tobytes() == other.coef_.tobytes()
        assert models[0].intercept_.tobytes() == other.intercept_.tobytes()
    assert models[0].certificate_ == models[1].certificate_
    seeded = [
        sx.SVC(solver="coordinate-descent", random_state=seed, **options).fit(ROWS, LABELS) for seed in (1, 2)
    ]
    assert seeded[0].coef_.tobytes() != seeded[1].coef_.tobytes(), (
        "the order of the rows matters in these fits"
    )


def test_two_selections_are_the_same():
    chosen = [sx.SVCCV(Cs=[0.1, 1.0], cv=3).fit(ROWS, LABELS) for _ in range(2)]
    assert np.array_equal(chosen[0].scores_, chosen[1].scores_)
    assert chosen[0].best_estimator_.coef_.tobytes() == chosen[1].best_estimator_.coef_.tobytes()
