"""The lift and the Gram matrix: what is drawn and said, against kernels and planes worked out here.

Tests `lab/views/lift.py`, `lab/views/gram.py`.
"""

from __future__ import annotations

import base64
import math
import re

import numpy as np
import pytest
from lab_reading import NUMBER, close, read

from separatrix.lab.presets import PRESETS
from separatrix.lab.scene import Scene
from separatrix.lab.session import Session
from separatrix.lab.stages import STAGES
from separatrix.lab.views.gram import block_means, kernel_pair
from separatrix.lab.views.lift import conic, cut, lifted, plane_corners

WANT = {"x": {}, "lift": {}, "gram": {}}
SQUARE = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 0.0}


def kernel(scene, x, z) -> float:
    """The kernel's formula, written once more."""
    if scene["kernel"] == "rbf":
        return math.exp(-scene["gamma"] * float(np.sum((x - z) ** 2)))
    return (scene["gamma"] * float(x @ z) + scene["coef0"]) ** scene["degree"]


def rows(reply) -> tuple[np.ndarray, np.ndarray]:
    points = np.array(reply["scene"]["points"])
    return points[:, :2], points[:, 2]


def walk(preset: str, algorithm: str, **settings):
    session = Session()
    session.handle({"op": "preset", "name": preset})
    session.handle({"op": "set", "settings": {"algorithm": algorithm, **settings}})
    steps = session.handle({"op": "look"})["run"]["steps"]
    for step in sorted({0, 1, 2, steps // 2, steps}):
        reply = session.handle({"op": "seek", "step": step, "want": WANT})
        assert "error" not in reply
        yield session, reply


def check_lift(reply) -> None:
    lift, scene = reply["lift"], reply["scene"]
    X, y = rows(reply)
    places, w, b = np.array(lift["places"]), np.array(lift["w"]), lift["b"]
    gamma = scene["gamma"]
    assert places == pytest.approx(
        gamma * np.column_stack([X[:, 0] ** 2, math.sqrt(2) * X[:, 0] * X[:, 1], X[:, 1] ** 2])
    )
    f = places @ w + b
    scale = 1.0 + np.max(np.abs(places)) * np.linalg.norm(w)
    assert y * f == pytest.approx(reply["x"]["functional"], abs=1e-6 * scale)  # the plane is x-space's f
    sure = np.abs(f) > 1e-6 * scale
    assert np.sign(f)[sure].tolist() == np.array(lift["sides"])[sure].tolist()
    says, wrong = lift["says"], int(np.count_nonzero(~(y * np.array(lift["sides"]) > 0)))
    if not np.any(w):
        assert "no plane yet" in says
        assert lift["plane"] == lift["cut"] == []
        return
    assert ("Every point is on its own side" in says) == (wrong == 0)
    if found := re.search(r"(\d+) of \d+ points are not", says):
        assert int(found[1]) == wrong
    elif found := re.search(r"[Pp]oints? ([\d, and]+) (?:is|are) not", says):
        assert len(re.findall(r"\d+", found[1])) == wrong
    vector = [read(each) for each in re.search(r"w = \(([^)]*)\)", says)[1].split(", ")]
    assert vector == pytest.approx(w, rel=1e-3, abs=1e-9)
    for corner in lift["plane"]:
        assert np.dot(corner, w) + b == pytest.approx(0.0, abs=1e-9 * scale)
    for line in lift["cut"]:
        u = np.array(line)
        assert u @ w + b == pytest.approx(np.zeros(len(u)), abs=1e-6 * scale)
        assert 2 * u[:, 0] * u[:, 2] == pytest.approx(u[:, 1] ** 2, abs=1e-5 * lift["size"] ** 2)
    check_conic(says, w, b)


def check_conic(says: str, w, b) -> None:
    """The name of the curve against the signs of f on rays: where it is zero, and how far out."""
    angles = np.linspace(0, math.pi, 20001)
    along = np.column_stack(
        [np.cos(angles) ** 2, math.sqrt(2) * np.cos(angles) * np.sin(angles), np.sin(angles) ** 2]
    )
    slope = along @ np.array(w)
    meets = np.flatnonzero(slope * b < 0)
    both = np.min(slope) < 0 < np.max(slope)
    if "an ellipse" in says or "a circle" in says:
        assert len(meets) == len(angles)
    elif "hyperbola" in says:
        assert both
        assert b != 0
    elif "pair of lines" in says:
        assert both
        assert b == 0
    elif "empty" in says:
        assert len(meets) == 0
        assert b != 0
    elif "origin alone" in says:
        assert b == 0
        assert not both


def check_equation(reply) -> None:
    pair, scene = reply["lift"]["pair"], reply["scene"]
    X, _ = rows(reply)
    i, j = pair["rows"]
    expected = kernel(scene, X[i], X[j])
    assert pair["kernel"] == pytest.approx(expected, rel=1e-12)
    assert pair["inner"] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    first, second, _ = pair["lines"]
    assert close(re.search(rf"= ({NUMBER})$", first)[1], expected, 6)
    assert close(re.search(rf"= ({NUMBER})$", second)[1], expected, 6)
    terms = re.search(r"φ\(x\)·φ\(z\) = (.*) = ", second)[1]
    signs = re.findall(rf"(?:^|([+−]) )({NUMBER})", terms)
    total = sum((-1 if sign == "−" else 1) * read(value) for sign, value in signs)
    assert total == pytest.approx(expected, rel=1e-3, abs=1e-4)


def check_gram(reply) -> None:
    gram, scene = reply["gram"], reply["scene"]
    X, y = rows(reply)
    order = gram["order"]
    assert sorted(order) == list(range(len(y)))
    assert y[order].tolist() == sorted(y.tolist(), reverse=True)
    K = np.array([[kernel(scene, X[i], X[j]) for j in order] for i in order])
    levels = np.frombuffer(base64.b64decode(gram["cells"]), dtype=np.int8).reshape(K.shape)
    assert gram["largest"] == pytest.approx(np.abs(K).max())
    assert levels * gram["largest"] / 127 == pytest.approx(K, abs=0.51 * gram["largest"] / 127)
    assert (gram["least"], gram["most"]) == (pytest.approx(K.min(), abs=1e-12), pytest.approx(K.max()))
    first, says = gram["plus"], gram["says"]
    pairs = [(i, j) for i in range(len(y)) for j in range(len(y)) if i != j]
    mean = lambda keep: float(np.mean([K[i, j] for i, j in pairs if keep(i, j)]))  # noqa: E731
    between = mean(lambda i, j: (i < first) != (j < first))
    assert close(re.search(rf"and ({NUMBER}) between", says)[1], between, 3)
    larger = []
    for name, inside in (("+1", lambda i: i < first), ("−1", lambda i: i >= first)):
        if sum(inside(i) for i in range(len(y))) == 1:  # no two points to compare
            assert f"within {name}" not in says
            assert "the other class has one point" in says
            continue
        value = mean(lambda i, j, inside=inside: inside(i) and inside(j))
        assert close(re.search(rf"({NUMBER}) within {re.escape(name)}", says)[1], value, 3)
        larger.append(value > between)
    if len(larger) == 1:
        assert ("not larger" in says) == (not larger[0])
    assert ("within both" in says) == (larger == [True, True])
    assert ("within neither" in says) == (larger == [False, False])
    assert ("alone" in says) == (len(set(larger)) == 2)
    i, j = gram["cell"]["rows"]
    assert close(re.search(rf"= ({NUMBER})\.$", gram["cell"]["says"])[1], kernel(scene, X[i], X[j]), 6)
    assert ("one class" in gram["cell"]["says"]) == (y[i] == y[j])


@pytest.mark.parametrize("algorithm", ["kernel-perceptron", "kernel-svm"])
@pytest.mark.parametrize("preset", [preset.name for preset in PRESETS])
def test_the_plane_is_what_x_space_shows_and_its_words_are_true(preset, algorithm):
    for settings in (SQUARE, SQUARE | {"gamma": 0.25, "bias": "none"}):
        for _, reply in walk(preset, algorithm, **settings):
            check_lift(reply)
            check_equation(reply)
            check_gram(reply)


@pytest.mark.parametrize(
    "settings", [{"kernel": "rbf"}, {"kernel": "poly", "degree": 3}, SQUARE | {"coef0": 2.5}]
)
@pytest.mark.parametrize("preset", ["circles", "eight", "xor"])
def test_the_matrix_of_other_kernels(preset, settings):
    for _, reply in walk(preset, "kernel-svm", **settings):
        check_gram(reply)
        assert reply["lift"] is None or not reply["lift"]["lifted"]


@pytest.mark.parametrize("stage", [stage for stage in STAGES if stage.make().has_kernel])
def test_a_stage_opens_with_its_picture(stage):
    reply = Session().handle({"op": "stage", "name": stage.name, "want": {stage.tab: {}}})
    assert stage.tab in reply["run"]["tabs"]
    assert reply[stage.tab] is not None


def test_the_stage_separates():
    reply = Session().handle({"op": "stage", "name": "kernel-lift", "want": WANT})
    assert reply["stage"]["tab"] == "lift"
    assert reply["lift"]["lifted"]
    assert "Every point is on its own side" in reply["lift"]["says"]
    assert "an ellipse" in reply["lift"]["says"]
    assert "(x·z)²" in reply["lift"]["pair"]["lines"][0]


@pytest.mark.parametrize(
    ("degree", "coef0", "dimensions"), [(2, 1.0, 6), (3, 0.0, 4), (1, 0.0, 2), (1, 1.0, 3), (4, 0.5, 15)]
)
def test_the_number_of_dimensions_that_is_said_is_the_rank(degree, coef0, dimensions):
    session = Session()
    session.handle({"op": "preset", "name": "noisy"})
    settings = {"kernel": "poly", "degree": degree, "coef0": coef0, "gamma": 1.0}
    reply = session.handle({"op": "set", "settings": settings, "want": {"lift": {}}})
    assert not reply["lift"]["lifted"]
    assert f"has {dimensions} dimensions" in reply["lift"]["says"]
    X, _ = rows(reply)
    K = (X @ X.T + coef0) ** degree
    assert np.linalg.matrix_rank(K, tol=1e-9 * np.abs(K).max()) == dimensions


def test_a_constant_below_zero_is_no_inner_product():
    scene = Scene(
        points=((1.0, 0.0, 1), (0.0, 1.0, -1), (1.0, 1.0, 1)), algorithm="kernel-perceptron", kernel="poly"
    )
    session = Session()
    reply = session.handle(
        {"op": "load", "scene": scene.changed({"degree": 2, "coef0": -1.0}).to_json(), "want": {"lift": {}}}
    )
    assert "in no space" in reply["lift"]["says"]


@pytest.mark.parametrize("chosen", [[0, 99], [0], "x", [True, 1], [0.5, 1], [-1, 0]])
def test_points_that_are_not_there_are_refused(chosen):
    session = Session()
    session.handle({"op": "stage", "name": "kernel-lift"})
    reply = session.handle({"op": "pair", "rows": chosen})
    assert "error" in reply
    assert "error" in session.handle({"op": "look", "want": {"lift": {"pair": chosen}}})


def test_a_pair_is_asked_for_only_where_there_is_a_kernel():
    session = Session()
    session.handle({"op": "preset", "name": "separable"})
    assert "kernel" in session.handle({"op": "pair", "rows": [0, 1]})["error"]


def test_points_at_the_origin_and_coincident_ones():
    scene = Scene(
        points=((0.0, 0.0, 1), (0.0, 0.0, -1), (0.0, 0.0, 1)), algorithm="kernel-perceptron"
    ).changed(SQUARE)
    session = Session()
    reply = session.handle({"op": "load", "scene": scene.to_json(), "want": WANT})
    assert "error" not in reply
    check_lift(reply)
    assert "no plane yet" in reply["lift"]["says"]
    assert reply["gram"]["largest"] == 0.0
    assert kernel_pair(scene, 1, 1)["says"].startswith("Point 2 with itself")


def test_one_point_a_class_has_no_pair_to_compare():
    assert block_means(np.eye(2), 1) == [None, None, 0.0]
    scene = Scene(points=((1.0, 0.0, 1), (0.0, 1.0, -1)), algorithm="kernel-svm")
    reply = Session().handle({"op": "load", "scene": scene.to_json(), "want": {"gram": {}}})
    assert "no pair" in reply["gram"]["says"]
    three = scene.with_point([1.0, 1.0, -1])
    reply = Session().handle({"op": "load", "scene": three.to_json(), "want": {"gram": {}}})
    assert "the other class has one point" in reply["gram"]["says"]


def test_planes_are_cut_to_the_box_and_conics_named():
    rng = np.random.default_rng(0)
    for _ in range(200):
        w, b = rng.normal(size=3), float(rng.normal())
        corners = plane_corners(w, b, 2.0)
        inside = rng.uniform([0, -math.sqrt(2), 0], [2, math.sqrt(2), 2], (2000, 3))
        values = inside @ w + b
        if len(corners) == 0:
            assert np.all(values > 0) or np.all(values < 0)
            continue
        # Every corner is in the box, and going round turns one way.
        assert np.all(corners[:, [0, 2]] >= -1e-9)
        assert np.all(corners[:, [0, 2]] <= 2 + 1e-9)
        sides = np.roll(corners, -1, axis=0) - corners
        turns = np.cross(sides, np.roll(sides, -1, axis=0)) @ w
        assert np.all(turns >= -1e-9) or np.all(turns <= 1e-9)
        check_conic(conic(w, b), w, b)
        check_conic(conic(w, 0.0), w, 0.0)
    assert len(cut(np.array([1.0, 0.0, -1.0]), 0.0, 2.0)) == 2
    assert lifted(np.array([[3.0, -1.0]]), 2.0) == pytest.approx(np.array([[18.0, -6.0 * math.sqrt(2), 2.0]]))


def test_on_the_page_points_are_chosen_and_cells_light_two_points_up(lab):
    lab.js("await app.openStage('kernel-lift')")
    lab.page.locator(".lift-pair input").first.fill("3")
    lab.page.keyboard.press("Enter")
    lab.until("c.state.lift && c.state.lift.pair.rows[0] === 2")
    at = lab.js(
        """const { camera } = app.tabs.shown, { lift } = c.state, { size } = lift;
        const middle = [size / 2, 0, 0.36 * size], half = 0.38 * Math.SQRT2 * size;
        const box = camera.canvas.getBoundingClientRect();
        const [x, y] = camera.see(lift.places[20].map((value, k) => (value - middle[k]) / half));
        return [box.left + x, box.top + y]"""
    )
    lab.page.mouse.move(*at)
    lab.until("c.hovered === 20")
    lab.page.mouse.click(*at)
    lab.until("c.state.lift && c.state.lift.pair.rows.join() === '20,2'")
    assert "(x·z)²" in lab.page.inner_text(".lift-equation")
    lab.js("await c.act('set', { settings: { coef0: 1 } })")
    assert "6 dimensions" in lab.page.inner_text(".lift-empty")
    lab.page.get_by_role("button", name="set d = 2, c = 0").click()
    lab.until("c.state.lift && c.state.lift.lifted && c.state.scene.gamma === 1")
    lab.js("await app.openStage('gram')")
    lab.page.locator(".heat").hover(position={"x": 250, "y": 100})
    lab.until("c.hovered !== null && c.other !== null")
    assert lab.page.locator(".x-view .point.lit").count() == 2
    lab.until("document.querySelector('.gram-words p').textContent.includes('Points')")
    lab.page.locator(".heat").focus()
    before = lab.js("return app.tabs.shown.cell.join()")
    lab.page.keyboard.press("ArrowRight")
    assert lab.js("return app.tabs.shown.cell.join()") != before
    old = lab.js("return c.state.gram.cells")
    lab.act("set", settings={"gamma": 3.0}, grab=7)
    assert lab.js("return c.state.gram.cells") != old


def test_a_link_keeps_the_camera_the_pair_and_the_third(lab, new_page):
    lab.js(
        """await app.openStage('kernel-lift'); app.tabs.shown.camera.turn = 0.75; app.tabs.shown.choose([4, 11]);
        await c.act('look')"""
    )
    other = new_page().open(lab.js("return '#' + app.link.now().split('#')[1]"))
    other.until("c.state.lift && c.state.lift.pair.rows.join() === '4,11'")
    assert other.js("return app.tabs.shown.camera.turn") == 0.75
    other.js(
        "await app.openStage('validation'); app.tabs.shown.turnTo('C'); app.tabs.shown.next(); await c.act('look')"
    )
    third = new_page().open(other.js("return '#' + app.link.now().split('#')[1]"))
    third.until("c.state.validation && c.state.validation.over === 'C'")
    assert third.js("return c.state.x.held.join()") == other.js("return c.state.x.held.join()")
    # What a link says is checked: a pair that is not there, and nonsense, are as if they were not given.
    for kept in ("{ pair: [0, 400] }", "{ pair: 'x', camera: [1] }", "5", "'x'"):
        lab.js(
            f"app.tabs.views.lift.restore({kept}); app.tabs.views.validation.restore({kept}); await c.act('look')"
        )
        assert lab.js("return c.state.lift.pair.rows.join()") == "0,8"
