"""The wedge of w-space and separators placed by hand: what is said of them is true.

Tests `lab/hand.py`, `lab/views/wedge.py`.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from lab_reading import NUMBER, WANT, check_wedge, close, functional, read

from separatrix.lab.session import Session

ORIGIN = [[0.0, 0.0, 1], [0.0, 0.0, -1]]


@pytest.mark.parametrize(
    ("points", "bias", "b", "kind"),
    [
        (ORIGIN, "unit", 0.0, "none"),  # one place with both labels
        ([[0.0, 0.0, 1], [1.0, 1.0, -1]], "unit", 0.0, "another"),  # the point at 0 needs b > 0
        ([[0.0, 0.0, 1], [1.0, 1.0, -1]], "unit", 1.0, "room"),
        ([[0.0, 0.0, 1], [1.0, 1.0, -1]], "none", 0.0, "none"),
        (
            [[1.0, 0.0, 1], [2.0, 0.0, -1]],
            "unit",
            0.0,
            "another",
        ),  # both on one side of 0: w = 0 alone has y w.x >= 0
        ([[1.0, 0.0, 1], [2.0, 0.0, -1]], "unit", 3.0, "room"),
        ([[1.0, 0.0, 1], [-1.0, 1e-9, -1]], "none", 0.0, "room"),
        ([[1.0, 0.0, 1], [1.0, 1e-13, -1]], "none", 0.0, "thin"),  # a sliver: exists, and cannot be seen
    ],
)
def test_the_wedge_of_separators_where_it_is_hard_to_tell(points, bias, b, kind):
    session = Session()
    session.handle({"op": "load", "scene": {"points": points, "algorithm": "perceptron", "bias": bias}})
    reply = session.handle({"op": "seek", "step": 0, "want": {"w": {"slice": b}, "x": {}, "panel": {}}})
    assert reply["w"]["kind"] == kind
    assert reply["panel"]["verdict"]["kind"] != "separable" or kind != "none"
    if kind != "thin":  # which a linear program in floating point cannot see
        check_wedge(reply)


def test_the_wedge_of_a_hard_margin_may_close_to_an_edge():
    session = Session()
    scene = {"points": [[1.0, 0.0, 1], [2.0, 0.0, -1]], "algorithm": "hard-margin"}
    reply = session.handle({"op": "load", "scene": scene, "want": WANT})
    assert reply["w"]["b"] == pytest.approx(3.0)
    reply = session.handle({"op": "look", "want": {"w": {"slice": 3.0}}})
    assert reply["w"]["kind"] == "thin"
    assert "too thin" in reply["w"]["says"]


@pytest.mark.parametrize("preset", ["separable", "touching", "eight", "overlapping"])
@pytest.mark.parametrize("algorithm", ["perceptron", "hard-margin", "soft-margin"])
def test_what_is_said_of_a_separator_placed_by_hand_is_true(preset, algorithm):
    session, rng = Session(), np.random.default_rng(5)
    session.handle({"op": "preset", "name": preset})
    session.handle({"op": "set", "settings": {"algorithm": algorithm}})
    found = session.playback.answers.verdict
    places = [(rng.normal(size=2) * 3, float(rng.normal())) for _ in range(12)]
    if found.w is not None:
        places += [(np.array(found.w, dtype=float) * scale, float(found.b) * scale) for scale in (1.0, 40.0)]
    for w, b in places:
        reply = session.handle({"op": "hold", "w": w.tolist(), "b": b, "want": WANT})
        margins, note = functional(reply["scene"], w, b), reply["run"]["note"]
        assert reply["x"]["w"] == w.tolist()
        assert reply["run"]["by_hand"]
        assert reply["w"]["now"] == [*w.tolist(), b]
        if algorithm == "perceptron":
            wrong = np.flatnonzero(margins <= 0)
            assert ("separates: every point" in note) == (len(wrong) == 0)
            named = [int(each) - 1 for each in re.findall(r"\d+", note.split(":")[1])] if len(wrong) else []
            assert named == (wrong.tolist() if len(wrong) <= 6 else [len(wrong) - 1])
            assert reply["run"]["named"] == (wrong.tolist() if len(wrong) <= 6 else [])
            if len(wrong) == 0:
                margin, widest = re.findall(rf"is ({NUMBER})", note)
                assert close(margin, float(np.min(margins)) / np.linalg.norm(w))
                assert close(widest, float(found.margin[0]))
        else:
            assert close(re.search(rf"= ({NUMBER}) wide", note)[1], 2 / np.linalg.norm(w))
            assert ("no point is inside" in note or "no point pays" in note) == (np.min(margins) >= 1)
        if algorithm == "soft-margin":
            value, least = re.findall(rf"(?:objective|possible) is ({NUMBER})", note)
            assert close(value, 0.5 * w @ w + np.maximum(0, 1 - margins).sum())
            assert close(least, session.playback.answers.model.primal_)
            assert read(least) <= read(value) * 1.001
        assert reply["panel"]["rows"]["alpha"] is None
    stepped = session.handle({"op": "release", "want": WANT})
    assert not stepped["run"]["by_hand"]
    assert stepped["panel"]["rows"]["alpha"] is not None


def test_a_separator_placed_by_hand_stays_while_points_move_and_ends_with_a_step():
    session = Session()
    session.handle({"op": "preset", "name": "eight"})
    session.handle({"op": "hold", "w": [1.0, 2.0], "b": -3.0})
    assert session.handle({"op": "move", "row": 0, "point": [1.0, 1.0, 1], "want": WANT})["x"]["w"] == [
        1.0,
        2.0,
    ]
    assert session.handle({"op": "set", "settings": {"bias": "none"}, "want": WANT})["x"]["b"] == 0.0
    session.handle({"op": "hold", "w": [1.0, 2.0], "b": 5.0})
    assert session.handle({"op": "look", "want": WANT})["x"]["b"] == 0.0  # there is no bias
    assert not session.handle({"op": "back"})["run"]["by_hand"]
    for message in (
        {"w": [1.0], "b": 0.0},
        {"w": [1.0, "a"], "b": 0},
        {"w": [1e300, 0.0], "b": 0},
        {"w": None},
    ):
        assert "separator" in session.handle({"op": "hold", **message})["error"]
    session.handle({"op": "preset", "name": "circles"})
    assert "kernel" in session.handle({"op": "hold", "w": [1.0, 0.0], "b": 0.0})["error"]
