"""The curves of the theorem, the lifted points and the risk are true: every number is found anew with NumPy and SciPy.

Tests `lab/views/theorem.py`, `lab/views/column.py`, `lab/views/risk.py`.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from lab_reading import NUMBER, close, lifted, read, separable, shown, started, tilde
from scipy.optimize import nnls

from separatrix.lab.presets import PRESETS

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


def widest(scene) -> float:
    """The distance of the origin from the convex hull of the vectors y (x, c), which is the widest margin."""
    Z = (lifted(scene) * np.array(scene["points"])[:, 2:]).T
    heavy = 1e5 * np.abs(Z).max()
    weights, _ = nnls(
        np.vstack([Z, np.full(Z.shape[1], heavy)]), np.array([0.0, 0.0, 0.0, heavy]), maxiter=10_000
    )
    return float(np.linalg.norm(Z @ weights) / weights.sum())


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
