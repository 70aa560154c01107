"""A verdict that outlives a move: its witness stands for the rows that stayed, and is tried on those that moved."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from separatrix.lab.scene import Point, Scene
from separatrix.separability import Separability


@dataclass(frozen=True, eq=False)
class Proved:
    """A verdict and the scene that it was proved for.

    >>> from separatrix.separability import separability
    >>> scene = Scene(points=((0.0, 0.0, -1), (2.0, 0.0, 1)))
    >>> proved = Proved(scene, separability(scene.X, scene.y))
    >>> proved.holds_for(scene.moved(1, [3.0, 5.0, 1])), proved.holds_for(scene.moved(1, [-1.0, 0.0, 1]))
    (True, False)
    """

    scene: Scene
    found: Separability

    def holds_for(self, scene: Scene) -> bool:
        """True if the same witness decides another scene; False where that would take a new decision.

        With a_i = y_i (x_i, 1) of dimension D (or y_i x_i, without a bias):

        separable     z = (w, b) has a_i.z > 0 on every row, checked in fractions on those that moved;
        inseparable   weights l > 0 with sum_i l_i a_i = 0 on D + 1 rows, no fewer of which have such weights, so that
                      their rank is D: a_i.z >= 0 on them means a_i.z = 0, hence z = 0, whatever the other rows are.
        """
        old, new, found = self.scene.points, scene.points, self.found
        if len(old) != len(new) or found.bias != (scene.bias != "none"):
            return False
        moved = [row for row, point in enumerate(new) if point != old[row]]
        if found.verdict == "separable":
            return all(self._is_strict(new[row]) for row in moved)
        if found.verdict == "inseparable" and len(found.rows) == (4 if found.bias else 3):
            return not set(moved) & set(found.rows.tolist())
        return False

    def _is_strict(self, point: Point) -> bool:
        """y (w.x + b) > 0, exactly."""
        w, b, (x1, x2, y) = self.found.w, self.found.b, point
        assert w is not None
        return y * (Fraction(w[0]) * Fraction(x1) + Fraction(w[1]) * Fraction(x2) + Fraction(b)) > 0
