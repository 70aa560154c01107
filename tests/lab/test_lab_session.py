"""The session behind the page: every preset with every algorithm, exact numbers, drags, bad messages.

Tests `lab/encode.py`, `lab/views/panel.py`, `lab/views/catalogue.py`.
"""

from __future__ import annotations

import json

import pytest

from separatrix import Certificate, verify
from separatrix.lab.presets import BY_NAME, PRESETS
from separatrix.lab.scene import ALGORITHMS
from separatrix.lab.session import Session

EVERYTHING = {
    "x": {"window": [-4, 4, -4, 4]},
    "w": {},
    "solid": {"slice": 0.5},
    "risk": {"aspect": 1.5},
    "panel": {},
}


def ask(session: Session, op: str, **more) -> dict:
    reply = session.handle({"id": 1, "op": op, **more})
    json.dumps(reply, allow_nan=False)  # must be what the page can read
    return reply


@pytest.mark.parametrize("preset", [preset.name for preset in PRESETS])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_preset_with_every_algorithm(preset, algorithm):
    session = Session()
    ask(session, "preset", name=preset)
    reply = ask(session, "set", settings={"algorithm": algorithm}, want=EVERYTHING)
    assert "error" not in reply
    panel = reply["panel"]
    assert panel["verdict"]["proved"]
    assert panel["proof"] is None or panel["proof"]["proved"]
    kernel = algorithm.startswith("kernel")
    assert (reply["w"] is None) == kernel
    assert ("contours" in reply["x"]) == kernel
    assert len(reply["x"]["functional"]) == len(reply["scene"]["points"])
    back = ask(session, "seek", step=0, want=EVERYTHING)
    assert back["run"]["step"] == 0
    assert "error" not in ask(session, "step", count=3, want=EVERYTHING)


def test_numbers_in_a_reply_are_exact():
    session = Session()
    reply = ask(session, "preset", name="overlapping", want={"x": {}, "panel": {}})
    sent = json.loads(json.dumps(reply))
    model = session.playback.answers.model
    assert sent["x"]["w"] == model.coef_[0].tolist()
    assert sent["panel"]["objective"]["dual"][-1] == model.dual_
    assert sent["panel"]["rows"]["alpha"] == model.alpha_.tolist()
    assert max(sent["panel"]["rows"]["slackness"]) < 1e-9


def test_the_certificate_on_the_page_can_be_checked_elsewhere():
    session = Session()
    ask(session, "preset", name="eight")
    document = ask(session, "certificate")["certificate"]
    scene = BY_NAME["eight"].make()
    certificate = Certificate.from_dict(document)
    assert verify(certificate, scene.X, scene.y, exact=True)
    moved = scene.X.copy()
    moved[0, 0] += 1.0
    assert not verify(certificate, moved, scene.y, exact=True)


def test_points_come_and_go():
    session = Session()
    assert "Click" in ask(session, "look")["run"]["note"]
    assert "other class" in ask(session, "add", point=[0, 1, 1])["run"]["note"]
    assert ask(session, "add", point=[0, -1, -1])["run"]["ready"]
    ask(session, "move", row=0, point=[0, 2, 1], grab=1)
    assert ask(session, "move", row=0, point=[0, 3, 1], grab=1)["scene"]["points"][0] == [0.0, 3.0, 1]
    assert ask(session, "undo")["scene"]["points"][0] == [0.0, 1.0, 1]
    assert ask(session, "redo")["scene"]["points"][0] == [0.0, 3.0, 1]
    assert not ask(session, "remove", row=0)["run"]["ready"]


def test_a_drag_waits_with_the_certificate_and_gets_it_when_it_rests():
    session = Session()
    ask(session, "preset", name="overlapping")
    reply = ask(session, "move", row=0, point=[0.5, 0.5, 1], grab=3, want={"panel": {"quick": True}})
    assert reply["run"]["leapt"]
    assert reply["panel"]["pending"]
    assert reply["panel"]["proof"] is None
    rest = ask(session, "look", want={"panel": {}})
    assert not rest["run"]["leapt"]
    assert rest["panel"]["proof"]["proved"]
    # A drag is answered by the quickest solver, rest by the scene's own: each proves its dual to a gap below 1e-9.
    assert reply["panel"]["objective"]["gap"] <= 1e-9
    assert rest["panel"]["objective"]["dual"][-1] == pytest.approx(
        reply["panel"]["objective"]["dual"][-1], rel=1e-9
    )


def test_a_drag_asks_for_no_more_numbers_than_it_shows():
    session = Session()
    whole = session.handle({"id": 1, "op": "preset", "name": "separable", "want": {"x": {}, "panel": {}}})
    few = session.handle({"id": 2, "op": "look", "want": {"x": {"row": 3}, "panel": {"rows": False}}})
    for name in ("functional", "geometric"):
        assert few["x"][name] == {3: whole["x"][name][3]}
    assert few["panel"]["rows"] == whole["panel"]["rows"] | {"slackness": None}
    for row in (-1, len(whole["scene"]["points"]), True, "3"):
        assert "row must be" in session.handle({"id": 3, "op": "look", "want": {"x": {"row": row}}})["error"]


def test_a_run_in_progress_is_as_far_after_an_edit():
    session = Session()
    ask(session, "preset", name="eight")
    ask(session, "seek", step=20)
    assert ask(session, "move", row=0, point=[2.0, 3.0, 1])["run"]["step"] == 20
    assert ask(session, "set", settings={"step": 0.5})["run"]["step"] == 20


@pytest.mark.parametrize(
    "message",
    [
        None,
        [],
        "text",
        {},
        {"op": 5},
        {"op": "fly"},
        {"op": "add"},
        {"op": "add", "point": [1, 2, 3]},
        {"op": "move", "row": 99, "point": [0, 0, 1]},
        {"op": "remove", "row": -1},
        {"op": "remove", "row": True},
        {"op": "set", "settings": [1]},
        {"op": "set", "settings": {"algorithm": "none"}},
        {"op": "preset", "name": ["x"]},
        {"op": "load"},
        {"op": "step", "count": 10**9},
        {"op": "seek", "step": -1},
        {"op": "probe", "at": [1]},
        {"op": "look", "want": {"y": {}}},
        {"op": "look", "want": {"x": 3}},
        {"op": "look", "want": {"x": {"window": [1, 0, 0, 1]}}},
        {"op": "look", "want": {"w": {"slice": "a"}}},
        {"op": "look", "want": {"x": {"grid": "big"}}},
    ],
)
def test_what_cannot_be_understood_is_answered_and_changes_nothing(message):
    session = Session()
    ask(session, "preset", name="eight")
    before = session.scene, session.playback
    reply = session.handle(message)
    assert len(reply["error"]) > 15
    assert (session.scene, session.playback) == before
    assert "error" not in ask(session, "look", want=EVERYTHING)


def test_probe_says_what_the_model_says():
    session = Session()
    ask(session, "preset", name="separable")
    found = ask(session, "probe", at=[0.7, 0.1])["probe"]
    model = session.playback.answers.model
    assert found["f"] == pytest.approx(model.decision_function([[0.7, 0.1]])[0], rel=1e-12)
    assert found["distance"] == pytest.approx(found["f"] / ((model.coef_**2).sum() ** 0.5), rel=1e-12)
