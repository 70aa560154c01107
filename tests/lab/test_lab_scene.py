"""Scenes of the lab: read back as they were written, presets, edits and undo, refusals."""

from __future__ import annotations

import pytest

from separatrix import separability
from separatrix.lab.edits import Edits
from separatrix.lab.limits import MAX_POINTS, MAX_UNDO
from separatrix.lab.presets import PRESETS
from separatrix.lab.scene import Scene, SceneError


def test_a_scene_reads_back_as_it_was_written():
    for preset in PRESETS:
        scene = preset.make()
        assert Scene.from_json(scene.to_json()) == scene


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("separable", "separable"),
        ("origin", "separable"),
        ("touching", "quasi-separable"),
        ("overlapping", "inseparable"),
        ("xor", "inseparable"),
        ("circles", "inseparable"),
        ("eight", "separable"),
    ],
)
def test_presets_are_what_their_names_say(name, verdict):
    scene = next(preset for preset in PRESETS if preset.name == name).make()
    assert separability(scene.X, scene.y, bias=scene.bias != "none").verdict == verdict


def test_the_eight_points_stop_scikit_learns_perceptron_early():
    from sklearn.linear_model import Perceptron

    scene = next(preset for preset in PRESETS if preset.name == "eight").make()
    assert Perceptron().fit(scene.X, scene.y).score(scene.X, scene.y) < 1.0


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {"points": 3},
        {"points": [[1, 2]]},
        {"points": [[1, 2, 0]]},
        {"points": [[1, 2, True]]},
        {"points": [["1", 2, 1]]},
        {"points": [[float("nan"), 2, 1]]},
        {"points": [[1e7, 2, 1]]},
        {"points": [[0, 0, 1]] * (MAX_POINTS + 1)},
        {"points": [], "algorithm": "magic"},
        {"points": [], "C": 0},
        {"points": [], "C": float("inf")},
        {"points": [], "degree": 2.5},
        {"points": [], "degree": True},
        {"points": [], "unknown": 1},
    ],
)
def test_a_wrong_scene_is_refused_with_a_sentence(document):
    with pytest.raises(SceneError, match=r".{20,}\."):
        Scene.from_json(document)


def test_a_drag_is_one_edit_and_undo_is_bounded():
    edits = Edits(Scene(points=((0.0, 0.0, 1),)))
    for k in range(1, 5):
        edits.change(edits.scene.moved(0, [float(k), 0.0, 1]), grab=7)
    edits.undo()
    assert edits.scene.points == ((0.0, 0.0, 1),)
    edits.redo()
    assert edits.scene.points == ((4.0, 0.0, 1),)
    for k in range(MAX_UNDO + 20):
        edits.change(edits.scene.with_point([float(k), 1.0, 1]))
    undone = 0
    while edits.can_undo:
        edits.undo()
        undone += 1
    assert undone == MAX_UNDO
