"""Every stage opens with its picture, and every picture that a scene offers can be made at every kind of moment.

Tests `lab/stages.py`, `lab/views/catalogue.py`.
"""

from __future__ import annotations

import json

import pytest

from separatrix.lab.presets import PRESETS
from separatrix.lab.scene import ALGORITHMS, Scene
from separatrix.lab.session import Session
from separatrix.lab.stages import STAGES
from separatrix.lab.views.catalogue import TABS, tabs_of

WANT = {tab.name: {} for tab in TABS}


def asked(session: Session, op: str, **more):
    """The reply with every picture, which must be JSON without NaN; pictures that the scene does not have are null."""
    reply = session.handle({"op": op, "want": WANT, **more})
    assert "error" not in reply, reply["error"]
    json.dumps(reply, allow_nan=False)
    offered = reply["run"]["tabs"]
    for tab in TABS:
        there = reply["run"]["ready"] and tab.name in offered
        assert (reply[tab.name] is not None) == there, tab.name
    return reply


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_every_stage_opens_with_its_picture(stage):
    session = Session()
    reply = asked(session, "stage", name=stage.name)
    assert reply["stage"] == {"name": stage.name, "title": stage.title, "tab": stage.tab}
    assert stage.tab in reply["run"]["tabs"]
    assert reply["run"]["step"] == (reply["run"]["steps"] if stage.step is None else stage.step)


def test_names_and_keys_are_used_once():
    for kind, names in {
        "stages": [stage.name for stage in STAGES],
        "tabs": [tab.name for tab in TABS],
        "keys": [tab.key for tab in TABS],
        "titles": [tab.title for tab in TABS],
    }.items():
        assert len(set(names)) == len(names), kind
    assert not {tab.key for tab in TABS} & set("PSBREN0123[]?")  # keys of the page


def test_a_stage_that_there_is_not_is_refused():
    session = Session()
    before = session.scene
    assert "There is no stage 'nothing'" in session.handle({"op": "stage", "name": "nothing"})["error"]
    assert session.scene == before


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_picture_of_every_moment(preset, algorithm):
    session = Session()
    session.handle({"op": "preset", "name": preset.name})
    biases = ("unit", "none", "radius") if algorithm in ("gradient", "perceptron") else ("unit", "none")
    for bias in biases:
        reply = asked(session, "set", settings={"algorithm": algorithm, "bias": bias})
        last = reply["run"]["steps"]
        for step in sorted({0, 1, last // 2}):
            asked(session, "seek", step=step)
        asked(session, "finish")
        if not session.scene.has_kernel:
            asked(session, "hold", w=[0.0, 0.0], b=0.0)
            asked(session, "hold", w=[0.3, -1.2], b=0.5)
            asked(session, "release")
        row = len(session.scene.points) // 2
        x1, x2, y = session.scene.points[row]
        asked(session, "move", row=row, point=[x1 + 0.25, x2, y], grab=1)  # leaps
        asked(session, "look")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    "points",
    [
        [],
        [[0, 0, 1]],
        [[0, 0, 1], [0, 0, -1]],
        [[0, 0, 1], [1, 1, -1]],
        [[1, 2, 1], [1, 2, 1], [1, 2, -1]],
        [[1e6, 0, 1], [-1e6, 1e-3, -1]],
        [[1, 0, 1], [2, 0, 1], [3, 0, -1], [4, 0, -1]],
    ],
    ids=["none", "one", "same place", "origin", "coincident", "far", "on a line"],
)
def test_every_picture_of_odd_points(points, algorithm):
    session = Session()
    for bias in ("unit", "none"):
        scene = Scene().changed({"algorithm": algorithm, "bias": bias}).to_json() | {"points": points}
        reply = asked(session, "load", scene=scene)
        assert reply["run"]["tabs"] == tabs_of(session.scene)
        if reply["run"]["ready"]:
            asked(session, "seek", step=0)
            asked(session, "step")


def test_a_stage_is_chosen_from_the_list_of_scenes(lab, new_page):
    lab.page.select_option("#preset", label="Why it must stop")
    lab.until("c.state.theorem && app.tabs.name === 'theorem'")
    assert lab.page.locator("#preset").input_value() == "stage theorem"
    link = lab.js("return app.link.now()")
    other = new_page().open(link[link.index("#") :])
    assert other.page.locator("#preset").input_value() == "stage theorem"  # the link keeps it
    lab.act("add", point=[0.5, 0.5, 1])
    assert lab.page.locator("#preset").input_value() == ""  # these are other points
