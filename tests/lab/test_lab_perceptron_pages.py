"""The stages of the perceptron in a real Chromium: what is drawn, played, dragged and carried in a link.

Tests `static/js/views/theorem.js`, `column.js`, `stepsize.js`, `mistakes.js`, `risk.js` through `lab/stages.py`.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from test_lab_faults import cut_off

STAGES = ["risk", "step-size", "perceptron", "fictitious-dimension", "theorem", "online-drift"]


def opened(lab, stage: str):
    lab.js(f"await app.openStage('{stage}')")
    return lab.state()


@pytest.mark.parametrize(("width", "height"), [(360, 740), (768, 1024), (1280, 720), (3840, 2160)])
def test_each_stage_fits_the_screen(new_page, width, height):
    lab = new_page(width, height).open()
    for stage in STAGES:
        state = opened(lab, stage)
        assert lab.page.locator("[role=tab][aria-selected=true]").get_attribute("id") == lab.js(
            "return `tab-${app.tabs.name}`"
        )
        assert state[lab.js("return app.tabs.name")], stage
        assert cut_off(lab) == [], stage
        for name in ("words", "chart-holder", "plot"):
            for box in lab.page.locator(f".tab-panel .{name}").all():
                if box.is_visible():
                    size = box.bounding_box()
                    assert size["width"] > 90, (stage, name, size)
                    assert size["height"] > 75, (stage, name, size)


def test_parts_of_a_picture_do_not_overlap(new_page):
    for size in ((390, 844), (1280, 800)):
        lab = new_page(*size).open()
        for stage in STAGES:
            opened(lab, stage)
            boxes = lab.js(
                "const parts = [...app.tabs.shown.element.children].filter((part) => part.checkVisibility());"
                "const boxes = parts.map((part) => part.getBoundingClientRect());"
                "return boxes.map((box) => [box.top, box.bottom])"
            )
            for above, below in pairwise(boxes):
                assert above[1] <= below[0] + 1, (stage, size, boxes)
            inside = lab.js(
                "const panel = app.tabs.body.getBoundingClientRect();"
                "return app.tabs.shown.element.getBoundingClientRect().bottom - panel.bottom"
            )
            assert inside <= 1, (stage, size)


def test_the_curves_of_the_theorem_meet_on_the_page(lab):
    state = opened(lab, "theorem")
    place = lab.js(
        "const { chart } = app.tabs.shown, [x, y] = c.state.theorem.meet.at;"
        "const dot = chart.marks.querySelector('circle[r]:not([r=\"0\"])');"
        "return { dot: [dot.getAttribute('cx'), dot.getAttribute('cy')].map(Number), at: [chart.x(x), chart.y(y)] }"
    )
    assert place["dot"] == pytest.approx(place["at"], abs=0.2)
    assert "they meet at k = 21.9" in lab.page.inner_html(".theorem")
    words = lab.page.inner_text(".theorem .words")
    assert "The run stopped after 11 updates." in words
    assert "11 of at most 21" in lab.page.inner_text(".panel").replace("\n", " ")
    lab.page.get_by_role("button", name="zoom to the run").click()
    near = lab.state()["theorem"]
    assert near["meet"] is None
    assert max(k for k, _ in near["upper"]) < max(k for k, _ in state["theorem"]["upper"])


def test_playing_a_stream_brings_its_points_one_by_one(lab):
    opened(lab, "online-drift")
    lab.act("seek", step=0)
    seen = (
        "const points = [...document.querySelectorAll('.points .point')];"
        "return points.filter((each) => each.getAttribute('opacity') !== '0').length"
    )
    contradicting = lab.page.locator(".point.contradicts").count()
    assert lab.js(seen) == 0
    assert 2 <= contradicting <= 4
    lab.page.keyboard.press("s")
    lab.page.keyboard.press("s")
    lab.until("c.state.run.step === 2")
    assert lab.js(seen) == 2
    assert lab.page.locator(".x-view .plot .truth").count() == 1
    lab.page.keyboard.press("p")
    lab.until("c.state.run.step > 6")
    lab.page.keyboard.press("p")
    assert lab.js("return c.state.mistakes.online.length") == lab.js("return c.state.run.step") + 1
    lab.page.locator("input[data-setting=drift]").focus()
    lab.page.keyboard.press("Home")
    lab.until("c.state.scene.drift === 0")
    lab.page.select_option("#preset", "eight")
    lab.page.select_option("#algorithm", "online")
    lab.state()
    assert lab.page.locator("input[data-setting=drift]").count() == 0
    assert lab.page.locator(".x-view .plot .truth").count() == 0


def test_a_point_that_has_not_come_cannot_be_taken_hold_of(lab):
    opened(lab, "online-drift")
    lab.act("seek", step=10)
    x1, x2, _ = lab.state()["scene"]["points"][200]
    near = lab.js(
        "const { plot, editing } = app.xspace, box = plot.svg.getBoundingClientRect();"
        f"const clientX = box.left + plot.plane.x({x1}), clientY = box.top + plot.plane.y({x2});"
        "return editing.near({ clientX, clientY })"
    )
    assert near is None or near < 10


def test_links_keep_what_was_chosen_in_the_pictures(lab, new_page):
    opened(lab, "theorem")
    lab.page.get_by_role("button", name="zoom to the run").click()
    lab.state()
    again = new_page().open(lab.js("app.link.now(); return new URL(app.link.now()).hash"))
    assert again.state()["theorem"]["meet"] is None
    assert again.js("return app.tabs.name") == "theorem"
    opened(lab, "fictitious-dimension")
    lab.page.locator(".column canvas").focus()
    lab.page.keyboard.press("ArrowLeft")
    turned = lab.js("return app.tabs.shown.camera.saved()")
    third = new_page().open(lab.js("app.link.now(); return new URL(app.link.now()).hash"))
    assert third.js("return app.tabs.shown.camera.saved()") == turned
    assert third.state()["run"]["step"] == 5
    opened(lab, "online-drift")
    lab.act("seek", step=33)
    fourth = new_page().open(lab.js("app.link.now(); return new URL(app.link.now()).hash"))
    state = fourth.state()
    assert (state["run"]["step"], state["scene"]["drift"]) == (33, 0.75)


def test_pictures_say_what_is_missing_before_there_are_points(lab):
    for stage in STAGES:
        opened(lab, stage)
        lab.page.get_by_role("button", name="clear").click()
        lab.until("c.state.scene.points.length === 0")
        if lab.js("return app.tabs.name") != "w":
            assert "Put down points of both classes" in lab.page.locator(".tab-panel .empty").inner_text()
        assert cut_off(lab) == []


def test_a_drag_with_three_descents_beside_it_stays_quick(lab):
    opened(lab, "step-size")
    points = lab.state()["scene"]["points"]
    x, y = lab.pixel(points[0][0], points[0][1])
    lab.page.mouse.move(x, y)
    lab.page.mouse.down()
    for k in range(10):
        lab.page.mouse.move(x + 3 * k, y - k)
    lab.page.mouse.up()
    state = lab.state()
    assert state["scene"]["points"][0] != points[0]
    assert not any("more than" in run["says"] for run in state["stepsize"]["runs"])
