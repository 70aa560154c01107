"""Margins, forces and complementary slackness: what the page says of them at every step, found anew with NumPy.

Tests `lab/views/slab.py`, `lab/views/margin.py`, `lab/views/forces.py`, `lab/stages.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from lab_margins import check_everything, check_margin

from separatrix.lab.presets import BY_NAME, few_overlapping, three, wide_slab
from separatrix.lab.session import Session
from separatrix.lab.stages import STAGES

WANT = {"margin": {}, "forces": {}, "x": {}, "panel": {}}
MINE = ("margins", "hard-margin-qp", "soft-margin", "two-kinds", "dual-forces")
SCENES = {name: preset.make for name, preset in BY_NAME.items()} | {
    "few": few_overlapping,
    "wide": wide_slab,
}


SETTINGS = [
    {"algorithm": "hard-margin"},
    {"algorithm": "hard-margin", "bias": "none"},
    {"algorithm": "soft-margin"},
    {"algorithm": "soft-margin", "C": 0.05},
    {"algorithm": "soft-margin", "C": 1e4, "bias": "none"},
    {"algorithm": "soft-margin", "loss": "squared_hinge"},
    {"algorithm": "soft-margin", "solver": "coordinate-descent"},
]


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_what_is_said_of_margins_and_forces_is_true(name, settings):
    session = Session()
    scene = SCENES[name]().changed({"bias": "unit", **settings})
    session.handle({"op": "load", "scene": scene.to_json()})
    steps = session.handle({"op": "look"})["run"]["steps"]
    for step in range(steps + 1):
        reply = session.handle({"op": "seek", "step": step, "want": WANT})
        if reply["forces"]["table"] == [] and reply["forces"]["w"] is not None and not reply["run"]["void"]:
            assert session.playback.hand is not None
        check_everything(session, reply)
    for times in (0.5, 2.0):
        view = session.handle({"op": "look", "want": {"margin": {"times": times}, "x": {}}})
        check_margin(session, view | {"run": reply["run"]}, view["margin"], times)
        assert view["margin"]["kinds"] == []


@pytest.mark.parametrize("algorithm", ["hard-margin", "soft-margin"])
@pytest.mark.parametrize("name", ["separable", "overlapping", "three"])
def test_a_w_placed_by_hand_has_margins_and_no_forces(name, algorithm):
    session, rng = Session(), np.random.default_rng(3)
    session.handle({"op": "load", "scene": SCENES[name]().changed({"algorithm": algorithm}).to_json()})
    for w in [*rng.normal(size=(8, 2)).tolist(), [0.0, 0.0], [1e8, -1e8], [1e-7, 1e-7]]:
        reply = session.handle({"op": "hold", "w": w, "b": float(rng.normal()), "want": WANT})
        check_everything(session, reply)
        assert "Your" in reply["margin"]["says"]


@pytest.mark.parametrize(
    "points",
    [
        [[0, 0, 1], [0, 0, -1]],  # one place, two labels
        [[0, 0, 1], [1, 0, -1]],  # a point at the origin
        [[1, 1, 1], [1, 1, 1], [1, 1, -1], [2, 2, -1]],  # coincident, quasi-separable at best
        [[1e6, 1e6, 1], [1e6, -1e6, -1]],
        [[1e-6, 0, 1], [-1e-6, 0, -1]],
        [[5, 5, 1], [5, 6, 1], [6, 5, -1], [7, 5, -1]],
    ],
)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_awkward_points(points, settings):
    session = Session()
    reply = session.handle({"op": "load", "scene": {"points": points, **settings}, "want": WANT})
    check_everything(session, reply)
    reply = session.handle({"op": "seek", "step": 0, "want": WANT})
    check_everything(session, reply)
    reply = session.handle(
        {"op": "move", "row": 0, "point": [0.5, 0.25, 1], "grab": 1, "want": WANT}
    )  # a leap
    check_everything(session, reply)


def test_the_wide_slab_has_round_numbers():
    session = Session()
    reply = session.handle({"op": "stage", "name": "margins", "want": WANT})
    assert reply["x"]["w"] == pytest.approx([0.3, 0.4])
    assert reply["x"]["b"] == pytest.approx(-0.5)
    assert reply["margin"]["derivation"][-1] == "So the width is t = 2/‖w‖ = 2/0.5 = 4."
    assert reply["margin"]["origin"] == pytest.approx(1.0)
    assert "0.125, the −1 side with 0.125: they cancel" in reply["forces"]["balance"][0]


def test_the_few_overlapping_points_have_both_kinds():
    session = Session()
    reply = session.handle({"op": "stage", "name": "two-kinds", "want": WANT})
    lines = reply["forces"]["kinds"]
    assert lines[0] == "On the margin, 0 < α < C, ξ = 0: points 2, 4 and 14."
    assert lines[1].startswith("Using slack, α = C, ξ > 0: points 5, 6, 9 and 11; 2 of them")
    cases = [line["case"] for line in reply["forces"]["table"]]
    assert cases.count("margin") == 3
    assert cases.count("slack") == 4


def test_in_the_midst_of_an_interior_point_run_nothing_is_claimed_that_does_not_hold():
    session = Session()
    session.handle({"op": "stage", "name": "two-kinds"})
    reply = session.handle({"op": "seek", "step": 3, "want": WANT})
    assert "does not hold yet" in reply["forces"]["says"]
    assert reply["forces"]["kinds"] == reply["margin"]["kinds"] == []
    assert any("off by" in line["cells"][-1] for line in reply["forces"]["table"])


@pytest.mark.parametrize("options", [{"times": 3}, {"times": "2"}, {"times": True}, {"times": None}])
def test_other_factors_are_refused(options):
    session = Session()
    session.handle({"op": "preset", "name": "three"})
    assert "times must be" in session.handle({"op": "look", "want": {"margin": options}})["error"]


def test_every_stage_opens_a_tab_that_its_scene_has():
    session = Session()
    assert {stage.name for stage in STAGES} >= set(MINE)
    for stage in STAGES:
        reply = session.handle({"op": "stage", "name": stage.name, "want": {stage.tab: {}}})
        assert stage.tab in reply["run"]["tabs"]
        assert reply[stage.tab] is not None


def test_the_tabs_are_those_of_a_slab_in_the_plane():
    session = Session()
    session.handle({"op": "load", "scene": three().to_json()})
    for algorithm, there in (("perceptron", False), ("soft-margin", True), ("kernel-svm", False)):
        reply = session.handle({"op": "set", "settings": {"algorithm": algorithm}, "want": {"margin": {}}})
        assert ({"margin", "forces"} <= set(reply["run"]["tabs"])) == there
        assert (reply["margin"] is not None) == there
