"""Step sizes side by side, streams with a drift, and the stages are true: compared with plain loops.

Tests `lab/views/step_size.py`, `lab/views/mistakes.py`, `lab/runs/online.py`, `lab/stages.py`.
"""

from __future__ import annotations

import math
import re
import subprocess
import sys
import time

import numpy as np
import pytest
from lab_driver import two_clouds
from lab_reading import NUMBER, close, lifted, separable, shown, started

from separatrix import Perceptron
from separatrix.lab.presets import PRESETS
from separatrix.lab.scene import Scene, truth_at
from separatrix.lab.session import Session
from separatrix.lab.stages import STAGES
from separatrix.lab.views.catalogue import TABS

NAMES = [preset.name for preset in PRESETS]


def counted_steps(scene, size: float, most: int):
    """Steps of gradient descent and how often the risk rose, by a plain loop."""
    points, rows = np.array(scene["points"]), lifted(scene)
    y, c = points[:, 2], rows[0, 2]
    w = y[0] * rows[0] if scene["start"] == "row" else np.zeros(3)
    risks = []
    for step in range(most + 1):
        margins = y * (rows @ w)
        risks.append(np.maximum(0, -margins).sum())
        wrong = ~(margins > 0)
        if not wrong.any():
            return step, risks, True
        w = w + size * (y[wrong] @ rows[wrong])
    assert c >= 0
    return most, risks, False


@pytest.mark.parametrize("preset", [name for name in NAMES if name != "stream"])
@pytest.mark.parametrize("start", ["zero", "row"])
def test_three_sizes_are_three_runs(preset, start):
    session = started(preset, algorithm="gradient", bias="none", start=start, step=0.25)
    reply = shown(session, stepsize={})
    view, scene = reply["stepsize"], reply["scene"]
    assert [run["size"] for run in view["runs"]] == pytest.approx([0.025, 0.25, 2.5])
    assert [run["own"] for run in view["runs"]] == [False, True, False]
    text = " ".join(view["says"])
    assert ("From w = 0 the size of the step does not matter" in text) == (start == "zero")
    for run in view["runs"]:
        steps, risks, ended = counted_steps(scene, run["size"], 300)
        if not view["whole"]:
            continue
        assert len(run["path"]) - 1 == steps or start == "zero"  # from zero, rounding may decide a tie
        if len(run["path"]) - 1 != steps:
            continue
        assert [risk for _, risk in run["curve"]] == pytest.approx(risks[: steps + 1], rel=1e-6, abs=1e-9)
        rises = int(np.count_nonzero(np.diff(risks[: steps + 1]) > 0))
        assert f"{steps} step" in run["says"]
        assert ("no end" in run["says"]) == (not ended)
        if rises and "rose in" in run["says"]:
            assert abs(int(re.search(r"rose in (\d+)", run["says"])[1]) - rises) <= 1  # rounding
    if ("no size comes to an end" in text) or start == "zero":
        assert start == "zero" or not separable(scene)


def test_the_valley_shows_what_the_step_size_does():
    session = started("valley")
    reply = shown(session, stepsize={})
    small, right, large = (len(run["path"]) - 1 for run in reply["stepsize"]["runs"])
    assert (small, right, large) == (35, 4, 77)
    for size, steps in ((0.01, small), (0.1, right), (1.0, large)):
        model = Perceptron(algorithm="gradient", bias="none", step=size, start=0)
        assert (
            model.fit(
                np.array(reply["scene"]["points"])[:, :2], np.array(reply["scene"]["points"])[:, 2]
            ).n_updates_
            == steps
        )
    risks = [np.array(run["curve"])[:, 1] for run in reply["stepsize"]["runs"]]
    assert np.all(np.diff(risks[0]) < 0)
    assert np.count_nonzero(np.diff(risks[2]) > 0) > 15
    # Not luck: smaller ones take the longer the smaller they are, and none of the larger ones finds the way soon.
    found = session.handle({"op": "step-sizes"})["step_sizes"]
    below = [steps for size, steps in zip(found["sizes"], found["steps"], strict=True) if size < 0.1]
    above = [steps for size, steps in zip(found["sizes"], found["steps"], strict=True) if size > 0.3]
    assert below == sorted(below, reverse=True)
    assert min(above) > 40
    part = shown(session, 2, stepsize={})["stepsize"]
    assert [len(run["path"]) for run in part["runs"]] == [3, 3, 3]
    assert part["runs"][0]["says"].startswith("step 2: R = ")


def test_sizes_of_the_step_stay_within_what_a_scene_may_have():
    for size, expected in ((1e-4, [1e-4, 1e-3]), (1e4, [1e3, 1e4])):
        view = shown(started("valley", step=size), stepsize={})["stepsize"]
        assert [run["size"] for run in view["runs"]] == pytest.approx(expected)


def learn(points, bias: bool, until: int):
    """The online perceptron, by a plain loop: (w, b) and mistakes after each point."""
    w, b, mistakes, states = np.zeros(2), 0.0, 0, [(np.zeros(2), 0.0, 0)]
    for x1, x2, y in points[:until]:
        if y * (w @ [x1, x2] + b) <= 0:
            w, b, mistakes = w + y * np.array([x1, x2]), b + (y if bias else 0.0), mistakes + 1
        states.append((w, b, mistakes))
    return states


@pytest.mark.parametrize("preset", NAMES)
@pytest.mark.parametrize("bias", ["none", "unit", "radius"])
def test_a_stream_is_learnt_a_point_a_step(preset, bias):
    session = started(preset, algorithm="online", bias=bias, step=1)
    end = shown(session)
    points = end["scene"]["points"]
    n, states = len(points), learn(points, bias != "none", len(points))
    assert end["run"]["steps"] == n
    assert f"{states[-1][2]} mistake" in end["run"]["note"]
    freeze = max(1, n // 4)
    for k in sorted({0, 1, 2, freeze, freeze + 1, n // 2, n}):
        reply = shown(session, k, mistakes={})
        w, b, mistakes = states[k]
        assert reply["x"]["w"] == pytest.approx(w, abs=1e-9)
        assert reply["x"]["b"] == pytest.approx(b)
        view, text = reply["mistakes"], " ".join(reply["mistakes"]["says"])
        assert [count for _, count in view["online"]] == [state[2] for state in states[: k + 1]]
        seen = [value > 0 for value in reply["x"]["fade"]]
        assert seen == [row < k for row in range(n)]
        if k > freeze:
            fw, fb, count = states[freeze]
            for x1, x2, y in points[freeze:k]:
                count += not y * (fw @ [x1, x2] + fb) > 0
            assert view["frozen"][-1] == [k, count]
            assert f"Frozen after point {freeze}: {count} mistake" in text
        else:
            assert view["frozen"] is None
        if k:
            assert f"Online: {mistakes} mistake" in text
        if 0 < k < n:
            check_arrival(points[k - 1], states[k - 1], mistakes > states[k - 1][2], reply["run"]["note"])


def check_arrival(point, before, wrong: bool, note: str) -> None:
    (x1, x2, y), (w, b, _) = point, before
    f = w @ [x1, x2] + b
    assert ("nothing is learnt" in note) == (not wrong)
    assert ("on the boundary" in note) == (wrong and f == 0)
    if f != 0:
        assert f"predicted {'+1' if f > 0 else '−1'} and is {'+1' if y > 0 else '−1'}" in note


def test_the_truth_gives_the_labels_and_turns():
    session = started("stream")
    reply = shown(session, 150, mistakes={})
    scene, view = reply["scene"], reply["mistakes"]
    for row, (x1, x2, y) in enumerate(scene["points"]):
        u, v = truth_at(0.75, row)
        assert y == (1 if u * x1 + v * x2 >= 0 else -1)
    text = " ".join(view["says"])
    turned, online, frozen = re.search(
        rf"turned by ({NUMBER})°; the online line is ({NUMBER})° from it, the frozen one ({NUMBER})°", text
    ).groups()
    assert close(turned, 0.75 * 149, 3)
    truth, states = np.array(truth_at(0.75, 149)), learn(scene["points"], False, 150)
    for words, state in ((online, states[150]), (frozen, states[60])):
        cosine = float(truth @ state[0] / np.linalg.norm(state[0]))
        assert close(words, math.degrees(math.acos(cosine)), 3)
    assert reply["x"]["truth"] == pytest.approx(truth)
    end = shown(session, 240, mistakes={})["mistakes"]
    assert end["frozen"][-1][1] > 4 * end["online"][-1][1]
    still = shown(started("stream", drift=0), mistakes={})["mistakes"]
    assert still["frozen"][-1][1] < 2.5 * still["online"][-1][1]  # without a drift there is little to relearn


def test_a_stream_can_be_edited_and_carried_in_a_link():
    session = started("stream")
    x1, x2, y = session.scene.points[3]
    reply = session.handle({"op": "move", "row": 3, "point": [x1, x2, -y], "want": {"mistakes": {}}})
    assert "1 point so far has another label than it gives." in reply["mistakes"]["says"]
    again = Session()
    loaded = again.handle({"op": "load", "scene": reply["scene"], "want": {"mistakes": {}}})
    assert loaded["scene"] == reply["scene"]
    assert loaded["mistakes"] == reply["mistakes"]
    added = session.handle({"op": "add", "point": [1, 2, 1]})
    assert (added["run"]["steps"], added["run"]["step"]) == (241, 241)
    session.handle({"op": "seek", "step": 100})
    assert session.handle({"op": "remove", "row": 0})["run"]["step"] == 100
    turned = session.handle({"op": "set", "settings": {"drift": 1.5}, "want": {"mistakes": {}}})
    assert "another label" not in " ".join(turned["mistakes"]["says"])
    assert (
        session.handle({"op": "set", "settings": {"drift": 9}})["error"]
        == "drift must be a number from 0 to 5; got 9."
    )
    none = started("eight", algorithm="online")
    assert shown(none, mistakes={})["x"]["truth"] is None
    assert none.handle({"op": "set", "settings": {"drift": None}})["scene"]["drift"] is None


def test_the_script_of_a_stream_prints_the_numbers_of_the_page():
    session = started("stream")
    text = session.handle({"op": "python"})["python"]
    printed = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout
    end = shown(session)
    assert f"{end['run']['updates']} updates in 240 points" in printed
    w = [float(each) for each in re.search(r"w = \[([^\]]*)\]", printed)[1].split()]
    assert w == pytest.approx(end["x"]["w"], rel=1e-6)


def test_each_scene_has_the_pictures_that_speak_of_it():
    def tabs(**settings):
        offered = shown(started("eight", **settings))["run"]["tabs"]
        return [name for name in offered if name in ("risk", "theorem", "column", "stepsize", "mistakes")]

    assert tabs(algorithm="perceptron", bias="unit") == ["risk", "theorem", "column"]
    assert tabs(algorithm="perceptron", bias="none") == ["risk", "theorem"]
    assert tabs(algorithm="gradient", bias="radius") == ["risk", "column", "stepsize"]
    assert tabs(algorithm="gradient", bias="none", rule="line-search") == ["risk"]
    assert tabs(algorithm="online") == ["mistakes"]
    assert tabs(algorithm="kernel-perceptron") == []
    assert len({tab.key for tab in TABS}) == len(TABS)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_each_stage_opens_at_its_step_with_its_picture(stage):
    session = Session()
    reply = session.handle({"op": "stage", "name": stage.name, "want": {stage.tab: {}}})
    assert "error" not in reply
    assert stage.tab in reply["run"]["tabs"]
    assert reply[stage.tab] is not None
    assert stage.step is None or reply["run"]["step"] == stage.step


def test_wrong_options_are_refused_with_a_sentence():
    session = started("valley")
    for want in ({"stepsize": {"aspect": "wide"}}, {"risk": {"aspect": math.inf}}, {"theorem": 3}):
        assert session.handle({"op": "look", "want": want})["error"].endswith(".")


def test_no_picture_holds_up_a_drag():
    points = two_clouds(100)
    for algorithm, tab, settings in (
        ("perceptron", "theorem", {}),
        ("perceptron", "column", {}),
        ("gradient", "stepsize", {"start": "row", "step": 0.01}),
        ("gradient", "risk", {}),
        ("online", "mistakes", {"drift": 1.0}),
    ):
        session = started(points=points, algorithm=algorithm, **settings)
        times = []
        for k in range(7):
            message = {
                "op": "move",
                "row": 5,
                "point": [1.0 + 0.01 * k, 1.0, 1],
                "grab": 1,
                "want": {tab: {"quick": True}},
            }
            began = time.perf_counter()
            bare = session.handle(message | {"want": {}})
            middle = time.perf_counter()
            session.handle({"op": "look", "want": message["want"]})
            times.append(time.perf_counter() - middle)
            assert "error" not in bare
            assert middle >= began
        assert min(times) < 0.03, (tab, times)


def test_a_scene_without_a_drift_is_as_before():
    assert Scene().drift is None
    assert Scene(points=((0.0, 1.0, -1),)).labelled_by_truth().points == ((0.0, 1.0, -1),)
