"""The polyhedron of the constraints and its sections across w1, w2 or b, against linear and quadratic programs.

Tests `lab/views/section.py`, `lab/views/solid.py`.
"""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from lab_reading import NUMBER, close, separable
from scipy.optimize import linprog, minimize

from separatrix.lab.presets import BY_NAME, few_overlapping, three, wide_slab
from separatrix.lab.scene import Scene
from separatrix.lab.session import Session
from separatrix.lab.views.section import Cut, half_planes, polygon

SCENES = {name: preset.make for name, preset in BY_NAME.items()} | {"few": few_overlapping, "wide": wide_slab}
NAMES = ("w₁", "w₂", "b")


def test_the_optimum_of_three_points_has_w1_of_a_seventeenth_exactly():
    """The three constraints with equality, solved in fractions; multipliers above 0 prove that it is the optimum."""
    points = three().points
    rows = [[Fraction(y) * Fraction(value) for value in (x1, x2, 1)] for x1, x2, y in points]

    def determinant(m):
        (a, b, c), (d, e, f), (g, h, i) = m
        return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)

    def solve(matrix, right):
        whole = determinant(matrix)
        columns = []
        for k in range(3):
            changed = [[right[i] if j == k else matrix[i][j] for j in range(3)] for i in range(3)]
            columns.append(determinant(changed) / whole)
        return columns

    w1, w2, b = solve(rows, [Fraction(1)] * 3)
    assert (w1, w2, b) == (Fraction(1, 17), Fraction(4, 17), Fraction(1, 2))
    # w = sum alpha y x and 0 = sum alpha y: the transposed system.
    alpha = solve([list(column) for column in zip(*rows, strict=True)], [w1, w2, Fraction(0)])
    assert all(each > 0 for each in alpha)
    session = Session()
    reply = session.handle({"op": "preset", "name": "three", "want": {"solid": {"axis": 0}}})
    solid = reply["solid"]
    assert solid["optimum"] == pytest.approx([1 / 17, 4 / 17, 0.5], abs=1e-12)
    assert solid["cut"] == {"axis": 0, "name": "w₁", "at": solid["now"][0], "reach": solid["box"][0]}
    assert "shortest of all, at (w₁, w₂, b) = (1/17, 4/17, 0.5)" in solid["section_says"]
    assert {face["row"] for face in solid["faces"]} >= {0, 1, 2}


def constraints(scene, axis, at, level):
    points = np.array(scene["points"])
    rows = np.column_stack([points[:, :2], np.ones(len(points))]) * points[:, 2:]
    others = [k for k in range(3) if k != axis]
    return rows[:, others], level - rows[:, axis] * at


def room(scene, axis, at, level) -> float:
    """The largest t <= 1 by which all constraints can be exceeded in the plane; each in its own length."""
    A, c = constraints(scene, axis, at, level)
    found = linprog(
        [0, 0, -1],
        A_ub=np.column_stack([-A, np.ones(len(A))]),
        b_ub=-c,
        bounds=[(None, None)] * 2 + [(None, 1)],
        method="highs",
    )
    assert found.status == 0
    return -found.fun


def check_section(reply) -> None:
    solid, scene = reply["solid"], reply["scene"]
    section, level = solid["section"], solid["level"]
    axis, at = section["axis"], section["at"]
    others = [k for k in range(3) if k != axis]
    assert section["names"] == [NAMES[k] for k in others]
    assert solid["cut"]["at"] == at
    assert section["reach"] == [solid["box"][k] for k in others]
    there = separable(scene)
    if there:
        space = room(scene, axis, at, level)
        if abs(space) > 1e-6:
            assert (space > 0) == (section["kind"] in ("room", "far", "thin"))
    else:
        assert section["kind"] == "none"
        assert solid["faces"] == []
    A, c = constraints(scene, axis, at, level)
    assert np.array(section["lines"]) == pytest.approx(np.column_stack([A, c]))
    if section["kind"] == "room":
        corners = np.array(section["polygon"])
        scale = np.abs(A) @ np.array(section["reach"]) + np.abs(c) + 1
        assert np.all(corners @ A.T - c >= -1e-6 * scale)
        inside = corners.mean(axis=0)
        assert np.all(inside @ A.T - c > 0)
    for row in section["bounding"]:
        slackness = (np.array(section["polygon"]) @ A[row] - c[row]) / (np.abs(A[row]) @ section["reach"])
        assert np.count_nonzero(np.abs(slackness) < 1e-6) >= 2
    check_words(solid, scene, axis, at, there)
    for each in section["levels"]:
        fixed = 0.0 if axis == 2 else at
        assert math.hypot(fixed, each["half"]) == pytest.approx(each["length"], rel=1e-6)


def check_words(solid, scene, axis, at, there) -> None:
    section, says = solid["section"], solid["section_says"]
    assert ("Shaded" in says) == (section["kind"] == "room")
    assert ("another" in says) == (section["kind"] == "another")
    if scene["bias"] == "none":
        assert solid["faces"] == []
        assert axis == 2
        assert at == 0
        assert "plane b = 0" in solid["says"]
        assert "at this b" not in says
    elif not there:
        assert "empty" in solid["says"]
        assert "No (w, b)" in says
    if section["best"] is None:
        assert "shortest" not in says
        return
    assert scene["algorithm"] == "hard-margin"
    best = np.array(section["best"])
    assert best[axis] == at
    here = math.hypot(*best[:2])
    assert here == pytest.approx(shortest(scene, axis, at), rel=1e-4, abs=1e-6)
    assert close(re.search(rf"‖w‖ = ({NUMBER})", says)[1], here)
    if solid["optimum"] is not None:
        least = math.hypot(*solid["optimum"][:2])
        assert here >= least * (1 - 1e-9)
        assert ("is the shortest of all" in says) == (here <= least * (1 + 1e-9))


def shortest(scene, axis, at) -> float:
    """The least ||w|| in the plane: two linear programs across w1 or w2, a general solver across b."""
    A, c = constraints(scene, axis, at, 1.0)
    if axis < 2:
        found = linprog([0, 0, 1], A_ub=np.vstack([np.column_stack([-A, np.zeros(len(A))]), [[1, 0, -1], [-1, 0, -1]]]),
                        b_ub=[*-c, 0, 0], bounds=[(None, None)] * 2 + [(0, None)], method="highs")  # fmt: skip
        assert found.status == 0
        return math.hypot(at, found.fun)
    free = linprog([0, 0], A_ub=-A, b_ub=-c, bounds=[(None, None)] * 2, method="highs")
    within = {"type": "ineq", "fun": lambda w: A @ w - c, "jac": lambda w: A}
    options = {"ftol": 1e-14, "maxiter": 300}
    found = minimize(
        lambda w: w @ w, free.x, jac=lambda w: 2 * w, constraints=within, method="SLSQP", options=options
    )
    return math.sqrt(found.fun)


@pytest.mark.parametrize("algorithm", ["hard-margin", "perceptron", "soft-margin"])
@pytest.mark.parametrize("bias", ["unit", "none"])
@pytest.mark.parametrize("name", SCENES)
def test_sections_across_every_axis(name, bias, algorithm):
    session, rng = Session(), np.random.default_rng(1)
    scene = SCENES[name]().changed({"bias": bias, "algorithm": algorithm})
    reply = session.handle({"op": "load", "scene": scene.to_json(), "want": {"solid": {}}})
    assert "error" not in reply
    check_section(reply)
    for axis in (0, 1, 2):
        box = reply["solid"]["box"][axis]
        for at in (None, 0.0, *(rng.uniform(-box, box, 4)), 5 * box):
            options = {"axis": axis, "slice" if axis == 2 else "at": at}
            found = session.handle({"op": "look", "want": {"solid": options}})
            check_section(found)
    session.handle({"op": "seek", "step": 1})
    check_section(session.handle({"op": "look", "want": {"solid": {"axis": 0}}}))
    session.handle({"op": "hold", "w": [0.5, -0.25], "b": 0.125})
    check_section(session.handle({"op": "look", "want": {"solid": {"axis": 1}}}))


def test_fractions_and_floats_cut_alike():
    scene = Scene(points=((1.0, 0.5, 1), (-0.5, 1.0, 1), (0.25, -1.0, -1)))
    for axis, at in itertools.product((0, 1, 2), (-0.5, 0.25, 1.5)):
        where = Cut(axis, at)
        rough = polygon(half_planes(scene, where, 1.0, at), (4.0, 4.0), 1.0)
        exact = polygon(half_planes(scene, where, Fraction(1), Fraction(at)), (Fraction(4), Fraction(4)), 1)
        assert np.array(rough, dtype=float) == pytest.approx(np.array(exact, dtype=float))


def test_a_point_at_the_origin_is_right_everywhere_or_nowhere():
    scene = Scene(points=((0.0, 0.0, 1), (1.0, 1.0, -1)))
    assert polygon(half_planes(scene, Cut(2, 0.5), 1.0, 0.5), (4.0, 4.0), 1.0) == []
    assert len(polygon(half_planes(scene, Cut(2, 2.0), 1.0, 2.0), (4.0, 4.0), 1.0)) >= 3
    assert polygon(half_planes(scene, Cut(2, 0.0), 0.0, 0.0), (4.0, 4.0), 0.0) == []


@pytest.mark.parametrize(
    "options",
    [
        {"axis": 3},
        {"axis": "b"},
        {"axis": True},
        {"axis": 1.0},
        {"axis": [0]},
        {"axis": 0, "at": "x"},
        {"axis": None},
    ],
)
def test_other_axes_are_refused(options):
    session = Session()
    session.handle({"op": "preset", "name": "three"})
    reply = session.handle({"op": "look", "want": {"solid": options}})
    assert "must be" in reply["error"]
