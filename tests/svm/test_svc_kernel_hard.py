"""The hard margin in the space of a kernel: margins known by hand, contradictions proved exactly.

Tests `separability/kernel_contradiction.py`.
"""

from __future__ import annotations

from math import exp, inf, sqrt
from typing import Any

import numpy as np
import pytest

from separatrix import SVC, InseparableError, kernels, verify

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
SIDES = np.array([0, 0, 1, 1])
RNG = np.random.default_rng(5)


def test_xor_by_hand() -> None:
    """By symmetry all alphas are equal: alpha = 1 / (1 + e^-2g - 2 e^-g), and ||w||^2 = 4 alpha."""
    gamma = 0.7
    alpha = 1.0 / (1.0 + exp(-2 * gamma) - 2 * exp(-gamma))
    model = SVC(inf, kernel="rbf", gamma=gamma).fit(XOR, SIDES)
    np.testing.assert_allclose(model.alpha_, alpha, rtol=1e-9)
    assert model.margin_ == pytest.approx(1 / sqrt(4 * alpha), rel=1e-9)
    assert model.gap_ <= 1e-9
    assert model.C_hard_ == pytest.approx(alpha, rel=1e-6)
    assert model.predict(XOR).tolist() == SIDES.tolist()
    soft = SVC(1.001 * model.C_hard_, kernel="rbf", gamma=gamma).fit(XOR, SIDES)
    assert soft.margin_ == pytest.approx(model.margin_, rel=1e-9)


@pytest.mark.parametrize("kernel", [kernels.Rbf(1.0), kernels.Poly(2, 1.0, 1.0), kernels.Laplacian(1.0)])
@pytest.mark.parametrize("bias", ["free", "none"])
def test_circles_are_separated_and_both_checks_agree(kernel: Any, bias: str) -> None:
    rows = RNG.normal(size=(80, 2))
    y = (np.sum(rows**2, axis=1) > 1.3).astype(int)
    weights = (np.arange(80) > 4).astype(float)  # rows of weight zero take no part
    y[:5] = 1 - y[:5]
    model = SVC(inf, kernel=kernel, bias=bias).fit(rows, y, sample_weight=weights)
    assert model.gap_ <= 1e-9
    assert np.array_equal(model.predict(rows[5:]), y[5:])
    answer = verify(model.certificate_, rows, y, exact=True)
    assert answer, answer.reason
    assert answer.gap < 1e-6
    # A claim that was made exactly may be too sharp for floating point, which then says so.
    floats = verify(model.certificate_, rows, y, exact=False)
    assert floats or "not the claimed one" in floats.reason


def test_equal_rows_contradict_each_other_in_every_kernel() -> None:
    rows = np.vstack([XOR, [[0.0, 1.0]]])
    y = [*SIDES, 0]
    with pytest.raises(InseparableError, match="space of the rbf kernel") as caught:
        SVC(inf, kernel="rbf").fit(rows, y)
    assert caught.value.rows.tolist() == [2, 4]
    assert sum(caught.value.weights) == 1
    assert verify(caught.value.certificate, rows, y)
    assert verify(caught.value.certificate, rows, y, exact=True)


@pytest.mark.parametrize("bias", ["free", "none"])
@pytest.mark.parametrize(
    "kernel", [kernels.Poly(2, 0.5, 1.0), 3 * kernels.Linear() + kernels.Poly(2), "precomputed"]
)
def test_a_singular_matrix_gives_an_exact_contradiction(kernel: Any, bias: str) -> None:
    rows: Any = RNG.permutation(np.unique(RNG.integers(-99, 100, size=(60, 2)), axis=0)) / 4.0
    y = np.arange(len(rows)) % 2
    if kernel == "precomputed":
        rows = rows @ rows.T
    with pytest.raises(InseparableError) as caught:
        SVC(inf, kernel=kernel, bias=bias).fit(rows, y)
    certificate, weights = caught.value.certificate, np.array([float(w) for w in caught.value.weights])
    assert min(weights) > 0
    assert verify(certificate, rows, y)
    circuit = certificate.proof["circuit"]
    wrong = {**circuit, "values": [hex(int(circuit["values"][0], 16) + 1), *circuit["values"][1:]]}
    changed = type(certificate)(
        certificate.kind, certificate.claim, certificate.data, certificate.problem, {"circuit": wrong}
    )
    assert not verify(changed, rows, y)


def test_too_many_rows_are_refused_with_a_hint() -> None:
    with pytest.raises(ValueError, match="at most 3000 rows"):
        SVC(inf, kernel="rbf").fit(RNG.normal(size=(3001, 2)), np.arange(3001) % 2)
