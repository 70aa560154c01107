"""A verdict that is carried over a move is the verdict that a new decision gives."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from separatrix.lab.answers import Answers
from separatrix.lab.proved import Proved
from separatrix.lab.scene import Scene
from separatrix.lab.session import Session
from separatrix.separability import separability


def random_scene(rng: np.random.Generator, bias: str) -> Scene:
    """Few points on a coarse grid, where every verdict is met, touching and coinciding points too."""
    n = int(rng.integers(3, 12))
    apart = int(rng.integers(0, 5))
    labels = [1, -1, *rng.choice([1, -1], size=n - 2).tolist()]
    places = rng.integers(-2, 3, size=(n, 2)) + apart * np.array(labels)[:, None]
    points = [[float(a), float(b), y] for (a, b), y in zip(places, labels, strict=True)]
    return Scene.from_json({"points": points, "bias": bias})


@pytest.mark.parametrize("bias", ["unit", "none"])
def test_a_verdict_holds_for_another_scene_only_where_it_is_that_scenes_own(bias):
    rng = np.random.default_rng(7)
    kept, refused = Counter(), Counter()
    for _ in range(400):
        scene = random_scene(rng, bias)
        proved = Proved(scene, separability(scene.X, scene.y, bias=bias != "none"))
        row = int(rng.integers(len(scene.points)))
        label = scene.points[row][2]
        moved = scene.moved(row, [*map(float, rng.integers(-4, 5, size=2)), label])
        if proved.holds_for(moved):
            own = separability(moved.X, moved.y, bias=bias != "none")
            assert own.verdict == proved.found.verdict
            kept[own.verdict] += 1
        else:
            refused[proved.found.verdict] += 1
    assert kept["separable"] > 10
    assert kept["inseparable"] > 10
    assert kept["quasi-separable"] == 0
    assert refused["separable"] > 0
    assert refused["inseparable"] > 0


def test_the_witness_is_tried_exactly():
    scene = Scene(points=((-1.0, 0.0, -1), (1.0, 0.0, 1)))
    proved = Proved(scene, separability(scene.X, scene.y))
    w, b = proved.found.w, proved.found.b
    on_it = [float(-b / w[0]), 0.0, 1]
    assert w[0] * on_it[0] + b == 0.0
    assert not proved.holds_for(scene.moved(1, on_it))
    assert proved.holds_for(scene.moved(1, [on_it[0] + 5e-324, 0.0, 1]))
    assert not proved.holds_for(scene.with_point([2.0, 2.0, 1]))
    assert not proved.holds_for(scene.changed({"bias": "none"}))


def test_a_drag_keeps_the_witness_and_the_certificate_is_of_the_new_rows():
    session = Session()
    points = [[0.0, 0.0, -1], [0.0, 1.0, -1], [3.0, 0.0, 1], [3.0, 1.0, 1]]
    session.handle({"op": "load", "scene": {"points": points}, "want": {"panel": {}}})
    first = session.playback.answers.verdict
    moves = [{"op": "move", "row": 2, "point": [3.0 + k, 0.0, 1], "grab": 1} for k in range(4)]
    for move in moves:
        reply = session.handle({**move, "want": {"panel": {"quick": True}}})
        assert reply["panel"]["verdict"]["kind"] == "separable"
        assert session.playback.answers.quick_verdict is first
    rest = session.handle({"op": "look", "want": {"panel": {}}})
    assert rest["panel"]["verdict"]["proved"]
    assert session.playback.answers.verdict is not first
    crossing = {
        "op": "move",
        "row": 2,
        "point": [-1.0, 0.5, 1],
        "grab": 2,
        "want": {"panel": {"quick": True}},
    }
    assert session.handle(crossing)["panel"]["verdict"]["kind"] == "inseparable"


def test_what_was_known_of_another_scene_does_not_replace_the_verdict():
    scene = Scene(points=((0.0, 0.0, -1), (2.0, 0.0, 1)))
    known = Answers(scene)
    assert known.proved is None
    assert known.verdict.verdict == "separable"
    moved = Answers(scene.moved(1, [3.0, 0.0, 1]), known.proved)
    assert moved.quick_verdict is known.verdict
    assert moved.verdict is not known.verdict
    assert moved.verdict_proof.proved
