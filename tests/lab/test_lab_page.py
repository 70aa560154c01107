"""The page in a real Chromium, used as people use it. A complaint in its console fails a test."""

from __future__ import annotations

import numpy as np
import pytest
from lab_driver import two_clouds

from separatrix import SVC
from separatrix.lab.scene import ALGORITHMS

PRESETS = ["separable", "origin", "touching", "overlapping", "xor", "circles", "eight"]


def test_points_are_added_moved_and_removed_by_mouse(lab):
    mouse, page = lab.page.mouse, lab.page
    page.get_by_role("button", name="clear").click()
    lab.until("document.querySelectorAll('#lab .point').length === 0")
    assert "Click to put down a point" in page.inner_text(".x-view .empty")
    mouse.click(*lab.pixel(1.0, 1.0))
    page.wait_for_selector("#lab .point.plus")
    assert "other class" in page.inner_text(".x-view .empty")
    page.locator(".tool.minus").click()
    mouse.click(*lab.pixel(-1.0, -1.0))
    state = lab.state()
    assert [point[2] for point in state["scene"]["points"]] == [1, -1]
    assert state["panel"]["verdict"]["kind"] == "separable"
    mouse.move(*lab.pixel(1.0, 1.0))
    mouse.down()
    mouse.move(*lab.pixel(1.6, 0.4), steps=5)
    mouse.up()
    state = lab.state()
    assert state["scene"]["points"][0][:2] == pytest.approx([1.6, 0.4], abs=0.05)
    fit = SVC(C=float("inf")).fit([p[:2] for p in state["scene"]["points"]], [1, -1])
    assert state["x"]["w"] == fit.coef_[0].tolist()
    page.keyboard.press("Control+z")
    assert lab.state()["scene"]["points"][0][:2] == pytest.approx([1.0, 1.0], abs=0.05)
    page.get_by_role("button", name="Redo").click()
    assert lab.state()["scene"]["points"][0][0] == pytest.approx(1.6, abs=0.05)
    page.locator(".tool.erase").click()
    mouse.click(*lab.pixel(1.6, 0.4))
    assert len(lab.state()["scene"]["points"]) == 1


def test_points_are_added_moved_and_removed_by_keyboard(lab):
    press = lab.page.keyboard.press
    lab.act("clear")
    lab.page.locator(".x-view .tool.plus input").focus()
    for _ in range(6):
        press("Tab")
        if lab.page.evaluate("document.activeElement.matches('.x-view svg.marks')"):
            break
    assert lab.page.evaluate("document.activeElement.matches('.x-view svg.marks')")
    press("ArrowRight")
    press("Enter")
    press("2")
    for _ in range(4):
        press("Shift+ArrowLeft")
    press("Enter")
    points = lab.state()["scene"]["points"]
    assert [point[2] for point in points] == [1, -1]
    assert points[0][0] > points[1][0]
    press("]")
    press("ArrowUp")
    press("ArrowUp")
    moved = lab.state()["scene"]["points"]
    assert moved[0][1] > points[0][1]
    assert moved[1] == points[1]
    press("f")
    assert lab.state()["scene"]["points"][0][2] == -1
    press("Delete")
    assert len(lab.state()["scene"]["points"]) == 1
    press("Control+z")
    assert len(lab.state()["scene"]["points"]) == 2


def test_play_step_back_reset_and_the_end(lab):
    lab.preset("eight")
    button = lab.page.locator
    button(".play-reset").click()
    assert lab.state()["run"]["step"] == 0
    button(".play-step").click()
    button(".play-step").click()
    state = lab.state()
    assert (state["run"]["step"], state["run"]["updates"]) == (2, 2)
    assert "was misclassified" in lab.page.inner_text(".note-line")
    button(".play-back").click()
    assert lab.state()["run"]["step"] == 1
    lab.page.locator(".speed input").fill("80")
    button(".play-toggle").click()
    lab.until("c.state.run.step > 20")
    button(".play-toggle").click()
    paused = lab.state()["run"]["step"]
    lab.page.wait_for_timeout(250)
    assert lab.state()["run"]["step"] == paused
    button(".play-end").click()
    state = lab.state()
    assert state["run"]["over"]
    assert state["run"]["updates"] == 106
    assert "106 updates" in lab.page.inner_text(".note-line")
    lab.page.locator(".brand").click()
    lab.page.keyboard.press("r")
    lab.page.keyboard.press("s")
    assert lab.state()["run"]["step"] == 1


def test_a_point_dropped_in_while_it_plays_joins_the_run(lab):
    lab.preset("eight")
    lab.page.locator(".speed input").fill("70")
    lab.page.locator(".play-toggle").click()
    lab.until("!c.state.run.over && c.state.run.step > 5")  # the preset itself was shown at its end
    lab.page.mouse.click(*lab.pixel(2.0, 1.0))
    lab.until("c.state.scene.points.length === 9")
    assert lab.js("return c.state.run.step") > 5
    lab.until("c.state.run.over")
    assert min(lab.state()["x"]["functional"]) > 0


def test_every_preset_and_every_algorithm_and_view(lab):
    # The whole product of presets and algorithms is in test_lab_session.py; here each is chosen on the page.
    def looks_right(name: str) -> None:
        state = lab.state()
        assert state["panel"]["verdict"]["proved"], name
        assert lab.page.inner_text(".panel .badge") == state["panel"]["verdict"]["kind"]
        assert lab.page.inner_text(".panel .check >> nth=0").startswith("✓")
        assert lab.page.locator(".point").count() == len(state["scene"]["points"])

    for preset in PRESETS:
        lab.preset(preset)
        looks_right(preset)
    for preset in ("separable", "overlapping"):
        lab.preset(preset)
        for algorithm in ALGORITHMS:
            lab.page.select_option("#algorithm", algorithm)
            looks_right(algorithm)
            assert lab.js("return c.state.scene.algorithm") == algorithm
    lab.preset("overlapping")
    for tab in ("solid", "risk", "w"):
        lab.page.locator(f"#tab-{tab}").click()
        assert lab.state()[tab]["path"]


def test_inseparable_data_show_their_contradiction(lab):
    lab.preset("xor")
    lab.page.select_option("#algorithm", "hard-margin")
    state = lab.state()
    verdict = state["panel"]["verdict"]
    assert verdict["kind"] == "inseparable"
    lit = lab.page.evaluate(
        "[...document.querySelectorAll('.point.contradicts')].map((p) => Number(p.dataset.row))"
    )
    assert sorted(lit) == sorted(verdict["rows"])
    X, y = (
        np.array([p[:2] for p in state["scene"]["points"]]),
        np.array([p[2] for p in state["scene"]["points"]]),
    )
    weights = np.array(verdict["shares"])
    rows = np.array(verdict["rows"])
    signed = (y[rows] * weights) @ np.column_stack([X[rows], np.ones(len(rows))])
    assert signed == pytest.approx(np.zeros(3), abs=1e-12)
    assert "no hard margin" in lab.page.inner_text(".note-line")


def test_a_row_that_is_pointed_at_lights_up_everywhere(lab):
    lab.preset("eight")
    point = lab.js("return c.state.scene.points[2]")
    lab.page.mouse.move(*lab.pixel(point[0], point[1]))
    lab.page.wait_for_selector(".w-view .row.lit[data-row='2']", state="attached")
    assert lab.page.locator(".bars .lit[data-row='2']").count() == 1
    words = lab.page.inner_text(".x-view .readout")
    assert "point 3" in words
    assert "geometric margin" in words
    at = lab.js("""
        const view = app.tabs.shown, [[ax, ay], [bx, by]] = view.ends[4], box = view.plot.svg.getBoundingClientRect();
        for (let t = 0; t < 1; t += 0.001) {
          const clientX = box.left + ax + t * (bx - ax), clientY = box.top + ay + t * (by - ay);
          const inside = clientX > box.left && clientX < box.right && clientY > box.top && clientY < box.bottom;
          if (inside && view.near({ clientX, clientY }) === 4) return [clientX, clientY];
        }
    """)
    lab.page.mouse.move(*at)
    lab.page.wait_for_selector(".x-view .point.lit[data-row='4']", state="attached")
    lab.page.wait_for_selector(".w-view .row.lit[data-row='4']", state="attached")


def test_words_below_a_picture_do_not_change_its_size(lab):
    lab.preset("overlapping")
    height = "return app.xspace.plot.element.getBoundingClientRect().height"
    before, point = lab.js(height), lab.js("return c.state.scene.points[2]")
    x, y = lab.pixel(point[0], point[1])
    lab.page.mouse.move(x, y)
    lab.page.wait_for_selector(".x-view .point.lit", state="attached")
    assert lab.js(height) == before
    lab.page.mouse.down()
    lab.page.mouse.move(x + 40, y + 150, steps=8)
    lab.page.mouse.up()
    lab.state()
    assert lab.js(height) == before
    assert lab.js("return getSelection().toString()") == ""  # a drag moves a point and selects no text


def test_keys_move_a_point_step_by_step_and_its_certificate_follows(lab):
    lab.preset("overlapping")
    lab.page.locator(".x-view svg.marks").focus()
    lab.page.keyboard.press("]")
    before = lab.js("return c.state.scene.points[0]")
    for _ in range(12):
        lab.page.keyboard.press("ArrowRight")
    lab.until("!c.state.panel.pending && !c.state.run.leapt && app.xspace.editing.ahead === null")
    after, step = lab.js("return c.state.scene.points[0]"), lab.js("return 0.02 * app.xspace.plot.plane.half")
    assert after[0] == pytest.approx(before[0] + 12 * step, abs=0.01)
    assert lab.js("return c.state.panel.proof.proved")


def test_sliders_change_the_answer(lab):
    lab.preset("overlapping")
    before = lab.state()["panel"]["objective"]["dual"][-1]
    slider = lab.page.locator("input[data-setting='C']")
    slider.focus()
    for _ in range(30):
        lab.page.keyboard.press("ArrowRight")
    state = lab.state()
    assert state["scene"]["C"] > 1.0
    assert state["panel"]["objective"]["dual"][-1] > before
    lab.page.keyboard.press("Control+z")
    assert lab.state()["scene"]["C"] == 1.0


def test_the_cross_section_can_be_moved(lab):
    lab.page.locator("#tab-solid").click()
    run_b = lab.state()["solid"]["b"]
    lab.page.locator(".cutter input").evaluate(
        "(input) => { input.value = 0.4; input.dispatchEvent(new Event('input')) }"
    )
    assert lab.state()["solid"]["b"] == pytest.approx(0.4, abs=0.05)
    lab.page.get_by_role("button", name="follow the run").click()
    assert lab.state()["solid"]["b"] == run_b


def test_a_link_brings_everything_back(lab, new_page):
    lab.preset("eight")
    lab.page.select_option("select[data-setting='bias']", "radius")
    lab.page.locator("#tab-risk").click()
    lab.act("seek", step=3)
    state = lab.state()
    lab.page.wait_for_timeout(500)
    link = lab.page.evaluate("location.hash")
    assert len(link) > 50
    lab.page.reload()
    lab.page.wait_for_selector("#lab[data-ready]")
    other = new_page().open(link)
    for page in (lab, other):
        again = page.state()
        assert again["scene"] == state["scene"]
        assert again["run"]["step"] == 3
        assert again["risk"]["path"] == state["risk"]["path"]


def test_a_broken_link_is_said_and_the_page_works(new_page):
    import base64
    import json

    bad = (
        base64.urlsafe_b64encode(json.dumps({"scene": {"points": [[1, 2, 5]]}}).encode()).decode().rstrip("=")
    )
    lab = new_page().open("#" + bad)
    assert "label must be -1 or 1" in lab.page.inner_text(".toast")
    assert lab.state()["run"]["ready"]
    assert new_page().open("#not!a!link").state()["run"]["ready"]


def test_the_certificate_can_be_downloaded(lab):
    lab.preset("eight")
    lab.state()
    with lab.page.expect_download() as waiting:
        lab.page.get_by_role("button", name="certificate (JSON)").click()
    from separatrix import Certificate, verify
    from separatrix.lab.presets import BY_NAME

    scene = BY_NAME["eight"].make()
    assert verify(Certificate.load(waiting.value.path()), scene.X, scene.y, exact=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(new_page, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    lab = new_page(color_scheme=scheme).open()
    lab.page.locator(".rows summary").click()
    pictures = [
        (preset, tab)
        for preset in ("xor", "overlapping", "eight", "valley", "stream")
        for tab in lab.preset(preset)["run"]["tabs"]
    ]
    for preset, tab in [("xor", None), *pictures]:
        lab.preset(preset)
        if tab is not None:
            lab.page.locator(f"#tab-{tab}").click()
        lab.state()
        found = axe.Axe().run(lab.page).response["violations"]
        serious = [
            (each["id"], [node["target"] for node in each["nodes"]][:4])
            for each in found
            if each["impact"] in ("serious", "critical")
        ]
        assert serious == [], (preset, tab)


@pytest.mark.parametrize("size", [(360, 740), (768, 1024), (1440, 900), (3840, 2160)])
def test_it_fits_every_screen(new_page, size):
    lab = new_page(*size).open()
    lab.preset("overlapping")
    lab.state()
    wide = lab.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= size[0]
    plot = lab.page.locator(".x-view .plot").bounding_box()
    assert plot["width"] >= 0.25 * size[0]
    assert plot["height"] >= 200
    letters = lab.page.evaluate(
        "parseFloat(getComputedStyle(document.querySelector('.lab .note-line')).fontSize)"
    )
    assert letters >= max(14, size[0] / 200)  # readable on a phone, and projected


def test_the_risk_covers_its_panel_whatever_shape_that_takes(lab):
    lab.page.locator("#tab-risk").click()
    covered = """(() => {
        const { reach } = c.state.risk, [, right, , high] = app.tabs.shown.plot.plane.window;
        return reach[0] >= 0.999 * right && reach[1] >= 0.999 * high;
    })()"""
    for width, height in ((1280, 800), (2600, 700), (700, 1300), (1280, 1600)):
        lab.page.set_viewport_size({"width": width, "height": height})
        lab.page.wait_for_timeout(100)
        lab.until(f"c.state.risk && !c.busy && c.latest.size === 0 && {covered}", 10.0)
    lab.page.get_by_role("button", name="surface").click()
    lab.page.set_viewport_size({"width": 2600, "height": 700})
    lab.page.get_by_role("button", name="surface").click()
    lab.until(f"!c.busy && c.latest.size === 0 && {covered}", 10.0)


def test_the_page_is_ready_with_points_on_it(new_page):
    assert new_page().open().page.locator(".point").count() > 0  # how soon: benchmarks/lab.py


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_drag_leaves_no_backlog_however_slow_the_answer(lab, algorithm):
    points = two_clouds()
    lab.act("load", scene={"points": points, "algorithm": algorithm})
    x, y = lab.pixel(points[0][0], points[0][1])
    lab.js(
        "window.asked = 0; const r = c.transport.request.bind(c.transport);"
        "c.transport.request = (m) => { window.asked += m.op === 'move'; return r(m); }"
    )
    lab.page.mouse.move(x, y)
    lab.page.mouse.down()
    for k in range(40):
        lab.page.mouse.move(x + 2 * k, y + k % 7)
    waiting = lab.js("return c.latest.size + c.actions.length")
    lab.page.mouse.up()
    state = lab.state()
    assert waiting <= 1  # only the newest move is kept
    assert 1 <= lab.js("return window.asked") <= 40
    assert lab.js("return c.latest.size + c.actions.length") == 0
    assert not state["run"]["leapt"]
    assert state["panel"]["verdict"]["proved"]
    place = lab.pixel(*state["scene"]["points"][0][:2])
    assert place == pytest.approx((x + 78, y + 39 % 7), abs=1.0)
