"""Everything the page says is true: every preset with every algorithm, step by step, against what others compute.

The facts are found anew here, with NumPy and SciPy's linear programming, and the sentences are read as a visitor would.
Tests `lab/formulas.py`, `lab/hand.py`, `lab/panel.py`, `lab/wedge.py`, `lab/words.py`, `lab/wview.py`.
"""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np
import pytest
from scipy.optimize import linprog

from separatrix.lab.presets import BY_NAME, PRESETS
from separatrix.lab.scene import ALGORITHMS
from separatrix.lab.session import Session

WANT = {"x": {}, "w": {}, "panel": {}}
PERCEPTRONS = ("gradient", "perceptron", "kernel-perceptron")
NUMBER = r"−?\d+(?:\.\d+)?(?:·10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?"
_POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read(text: str) -> float:
    """A number as the page writes it."""
    mantissa, _, power = text.replace("−", "-").partition("·10")
    return float(mantissa) * 10.0 ** int(power.translate(_POWERS) or 0)


def close(text: str, value: float, digits: int = 4) -> bool:
    """True if the text is the value, rounded; with a power of ten it has a digit less."""
    digits -= "·10" in text
    return abs(read(text) - value) <= 0.6 * 10.0 ** (1 - digits) * abs(value) + 1e-9


def room(points, b: float | None, level: float) -> float:
    """The largest t <= 1 with y (w.x + b) >= level + t on all points for some w (and b, where it is None)."""
    rows = tuple(tuple(point) for point in points)
    return _room(rows, b, level)


@cache
def _room(points, b, level) -> float:
    X, y = np.array([p[:2] for p in points]), np.array([p[2] for p in points], dtype=float)
    columns = [y[:, None] * X, y[:, None] if b is None else np.zeros((len(y), 1)), -np.ones((len(y), 1))]
    right = np.full(len(y), level) if b is None else level - y * b
    found = linprog(
        [0, 0, 0, -1],
        A_ub=-np.hstack(columns),
        b_ub=-right,
        bounds=[(None, None)] * 3 + [(None, 1)],
        method="highs",
    )
    assert found.status == 0, found.message
    return -found.fun


def separable(scene) -> bool:
    return room(scene["points"], 0.0 if scene["bias"] == "none" else None, 0.0) > 1e-9


def functional(scene, w, b) -> np.ndarray:
    points = np.array(scene["points"])
    return points[:, 2] * (points[:, :2] @ np.array(w) + b)


def walk(preset: str, algorithm: str, **settings):
    """The replies of the page from the first step to the last, and the session."""
    session = Session()
    session.handle({"op": "preset", "name": preset})
    session.handle({"op": "set", "settings": {"algorithm": algorithm, **settings}})
    steps = session.handle({"op": "look"})["run"]["steps"]
    reply = session.handle({"op": "seek", "step": 0, "want": WANT})
    yield session, reply
    for _ in range(steps):
        reply = session.handle({"op": "step", "want": WANT})
        yield session, reply


def check_texts(reply) -> None:
    panel = reply["panel"]
    texts = [
        reply["run"]["note"],
        *reply["run"]["formulas"],
        panel["verdict"]["sentence"],
        panel["step_size"],
    ]
    texts += [(panel["updates"] or {}).get("says", ""), (reply["w"] or {}).get("says", "")]
    for text in texts:
        assert not re.search(r"\brows?\b|\[object|undefined|\bnan\b|None|  ", text), text


def check_verdict(reply) -> None:
    verdict, scene = reply["panel"]["verdict"], reply["scene"]
    assert (verdict["kind"] == "separable") == separable(scene)
    assert verdict["sentence"].lower().startswith(verdict["kind"])
    assert ("through the origin" in verdict["sentence"]) == (scene["bias"] == "none")


def check_wedge(reply) -> None:
    """Shading and words of w-space against a linear program in the plane of this b."""
    w, scene = reply["w"], reply["scene"]
    if w is None:
        return
    level, says, there = w["level"], w["says"], separable(scene)
    space = room(scene["points"], w["b"], level)
    if abs(space) > 1e-7:
        assert (space > 0) == (w["kind"] in ("room", "far", "thin")), (space, w["kind"])
    if w["kind"] == "thin":
        assert abs(space) < 1e-3
    assert (w["kind"] == "none") == (
        not there or (scene["bias"] == "none" and w["kind"] not in ("room", "far", "thin"))
    )
    assert ("shaded" in says) == (w["kind"] == "room") == (len(w["wedge"]) > 2 and w["kind"] != "far")
    assert ("at another b" in says) <= (there and scene["bias"] != "none")
    assert ("at any b" in says) == (not there and scene["bias"] != "none")
    assert ("b" in says.replace("w·x + b", "").split()) <= (scene["bias"] != "none")
    if w["kind"] == "room":
        inside = np.mean(w["wedge"], axis=0)
        assert np.min(functional(scene, inside, w["b"])) > level


def check_rings(session, reply) -> None:
    """Rings: at the end the library's support vectors; on the way, only points at the edge of the slab or inside."""
    scene, kinds, play = reply["scene"], reply["x"]["kinds"], session.playback
    if scene["algorithm"] in PERCEPTRONS:
        assert "margin" not in kinds
        return
    margins = np.array(reply["x"]["functional"])
    model = play.answers.model
    if reply["run"]["over"] and model is not None:
        expected = np.full(len(kinds), "", dtype=object)
        expected[model.support_] = model.support_kind_
        assert kinds == expected.tolist()
    for kind, margin in zip(kinds, margins, strict=True):
        if kind == "margin":
            assert abs(margin - 1.0) < 2e-3
        elif kind == "slack":
            assert margin < 1.0 + 2e-3


def check_note(before, reply, session) -> None:
    """What the step did, seen from the w before it and the w after it."""
    note, scene, run = reply["run"]["note"], reply["scene"], reply["run"]
    y = np.array([point[2] for point in scene["points"]])
    if found := re.match(r"Pass \d+: point (\d+) was misclassified", note):
        row = int(found[1]) - 1
        assert row in run["named"]
        assert before["x"]["functional"][row] <= 1e-12
        if "jumps" in note:
            assert ("along it" in note) == (y[row] > 0)
    if found := re.match(r"(\d+) points? (?:was|were) misclassified", note):
        assert int(found[1]) == np.count_nonzero(np.array(before["x"]["functional"]) <= 0)
    if scene["algorithm"] == "hard-margin":
        for part in re.split(r"[;,]", note):
            rows = [int(each) - 1 for each in re.findall(r"\d+", part)]
            margins = np.array(before["x"]["functional"])[rows]
            if "inside the slab" in part and "no point" not in part:
                assert np.all(margins < 1.0)
            if "held on the margin" in part or "held first" in part:
                assert np.array(reply["x"]["functional"])[rows] == pytest.approx(np.ones(len(rows)), abs=1e-9)
                assert all(reply["panel"]["rows"]["alpha"][row] > 0 for row in rows)
                assert set(rows) <= set(run["named"])
            if "let go" in part:
                assert all(
                    reply["panel"]["rows"]["alpha"][row] == 0 < before["panel"]["rows"]["alpha"][row]
                    for row in rows
                )
    if found := re.search(rf"relative gap, recomputed from the data, is ({NUMBER})", note):
        primal, dual = (reply["panel"]["objective"][name][-1] for name in ("primal", "dual"))
        assert close(found[1], (primal - dual) / abs(primal), 3)
    if "no end" in note or "never" in note:
        assert not separable(scene)


def vectors(text: str) -> list[np.ndarray]:
    return [
        np.array([read(part) for part in found.split(", ")]) for found in re.findall(r"\(([^()]*)\)", text)
    ]


def check_formulas(before, reply) -> None:
    """Each line adds up, begins at the numbers before and ends at those now."""
    scene, lines, x = reply["scene"], reply["run"]["formulas"], reply["x"]
    assert any(line.startswith("b ←") for line in lines) <= (scene["bias"] != "none")
    for line in lines:
        digits = 2e-3 * (1.0 + float(np.max(np.abs([read(n) for n in re.findall(NUMBER, line)]))))
        if line.startswith("w ←"):
            old, moved, new = vectors(line)
            times = re.search(rf"([+−]) (?:({NUMBER})·)?\([^()]*\) = \([^()]*\)$", line)
            sign = 1.0 if times[1] == "+" else -1.0
            assert old + sign * (read(times[2]) if times[2] else 1.0) * moved == pytest.approx(
                new, abs=digits
            )
            assert new == pytest.approx(x["w"], abs=digits)
            assert old == pytest.approx(before["x"]["w"], abs=digits)
        elif line.startswith("b ←"):
            old, sign, moved, new = re.search(rf"= ({NUMBER}) ([+−]) ({NUMBER}) = ({NUMBER})$", line).groups()
            assert read(old) + (1 if sign == "+" else -1) * read(moved) == pytest.approx(
                read(new), abs=digits
            )
            assert read(new) == pytest.approx(x["b"], abs=digits)
            assert ("R²" in line) == (scene["bias"] == "radius")
        elif line.startswith("α"):
            row, old, step, new = re.search(
                rf"^α(\S+) ← .* = ({NUMBER}) \+ ({NUMBER}) = ({NUMBER})$", line
            ).groups()
            row = int(row.translate(str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789"))) - 1
            assert read(old) + read(step) == pytest.approx(read(new), abs=digits)
            assert close(new, reply["panel"]["rows"]["alpha"][row])
        elif line.startswith("w = Σ"):
            assert vectors(line)[-1] == pytest.approx(x["w"], abs=digits)
        elif line.startswith("slab"):
            assert close(re.search(rf"= ({NUMBER})$", line)[1], x["slab_width"])
        elif line.startswith("½"):
            half, cost, slack, value = re.search(
                rf"= ({NUMBER}) \+ ({NUMBER})·({NUMBER}) = ({NUMBER})$", line
            ).groups()
            assert read(half) + read(cost) * read(slack) == pytest.approx(
                read(value), abs=digits * (1 + read(cost))
            )
            assert close(half, 0.5 * x["norm"] ** 2)
            assert close(value, reply["panel"]["objective"]["primal"][-1])
        else:
            assert line.startswith("primal − dual")
            assert close(re.search(rf"= ({NUMBER})", line)[1], reply["panel"]["objective"]["primal"][-1])


def check_ending(session, reply) -> None:
    note, run, model = reply["run"]["note"], reply["run"], session.playback.answers.model
    if found := re.search(r"ended after (\d+) (?:updates?|steps?)", note):
        assert int(found[1]) == model.n_updates_ == run["updates"] == reply["panel"]["updates"]["count"]
    if found := re.search(r"after (\d+) (?:iterations?|epochs?)", note):
        assert int(found[1]) + 1 == run["step"] == run["steps"]
    if found := re.search(r"step (\d+) is the answer", note):
        assert int(found[1]) == run["step"]
    if "have met" in note:
        assert model.gap_ <= 1e-3
    if "no hard margin" in note:
        assert model is None
    if "widest slab" in note:
        assert np.min(reply["x"]["functional"]) >= 1.0 - 1e-9


def check_bound(reply, settings) -> None:
    """The bound follows from the numbers that the sentence beside it names."""
    updates, scene = reply["panel"]["updates"], reply["scene"]
    if updates is None or updates["bound"] is None:
        return
    assert updates["count"] <= updates["bound"]
    says = updates["says"]
    top, bottom, ratio = re.search(rf"= ([^=]*)/({NUMBER}) = ({NUMBER})", says).groups()
    numbers = [read(each) for each in re.findall(NUMBER, top)]
    value = {"none": numbers[0], "unit": sum(numbers), "radius": math.prod(numbers)}[scene["bias"]]
    assert value / read(bottom) == pytest.approx(read(ratio), rel=1e-3)
    rho, n = read(ratio), len(scene["points"])
    if "largest k" in says:
        k, extra = updates["bound"], 1.0 if scene["start"] == "row" else 0.0
        total = 2 * (math.sqrt(k + 1) - 1) + extra
        tight = [total / (n * rho + extra), total**2 / (rho * (n * n * (1 + math.log(max(k, 1))) + extra))]
        assert max(tight) == pytest.approx(1.0, rel=1e-2)
        return
    if "(q + 1)" in says:
        q = read(re.search(rf"q = ({NUMBER})", says)[1])
        expected = (q + 1) ** 2 / (4 * q) * rho - (1 if "ρ² − 1" in says else 0)
    elif "h + √" in says:
        h = rho / 2 - 1 / scene["step"]
        expected = h + math.sqrt(h * h + (rho - 1) / scene["step"] ** 2)
    else:
        expected = rho - (1 if "ρ² − 1" in says else 0)
    assert updates["bound"] == pytest.approx(expected, rel=1e-3)


def check_walk(preset: str, algorithm: str, **settings) -> int:
    before, steps = None, 0
    for session, reply in walk(preset, algorithm, **settings):
        assert "error" not in reply
        check_texts(reply)
        if steps == 0:
            check_verdict(reply)
        check_wedge(reply)
        check_rings(session, reply)
        if before is not None:
            check_note(before, reply, session)
            if not reply["run"]["leapt"]:
                check_formulas(before, reply)
        before, steps = reply, steps + 1
    check_ending(session, before)
    check_bound(before, settings)
    return steps


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("preset", [preset.name for preset in PRESETS])
def test_what_is_said_at_every_step_is_true(preset, algorithm):
    assert check_walk(preset, algorithm) > 1 or not BY_NAME[preset]


@pytest.mark.parametrize("preset", ["eight", "origin", "touching"])
@pytest.mark.parametrize(
    "settings",
    [
        {"algorithm": "perceptron", "bias": "radius", "step": 0.5, "order": "shuffle"},
        {"algorithm": "perceptron", "bias": "none", "start": "row", "step": 2.5},
        {"algorithm": "gradient", "rule": "decreasing"},
        {"algorithm": "gradient", "rule": "decreasing", "start": "row", "bias": "radius"},
        {"algorithm": "gradient", "rule": "line-search", "bias": "none"},
        {"algorithm": "gradient", "step": 0.1, "start": "row"},
        {"algorithm": "soft-margin", "loss": "squared_hinge", "bias": "none"},
        {"algorithm": "soft-margin", "solver": "coordinate-descent", "C": 0.1},
        {"algorithm": "kernel-perceptron", "kernel": "rbf", "bias": "radius"},
        {"algorithm": "kernel-svm", "C": 1e4, "gamma": 100.0, "kernel": "rbf"},
    ],
)
def test_what_is_said_is_true_with_other_settings(preset, settings):
    check_walk(preset, **settings)


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


@pytest.mark.parametrize("algorithm", ["perceptron", "gradient"])
def test_from_zero_the_step_size_changes_nothing_but_the_length_of_w(algorithm):
    runs = []
    for step in (0.5, 1.0, 4.0):  # powers of two: not even rounding differs
        replies = [reply for _, reply in walk("origin", algorithm, step=step, start="zero")]
        assert "does not matter" in replies[0]["panel"]["step_size"]
        runs.append([(reply["run"]["row"], np.array(reply["x"]["w"]) / step) for reply in replies])
    for first, second in zip(runs[0], runs[1], strict=True):
        assert first[0] == second[0]
        assert first[1] == pytest.approx(second[1], abs=0)
    assert len(runs[1]) == len(runs[2])
    (reply, *_) = (reply for _, reply in walk("origin", algorithm, start="row"))
    assert reply["panel"]["step_size"] == ""


def test_a_run_that_the_page_keeps_no_further_says_so():
    session = Session()
    session.handle({"op": "preset", "name": "xor"})
    session.handle({"op": "set", "settings": {"algorithm": "perceptron"}})
    for _ in range(5):
        reply = session.handle({"op": "step", "count": 500})
    assert reply["run"]["step"] == 1999
    assert reply["run"]["full"]
    assert "keeps 1999 steps" in reply["run"]["note"]
    assert "no end" in reply["run"]["note"]
