"""The pictures of the perceptron's stages are true: every number is found anew with NumPy, SciPy or a plain loop.

Tests `lab/views/theorem.py`, `lab/views/column.py`, `lab/views/step_size.py`, `lab/views/mistakes.py`,
`lab/views/risk.py`, `lab/runs/online.py`, `lab/stages.py`.
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
from lab_reading import NUMBER, close, read, separable
from scipy.optimize import nnls

from separatrix import Perceptron
from separatrix.lab.presets import PRESETS
from separatrix.lab.scene import Scene, truth_at
from separatrix.lab.session import Session
from separatrix.lab.stages import STAGES
from separatrix.lab.views.catalogue import TABS

NAMES = [preset.name for preset in PRESETS]
OWN = ("risk", "theorem", "column", "stepsize", "mistakes")
ODD = {
    "origin and its copy": [[0, 0, 1], [1, 1, -1], [1, 1, -1], [2, 0, 1]],
    "two": [[1, 0, 1], [-1, 0, -1]],
    "one place, both classes": [[1, 2, 1], [1, 2, -1]],
    "far": [[1e6, 1e6, 1], [1e6, -1e6, -1], [-1e6, 3, 1]],
    "only the origin": [[0, 0, 1], [0, 0, -1]],
    "one at the origin": [[0, 0, 1], [1, 0, -1], [0, 1, -1]],
}


def started(preset: str | None = None, points=None, **settings) -> Session:
    session = Session()
    if points is None:
        session.handle({"op": "preset", "name": preset})
    else:
        session.handle({"op": "load", "scene": {"points": points, "algorithm": "perceptron"}})
    reply = session.handle({"op": "set", "settings": settings})
    assert "error" not in reply, reply
    return session


def shown(session: Session, step: int | None = None, **want):
    op = {"op": "look"} if step is None else {"op": "seek", "step": step}
    reply = session.handle(op | {"want": {"x": {}, "panel": {}, **want}})
    assert "error" not in reply, reply
    return reply


def lifted(scene) -> np.ndarray:
    points = np.array(scene["points"], dtype=float)
    radius = float(np.linalg.norm(points[:, :2], axis=1).max())
    c = {"none": 0.0, "unit": 1.0, "radius": radius or 1.0}[scene["bias"]]
    return np.column_stack([points[:, :2], np.full(len(points), c)])


def tilde(scene, x) -> np.ndarray:
    c = lifted(scene)[0, 2]
    return np.array([*x["w"], x["b"] / c if c else 0.0])


def widest(scene) -> float:
    """The distance of the origin from the convex hull of the vectors y (x, c), which is the widest margin."""
    Z = (lifted(scene) * np.array(scene["points"])[:, 2:]).T
    heavy = 1e5 * np.abs(Z).max()
    weights, _ = nnls(
        np.vstack([Z, np.full(Z.shape[1], heavy)]), np.array([0.0, 0.0, 0.0, heavy]), maxiter=10_000
    )
    return float(np.linalg.norm(Z @ weights) / weights.sum())


def at(curve, k: float) -> float:
    return float(np.interp(k, [place[0] for place in curve], [place[1] for place in curve]))


def check_theorem(reply, separated: bool) -> None:
    scene, x, view = reply["scene"], reply["x"], reply["theorem"]
    k, step, start = reply["run"]["updates"], scene["step"], float(scene["start"] == "row")
    rows, w = lifted(scene), tilde(scene, x)
    reach = float(np.linalg.norm(rows, axis=1).max())
    slack = 1e-9 * (1.0 + reach * (1.0 + step * k))
    text = " ".join(view["says"])
    if not reply["run"]["by_hand"]:
        assert view["norm"][-1] == pytest.approx([k, np.linalg.norm(w)], abs=slack)
        assert np.linalg.norm(w) <= reach * math.sqrt(start + step * step * k) + slack
    for place, value in view["upper"]:
        assert value == pytest.approx(reach * math.sqrt(start + step * step * place))
    assert (view["lower"] is not None) == separated
    assert ("They meet" in text) == separated
    assert ("promises no end" in text) == (not separated)
    assert ("x̃" in text) == (scene["bias"] != "none")
    if not separated:
        assert view["bound"] is None
        assert view["meet"] is None
        return
    m = widest(scene)
    assert view["bound"] == reply["panel"]["updates"]["bound"] if reply["panel"]["updates"] else True
    for place, value in view["lower"]:
        assert value == pytest.approx(m * (start + step * place), rel=2e-4)
    for (place, along), (_, norm) in zip(view["along"], view["norm"], strict=True):
        assert along >= view["lower"][0][1] + place * step * m * (1 - 1e-4) - slack
        assert along <= norm + slack
    if view["meet"]:
        place, value = view["meet"]["at"]
        assert value == pytest.approx(reach * math.sqrt(start + step * step * place), rel=1e-9)
    assert k <= view["bound"] + 1e-9
    if found := re.search(rf"has y u·x̃? ≥ m = ({NUMBER})", text):
        assert read(found[1]) == pytest.approx(m, rel=2e-3)


@pytest.mark.parametrize("preset", NAMES)
def test_the_run_stays_between_the_curves_of_the_theorem(preset):
    for bias, start, step, order in [
        ("none", "zero", 1.0, "cyclic"),
        ("unit", "zero", 0.3, "shuffle"),
        ("radius", "row", 1.0, "cyclic"),
        ("unit", "row", 4.0, "shuffle"),
    ]:
        session = started(preset, algorithm="perceptron", bias=bias, start=start, step=step, order=order)
        end = shown(session, theorem={})
        separated = separable(end["scene"])
        check_theorem(end, separated)
        if separated and end["run"]["over"]:
            assert f"stopped after {end['run']['updates']} update" in end["theorem"]["says"][-1]
        for k in sorted({0, 1, 2, end["run"]["steps"] // 2}):
            reply = shown(session, k, theorem={"whole": k != 2})
            check_theorem(reply, separated)
            if k and not reply["run"]["over"]:
                check_last_update(session, reply)


def check_last_update(session, reply) -> None:
    """The numbers of this step in both lines of the proof."""
    scene, view, row = reply["scene"], reply["theorem"], reply["run"]["row"]
    before = tilde(scene, shown(session, reply["run"]["step"] - 1)["x"])
    session.handle({"op": "step"})
    after, x, y = tilde(scene, reply["x"]), lifted(scene)[row], scene["points"][row][2]
    assert after == pytest.approx(before + scene["step"] * y * x, rel=1e-9, abs=1e-9)
    text = " ".join(view["says"])
    mixed, sign, own, total = re.search(
        rf"at this step by ({NUMBER}) ([+−]) ({NUMBER}) = ({NUMBER})", text
    ).groups()
    assert close(mixed, 2 * scene["step"] * y * float(before @ x))
    assert read(mixed) <= 1e-9
    assert sign == "+"
    assert close(own, scene["step"] ** 2 * float(x @ x))
    assert read(total) == pytest.approx(float(after @ after - before @ before), rel=2e-3, abs=1e-2)
    if view["along"] and len(view["along"]) > 1:
        found = re.search(rf"by ({NUMBER}) at this step, on point (\d+)", text)
        assert int(found[2]) == row + 1
        assert read(found[1]) == pytest.approx(
            view["along"][-1][1] - view["along"][-2][1], rel=2e-3, abs=1e-6
        )


def test_a_bound_that_no_picture_holds_is_only_a_number():
    points = [[1, 1e-6, 1], [1, -1e-6, -1], [-1, 1e-6, 1]]
    reply = shown(started(points=points, bias="none"), theorem={})
    assert reply["theorem"]["meet"] is None
    assert reply["theorem"]["whole"] is False
    assert reply["theorem"]["bound"] > 1e7
    assert max(place for place, _ in reply["theorem"]["upper"]) < 1e5


@pytest.mark.parametrize("preset", NAMES)
@pytest.mark.parametrize("algorithm", ["perceptron", "gradient"])
def test_the_plane_cuts_the_height_of_the_column_in_the_line_of_x_space(preset, algorithm):
    for bias, step in (("unit", 1.0), ("radius", 0.5)):
        session = started(preset, algorithm=algorithm, bias=bias, step=step)
        steps = shown(session)["run"]["steps"]
        before = None
        for k in range(min(steps, 12) + 1):
            reply = shown(session, k, column={})
            view, scene, x = reply["column"], reply["scene"], reply["x"]
            rows, w = lifted(scene), tilde(scene, x)
            size = np.linalg.norm(w) * view["extent"] + 1e-12
            assert view["height"] == rows[0, 2]
            assert rows @ w == pytest.approx(
                np.array(x["functional"]) * np.array(scene["points"])[:, 2], abs=1e-9 * size
            )
            for corner in [*view["plane"], *view["cut"]]:
                assert abs(float(w @ np.array(corner))) <= 1e-9 * size
                assert np.all(np.abs(corner) <= 1.5 * view["extent"] * (1 + 1e-9))
            for end in view["cut"]:
                assert end[2] == view["height"]
            assert (len(view["plane"]) == 0) == (not np.any(w))
            assert view["wrong"] == np.flatnonzero(~(np.array(x["functional"]) > 0)).tolist()
            text = " ".join(view["says"])
            assert ("no plane yet" in text) == (not np.any(w))
            assert ("R²" in text) == (bias == "radius")
            assert "times ε = 0.5" in text or step == 1.0
            if found := re.search(r"b by ([+−])(\S+)\.(?: |$)", text):
                moved = read(found[2]) * (1 if found[1] == "+" else -1)
                assert moved == pytest.approx(x["b"] - before["x"]["b"], rel=2e-3, abs=1e-9)
                rows_used = view["step"]["rows"]
                gain = step * sum(scene["points"][row][2] for row in rows_used) * rows[0, 2] ** 2
                assert moved == pytest.approx(gain, rel=2e-3, abs=1e-9)
            before = reply


@pytest.mark.parametrize("preset", NAMES)
@pytest.mark.parametrize("algorithm", ["gradient", "perceptron", "soft-margin", "hard-margin"])
def test_the_risk_is_its_formula(preset, algorithm):
    session = started(preset, algorithm=algorithm)
    steps = shown(session)["run"]["steps"]
    for k in sorted({0, 1, 2, steps}):
        reply = shown(session, k, risk={})
        view, scene, x = reply["risk"], reply["scene"], reply["x"]
        points = np.array(scene["points"])
        losses = np.maximum(0, -points[:, 2] * (points[:, :2] @ np.array(x["w"]) + x["b"]))
        text = view["says"][0]
        if algorithm in ("gradient", "perceptron"):
            assert view["here"] == pytest.approx(losses.sum(), abs=1e-9)
            if losses.sum() > 1e-9:
                assert close(re.search(rf"= ({NUMBER}) \(", text)[1], losses.sum())
                if "+ " in (total := text.partition("points = ")[2]) and "+ b" not in total:
                    terms = [read(each) for each in re.findall(NUMBER, total.partition(" (")[0])]
                    assert sum(terms[:-1]) == pytest.approx(terms[-1], rel=5e-3)
                named = (
                    [int(each) for each in re.findall(r"\d+", re.search(r"\(points? ([^)]*)\)", text)[1])]
                    if "(point" in text
                    else []
                )
                assert not named or named == (np.flatnonzero(losses > 0) + 1).tolist()
            elif np.any(x["w"]) or x["b"]:
                touching = np.count_nonzero(losses == 0) and np.count_nonzero(np.array(x["functional"]) == 0)
                assert ("y f = 0" in text) == bool(touching)
                assert touching or "no point is misclassified" in text
            else:
                assert "at w = 0 too" in text
            curve = dict(view["curve"])
            assert curve[k] == pytest.approx(view["here"], abs=1e-9)
        else:
            assert close(re.search(rf"= ({NUMBER})", text)[1], view["here"])
        assert ("cut at b" in " ".join(view["says"])) is False
    if shown(session)["scene"]["bias"] != "none":
        assert "cut at b = 17" in " ".join(shown(session, risk={"slice": 17})["risk"]["says"])


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


def check_sentences(reply) -> None:
    for name in OWN:
        for text in (reply.get(name) or {}).get("says", []):
            assert not re.search(r"\brows?\b|\[object|undefined|\bnan\b|None|  |\{|\}", text), text
            assert text[0].isupper() or text[0] in "½ε‖0123456789", text
            assert text.endswith("."), text


@pytest.mark.parametrize(
    "algorithm", ["gradient", "perceptron", "online", "soft-margin", "kernel-perceptron"]
)
@pytest.mark.parametrize("name", ODD)
def test_odd_points_are_spoken_of_truly(name, algorithm):
    want = {tab: {} for tab in OWN}
    for bias in ("none", "unit", "radius"):
        for start in ("zero", "row"):
            session = started(points=ODD[name], algorithm=algorithm, bias=bias, start=start)
            for message in (
                {"op": "look"},
                {"op": "seek", "step": 0},
                {"op": "step"},
                {"op": "step", "count": 3},
            ):
                reply = session.handle(message | {"want": want | {"x": {}, "panel": {}}})
                assert "error" not in reply, reply
                check_sentences(reply)
                if algorithm == "perceptron":
                    check_theorem(reply, reply["panel"]["updates"]["bound"] is not None)
            if algorithm != "kernel-perceptron":
                held = session.handle(
                    {"op": "hold", "w": [1, -2], "b": 0.5, "want": want | {"x": {}, "panel": {}}}
                )
                assert "error" not in held, held
                check_sentences(held)
                if held["theorem"] is not None and held["theorem"]["lower"] is not None:
                    assert "is not in them" in held["theorem"]["says"][-1]
                if held["mistakes"] is not None and ODD[name]:
                    assert held["run"]["step"] == 0 or "is not in it" in held["mistakes"]["says"][-1]


def test_each_scene_has_the_pictures_that_speak_of_it():
    def tabs(**settings):
        return shown(started("eight", **settings))["run"]["tabs"]

    assert tabs(algorithm="perceptron", bias="unit") == ["w", "solid", "risk", "theorem", "column"]
    assert tabs(algorithm="perceptron", bias="none") == ["w", "solid", "risk", "theorem"]
    assert tabs(algorithm="gradient", bias="radius") == ["w", "solid", "risk", "column", "stepsize"]
    assert tabs(algorithm="gradient", bias="none", rule="line-search") == ["w", "solid", "risk"]
    assert tabs(algorithm="online") == ["w", "solid", "mistakes"]
    assert not {"theorem", "column", "stepsize", "mistakes"} & set(tabs(algorithm="kernel-perceptron"))
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
