"""Geometry: margins by hand, duality of the two spaces, version spaces against sampling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from separatrix import geometry
from separatrix.geometry import Hyperplane, dual_hyperplane, version_space

small = st.integers(-5, 5).map(float)


def test_margins_by_hand() -> None:
    X, y, w, b = np.array([[2.0, 1.0], [-1.0, -1.0]]), np.array([1.0, -1.0]), np.array([0.0, 2.0]), 1.0
    assert geometry.functional_margins(X, y, w, b).tolist() == [3.0, 1.0]
    assert geometry.geometric_margins(X, y, w, b).tolist() == [1.5, 0.5]
    assert geometry.margin(sparse.csr_array(X), y, w, b) == 0.5
    assert geometry.distance_from_origin(w, b) == -0.5
    assert geometry.slab_width(w) == 1.0
    with pytest.raises(ValueError, match="w must not be zero"):
        geometry.geometric_margins(X, y, np.zeros(2), b)


@given(scale=st.floats(1e-3, 1e3), shift=hnp.arrays(float, 2, elements=small))
def test_geometric_margin_is_invariant(scale: float, shift: np.ndarray) -> None:
    """Scaling (w, b) changes nothing; moving all rows and the boundary together changes nothing."""
    X, y, w, b = np.array([[2.0, 1.0], [-1.0, -1.0]]), np.array([1.0, -1.0]), np.array([1.0, 2.0]), 0.5
    reference = geometry.geometric_margins(X, y, w, b)
    assert np.allclose(geometry.geometric_margins(X, y, scale * w, scale * b), reference)
    assert np.allclose(geometry.geometric_margins(X + shift, y, w, b - w @ shift), reference)


@given(
    w=hnp.arrays(float, 3, elements=small).filter(np.any),
    b=small,
    x=hnp.arrays(float, 3, elements=small),
    y=st.sampled_from([-1.0, 1.0]),
)
def test_duality_keeps_incidence_and_orientation(w: np.ndarray, b: float, x: np.ndarray, y: float) -> None:
    plane = Hyperplane(w, b)
    # The unscaled point: integers, so that incidence is exact.
    point = np.append(w, b)
    assert dual_hyperplane(x, y).side(point) == y * plane.side(x)
    again = Hyperplane.from_point(plane.to_point())
    assert np.allclose(again.to_point(), plane.to_point())
    assert np.linalg.norm(plane.to_point()) == pytest.approx(1.0)


def test_version_space_of_two_rows() -> None:
    """w1 > 0 and w2 > 0 within the square: the unit square."""
    space = version_space(np.eye(2), [1, 1], bias=False)
    assert space is not None
    assert sorted(space.vertices.tolist()) == [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    assert geometry.is_convex_polygon(space.vertices)
    assert space.contains([0.5, 0.1])
    assert not space.contains([0.5, -0.1])
    assert space.radius == pytest.approx(0.5)


@pytest.mark.parametrize("bias", [True, False])
def test_version_space_agrees_with_separation(bias: bool) -> None:
    generator = np.random.default_rng(0)
    seen = set()
    for _ in range(30):
        X = generator.standard_normal((6, 2))
        y = generator.choice([-1.0, 1.0], size=6)
        space = version_space(X, y, bias)
        A = (np.column_stack([X, np.ones(6)]) if bias else X) * y[:, None]
        seen.add(space is None)
        if space is None:
            samples = generator.standard_normal((2000, A.shape[1]))
            assert not np.any(np.all(samples @ A.T > 1e-6, axis=1))
            continue
        assert np.all(space.vertices @ A.T >= -1e-9)
        assert np.max(np.abs(space.vertices)) <= 1 + 1e-9
        assert space.contains(space.interior)
        weights = generator.dirichlet(np.ones(len(space.vertices)), size=20)
        assert all(space.contains(u) for u in weights @ space.vertices)
    assert seen == {True, False}


def test_inseparable_rows_have_no_version_space() -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert version_space(X, [-1, 1, 1, -1]) is None
    assert version_space(X, [-1, -1, -1, 1]) is not None
    assert version_space([[0.0, 0.0]], [1], bias=False) is None
    with pytest.raises(ValueError, match="at least two dimensions"):
        version_space([[1.0]], [1], bias=False)
