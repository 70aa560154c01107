"""Margins, distances, and the duality between x-space and w-space.

    functional margin of a row     y (w.x + b)
    geometric margin of a row      y (w.x + b) / ||w||
    margin of a set                the least over its rows
    boundary from the origin       -b / ||w||, positive on the side that w points to

A hyperplane {x : w.x + b = 0} in x-space is the point (w, b) in w-space. A row (x, y) is the half-space
{(w, b) : y (w.x + b) >= 0} there. The separators of a set are the interior of the intersection of its rows'
half-spaces, a cone: the version space.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from separatrix.problem import scores
from separatrix.types import Vector


def functional_margins(X: Any, y: ArrayLike, w: ArrayLike, b: float = 0.0) -> Vector:
    """y_i (w.x_i + b) for rows X (n, d), dense or CSR, and y (n,) of -1 and +1; shape (n,).

    >>> functional_margins(np.array([[3.0, 4.0], [0.0, 0.0]]), [1, -1], [3.0, 4.0], -5.0)
    array([20.,  5.])
    """
    rows = X if hasattr(X, "indptr") else np.asarray(X, dtype=np.float64)
    return np.asarray(y, dtype=np.float64) * (scores(rows, np.asarray(w, dtype=np.float64)) + b)


def geometric_margins(X: Any, y: ArrayLike, w: ArrayLike, b: float = 0.0) -> Vector:
    """y_i (w.x_i + b) / ||w||: the signed distance of each row from the boundary, shape (n,).

    >>> geometric_margins(np.array([[3.0, 4.0], [0.0, 0.0]]), [1, -1], [3.0, 4.0], -5.0)
    array([4., 1.])
    """
    return functional_margins(X, y, w, b) / _length(w)


def margin(X: Any, y: ArrayLike, w: ArrayLike, b: float = 0.0) -> float:
    """The geometric margin of a set: the least over its rows; negative where a row is on the wrong side.

    >>> margin(np.array([[3.0, 4.0], [0.0, 0.0]]), [1, -1], [3.0, 4.0], -5.0)
    1.0
    """
    return float(np.min(geometric_margins(X, y, w, b)))


def distance_from_origin(w: ArrayLike, b: float) -> float:
    """-b / ||w||, the signed distance of the boundary from the origin along w.

    >>> distance_from_origin([3.0, 4.0], -10.0)
    2.0
    """
    return -b / _length(w)


def slab_width(w: ArrayLike) -> float:
    """2 / ||w||, the width between the hyperplanes w.x + b = -1 and +1.

    >>> slab_width([3.0, 4.0])
    0.4
    """
    return 2.0 / _length(w)


def _length(w: ArrayLike) -> float:
    length = float(np.linalg.norm(np.asarray(w, dtype=np.float64)))
    if length == 0.0:
        raise ValueError("w must not be zero: it gives the boundary its direction.")
    return length


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """The oriented hyperplane {x : w.x + b = 0}; its positive side is where w.x + b > 0."""

    w: Vector
    b: float

    def side(self, x: ArrayLike) -> int:
        """+1, 0 or -1: on which side x lies.

        >>> Hyperplane(np.array([1.0, 0.0]), -2.0).side([3.0, 9.0])
        1
        """
        return int(np.sign(float(np.dot(self.w, np.asarray(x, dtype=np.float64))) + self.b))

    def to_point(self) -> Vector:
        """The point (w, b) of w-space, scaled to length 1: one point for each oriented hyperplane.

        >>> Hyperplane(np.array([0.0, 3.0]), 4.0).to_point()
        array([0. , 0.6, 0.8])
        """
        point = np.append(self.w, self.b)
        return np.asarray(point / np.linalg.norm(point))

    @staticmethod
    def from_point(point: ArrayLike) -> Hyperplane:
        """The hyperplane whose point in w-space is given; every positive multiple gives the same."""
        values = np.asarray(point, dtype=np.float64)
        return Hyperplane(values[:-1], float(values[-1]))


def dual_hyperplane(x: ArrayLike, y: float = 1.0) -> Hyperplane:
    """The row (x, y) as a hyperplane through the origin of w-space: {(w, b) : y (w.x + b) = 0}.

    Incidence and order are kept: x lies on the hyperplane (w, b) if and only if (w, b) lies on the dual
    hyperplane of x, and (w, b) is on its positive side if and only if (x, y) is classified correctly.

    >>> plane, x = Hyperplane(np.array([1.0, 2.0]), -3.0), [4.0, 1.0]
    >>> dual_hyperplane(x, +1).side(plane.to_point()), dual_hyperplane(x, -1).side(plane.to_point())
    (1, -1)
    """
    return Hyperplane(float(y) * np.append(np.asarray(x, dtype=np.float64), 1.0), 0.0)


@dataclass(frozen=True, eq=False)
class VersionSpace:
    """The separators of a small set, cut to the cube |u_j| <= 1: a convex polytope.

    halfspaces (n, k): normals a_i with a_i.u >= 0; vertices (m, k) of the polytope (in order around it where
    k = 2); interior (k,), the centre of the largest ball inside, whose radius is `radius`.
    """

    halfspaces: Vector
    vertices: Vector
    interior: Vector
    radius: float

    def contains(self, u: ArrayLike) -> bool:
        """True if u separates every row strictly (the cube aside)."""
        return bool(np.all(self.halfspaces @ np.asarray(u, dtype=np.float64) > 0))


def version_space(X: ArrayLike, y: ArrayLike, bias: bool = True) -> VersionSpace | None:
    """The version space of rows X (n, d) and y (n,) of -1 and +1; None where it has no inside.

    In (w, b)-space with a bias (k = d + 1), in w-space without (k = d, at least 2). Meant for pictures and small k:
    the intersection is computed in floating point. Use `separatrix.separability` for the exact verdict.

    >>> space = version_space([[1.0, 0.0], [0.0, 1.0]], [1, 1], bias=False)
    >>> sorted(space.vertices.round(9).tolist())
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    """
    rows = np.atleast_2d(np.asarray(X, dtype=np.float64))
    labels = np.asarray(y, dtype=np.float64)
    A = np.column_stack([rows, np.ones(len(rows))]) if bias else rows
    A = A * labels[:, None]
    if A.shape[1] < 2:
        raise ValueError("A version space needs at least two dimensions; got one. Add a bias or a column.")
    norms = np.linalg.norm(A, axis=1)
    if np.any(norms == 0):
        return None
    A = A / norms[:, None]
    interior, radius = _chebyshev_centre(A)
    if radius <= 1e-12:
        return None
    k = A.shape[1]
    cube = np.vstack([np.eye(k), -np.eye(k)])
    # Qhull wants m.u + c <= 0.
    inequalities = np.vstack(
        [np.column_stack([-A, np.zeros(len(A))]), np.column_stack([cube, -np.ones(2 * k)])]
    )
    from scipy.spatial import HalfspaceIntersection  # slow to import

    found = HalfspaceIntersection(inequalities, interior).intersections
    vertices = np.unique(found[np.all(np.isfinite(found), axis=1)].round(12), axis=0) + 0.0
    return VersionSpace(A, _around(vertices) if k == 2 else vertices, interior, radius)


def _chebyshev_centre(A: Vector) -> tuple[Vector, float]:
    """The centre and radius of the largest ball in {A u >= 0, |u_j| <= 1}; rows of A have length 1."""
    from scipy.optimize import linprog  # slow to import

    k = A.shape[1]
    bounds = [(-1.0, 1.0)] * k + [(0.0, 1.0)]
    cube = np.column_stack([np.vstack([np.eye(k), -np.eye(k)]), np.ones(2 * k)])
    matrix = np.vstack([np.column_stack([-A, np.ones(len(A))]), cube])
    right = np.r_[np.zeros(len(A)), np.ones(2 * k)]
    result = linprog(np.r_[np.zeros(k), -1.0], A_ub=matrix, b_ub=right, bounds=bounds, method="highs")
    if not result.success or result.x is None:
        return np.zeros(k), 0.0
    return np.asarray(result.x[:k]), float(result.x[k])


def _around(vertices: Vector) -> Vector:
    """The vertices of a convex polygon, counter-clockwise."""
    centre = vertices.mean(axis=0)
    order = np.argsort(np.arctan2(*(vertices - centre).T[::-1]))
    return np.asarray(vertices[order])


def is_convex_polygon(vertices: Vector) -> bool:
    """True if points (m, 2) in order turn left at every corner.

    >>> is_convex_polygon(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    True
    """
    edges = np.diff(np.vstack([vertices, vertices[:2]]), axis=0)
    return all(float(a[0] * b[1] - a[1] * b[0]) >= 0 for a, b in pairwise(edges))
