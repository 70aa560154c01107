"""Everything the page says is true: every preset with every algorithm, step by step, against what others compute.

The facts are found anew here, with NumPy and SciPy's linear programming, and the sentences are read as a visitor would.
Tests `lab/formulas.py`, `lab/views/panel.py`, `lab/words.py`, `lab/views/w.py`.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from lab_reading import NUMBER, WANT, check_wedge, close, read, separable

from separatrix.lab.presets import PRESETS
from separatrix.lab.scene import ALGORITHMS
from separatrix.lab.session import Session

PERCEPTRONS = ("gradient", "perceptron", "online", "kernel-perceptron")


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
    assert check_walk(preset, algorithm) > 1


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
