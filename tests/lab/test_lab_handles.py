"""w is a handle, and so is the line; fingers scroll, hold and tap. In a real Chromium."""

from __future__ import annotations

import math

import numpy as np
import pytest


def w_pixel(lab) -> tuple[float, float]:
    """Where w is on the screen."""
    return tuple(
        lab.js(
            """const { plot } = app.tabs.shown, box = plot.svg.getBoundingClientRect(), { now } = c.state.w;
            return [box.left + plot.plane.x(now[0]), box.top + plot.plane.y(now[1])];"""
        )
    )


def knob(lab, kind: str, which: int = 0) -> tuple[float, float]:
    box = lab.page.locator(f".x-view .knob.{kind}").nth(which).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(lab, start, end) -> None:
    lab.page.mouse.move(*start)
    lab.page.mouse.down()
    lab.page.mouse.move(*end, steps=6)
    lab.page.mouse.up()


def drawn_line(lab) -> list[float]:
    line = lab.page.locator(".x-view .plot .boundary .line")
    return [float(line.get_attribute(name)) for name in ("x1", "y1", "x2", "y2")]


def test_dragging_w_turns_the_line(lab):
    lab.preset("origin")
    lab.page.locator(".play-end").click()
    lab.state()
    before, (x, y) = drawn_line(lab), w_pixel(lab)
    drag(lab, (x, y), (x - 70, y + 40))
    state = lab.state()
    assert state["run"]["by_hand"]
    assert drawn_line(lab) != before
    assert w_pixel(lab) == pytest.approx((x - 70, y + 40), abs=1.5)
    X, labels = (
        np.array([p[:2] for p in state["scene"]["points"]]),
        np.array([p[2] for p in state["scene"]["points"]]),
    )
    assert state["x"]["functional"] == pytest.approx(labels * (X @ np.array(state["x"]["w"])), rel=1e-9)
    (x1, y1, x2, y2), w = drawn_line(lab), state["x"]["w"]
    assert (x2 - x1) * w[0] - (y2 - y1) * w[1] == pytest.approx(
        0, abs=1e-3 * math.hypot(x2 - x1, y2 - y1) * math.hypot(*w)
    )
    assert "Your w" in lab.page.inner_text(".note-line")
    lab.page.get_by_role("button", name="back to the run").click()
    assert not lab.state()["run"]["by_hand"]
    assert drawn_line(lab) == before
    assert not lab.page.locator(".release").is_visible()


def test_dragging_the_line_moves_w(lab):
    lab.preset("separable")
    before = lab.state()
    x, y = knob(lab, "move")
    drag(lab, (x, y), (x + 30, y + 30))
    state = lab.state()
    assert state["x"]["w"] == before["x"]["w"]  # only b: the line is parallel
    assert state["x"]["b"] != before["x"]["b"]
    assert knob(lab, "move") != (x, y)
    middle = knob(lab, "move")
    x, y = knob(lab, "turn", 1)
    drag(lab, (x, y), (x + 50, y - 50))
    turned = lab.state()
    assert turned["x"]["norm"] == pytest.approx(
        before["x"]["norm"], rel=1e-6
    )  # it turns, and the slab keeps its width
    angle = math.atan2(turned["x"]["w"][1], turned["x"]["w"][0]) - math.atan2(
        state["x"]["w"][1], state["x"]["w"][0]
    )
    assert 0.05 < abs(angle) < 1.5
    place = lab.js(
        f"""const {{ svg, plane }} = app.xspace.plot, box = svg.getBoundingClientRect();
        return plane.at({middle[0]} - box.left, {middle[1]} - box.top);"""
    )
    value = np.dot(turned["x"]["w"], place) + turned["x"]["b"]
    assert value == pytest.approx(0, abs=0.05)  # about its middle


def test_a_line_through_the_origin_turns_about_it(lab):
    lab.preset("origin")
    lab.state()
    assert lab.page.locator(".knob.move").count() == 0
    x, y = knob(lab, "turn")
    drag(lab, (x, y), (x + 50, y + 10))
    state = lab.state()
    assert state["run"]["by_hand"]
    assert state["x"]["b"] == 0


def test_w_is_dragged_in_three_dimensions(lab):
    lab.preset("separable")
    lab.page.locator("#tab-solid").click()
    lab.state()
    where = """const { camera } = app.tabs.shown, { solid } = c.state, box = camera.canvas.getBoundingClientRect();
        const [x, y] = camera.see(solid.now.map((value, k) => value / solid.box[k]));
        return [box.left + x, box.top + y];"""
    before, (x, y) = lab.state(), lab.js(where)
    drag(lab, (x, y), (x - 30, y + 25))
    state = lab.state()
    assert state["run"]["by_hand"]
    assert state["x"]["b"] == before["x"]["b"]  # at the height of its b
    assert lab.js(where) == pytest.approx([x - 30, y + 25], abs=2)
    turn = lab.js("return app.tabs.shown.camera.turn")
    drag(lab, (x - 80, y - 80), (x - 40, y - 80))
    assert lab.js("return app.tabs.shown.camera.turn") != turn
    assert lab.state()["x"]["w"] == state["x"]["w"]


def test_w_moves_with_the_keyboard(lab):
    lab.preset("eight")
    before = lab.state()["x"]
    lab.page.locator(".w-view svg.marks").focus()
    for key in ("ArrowRight", "ArrowRight", "PageUp"):
        lab.page.keyboard.press(key)
    lab.until("c.state.run.by_hand && !c.busy && c.latest.size === 0")
    after = lab.state()["x"]
    assert after["w"][0] > before["w"][0]
    assert after["w"][1] == pytest.approx(before["w"][1], rel=1e-5)
    assert after["b"] > before["b"]
    lab.page.keyboard.press("Escape")
    lab.until("!c.state.run.by_hand")


def test_pointing_shades_in_the_other_space(lab):
    lab.preset("origin")
    point = lab.js("return c.state.scene.points[3]")
    lab.page.mouse.move(*lab.pixel(point[0], point[1]))
    lab.page.wait_for_selector(".w-view .side polygon[data-row='3']", state="attached")
    inside = lab.js(
        """const { plane } = app.tabs.shown.plot, polygon = document.querySelector(".w-view .side polygon");
        const [x1, x2, y] = c.state.scene.points[3], at = polygon.ownerSVGElement.createSVGPoint();
        return [1, -1].map((sign) => {
          [at.x, at.y] = [plane.x(sign * y * x1 * 0.5), plane.y(sign * y * x2 * 0.5)];
          return polygon.isPointInFill(at);
        });"""
    )
    assert inside == [True, False]  # the side on which y w.x > 0
    x, y = w_pixel(lab)
    lab.page.mouse.move(x + 60, y + 25)
    lab.page.wait_for_selector(".x-view .ghost line", state="attached")
    lab.page.mouse.move(5, 5)
    lab.page.wait_for_selector(".x-view .ghost line", state="detached")


def test_points_named_in_a_sentence_have_numbers(lab):
    numbers = "return [...document.querySelectorAll('.x-view .numbers text')].map((text) => Number(text.textContent))"
    lab.preset("eight")
    lab.act("seek", step=3)
    state = lab.state()
    named = [row + 1 for row in state["run"]["named"]]
    assert f"point {named[0]} was" in lab.page.inner_text(".note-line")
    assert lab.js(numbers) == named
    lab.preset("xor")
    lab.page.select_option("#algorithm", "perceptron")
    proof = [row + 1 for row in lab.state()["panel"]["verdict"]["rows"]]
    assert set(proof) <= set(lab.js(numbers))
    lab.page.get_by_role("button", name="Number all points").click()
    assert lab.js(numbers) == list(range(1, 25))
    place = lab.js(
        "const text = document.querySelectorAll('.x-view .numbers text')[6];"
        "return [text.getAttribute('x'), text.getAttribute('y')].map(Number)"
    )
    at = lab.js(
        "const { plane } = app.xspace.plot, [a, b] = c.state.scene.points[6]; return [plane.x(a), plane.y(b)]"
    )
    assert math.dist(place, at) < 25


def test_the_legend_has_what_the_picture_has(lab):
    words = lambda: lab.page.inner_text(".x-view .marks-legend")  # noqa: E731
    lab.preset("separable")
    assert "on the margin" in words()
    assert "uses slack" not in words()
    lab.preset("overlapping")
    assert "uses slack" in words()
    assert "proof" in words()
    lab.preset("eight")
    assert "slab edge" not in words()
    assert "w: drag it" in lab.page.inner_text(".w-view .marks-legend")


@pytest.fixture
def phone(new_page):
    return new_page(390, 844, has_touch=True, is_mobile=True, device_scale_factor=2).open()


def swipe(lab, start, end, hold: int = 0) -> None:
    """A finger goes down, rests for so many milliseconds, moves and goes up."""
    session = lab.page.context.new_cdp_session(lab.page)

    def touch(lab, kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    touch(lab, "touchStart", start)
    lab.page.wait_for_timeout(hold)
    for k in range(1, 11):
        touch(
            lab,
            "touchMove",
            (start[0] + (end[0] - start[0]) * k / 10, start[1] + (end[1] - start[1]) * k / 10),
        )
        lab.page.wait_for_timeout(16)
    touch(lab, "touchEnd")
    lab.page.wait_for_timeout(150)


def test_a_swipe_scrolls_and_moves_no_point(phone):
    phone.preset("separable")
    phone.page.evaluate("document.querySelector('.x-view').scrollIntoView({ block: 'center' })")
    before, points = phone.page.evaluate("scrollY"), phone.js("return c.state.scene.points")
    x, y = phone.pixel(*points[3][:2])
    swipe(phone, (x, y), (x + 5, y - 160))
    assert phone.page.evaluate("scrollY") > before + 60
    assert phone.state()["scene"]["points"] == points


def test_a_finger_that_rests_on_a_point_moves_it_and_a_tap_adds_one(phone):
    phone.preset("separable")
    phone.page.evaluate("document.querySelector('.x-view').scrollIntoView({ block: 'center' })")
    scrolled, points = phone.page.evaluate("scrollY"), phone.js("return c.state.scene.points")
    x, y = phone.pixel(*points[3][:2])
    swipe(phone, (x, y), (x + 10, y - 60), hold=500)
    moved = phone.state()["scene"]["points"]
    assert phone.page.evaluate("scrollY") == scrolled
    assert moved[3] != points[3]
    assert phone.pixel(*moved[3][:2]) == pytest.approx((x + 10, y - 60), abs=3)
    assert moved[:3] + moved[4:] == points[:3] + points[4:]
    phone.page.touchscreen.tap(*phone.pixel(-2.6, -2.6))
    phone.until(f"c.state.scene.points.length === {len(points) + 1}")


def test_targets_are_large_enough_for_a_finger(phone):
    small = """
    const found = [];
    const targets = ".lab button, .lab select, .lab summary, .lab .tool, .lab input[type=range]";
    for (const each of document.querySelectorAll(targets)) {
      if (!each.checkVisibility()) continue;
      const { width, height } = each.getBoundingClientRect();
      if (height < 43.5 || width < 36) found.push(`${each.outerHTML.slice(0, 60)} ${width} x ${height}`);
    }
    return found;"""
    for preset, tab in (("separable", "w"), ("overlapping", "solid"), ("origin", "risk")):
        phone.preset(preset)
        phone.js(f"app.tabs.open('{tab}')")
        phone.state()
        assert phone.js(small) == []
    phone.js("app.markOne.open()")
    assert phone.js(small) == []


def test_the_tour_shows_what_it_speaks_of_on_a_phone(phone):
    for stop, where in (
        ("'two-spaces', 2", ".w-view"),
        ("'risk', 0", ".w-view"),
        ("'two-kinds', 1", ".panel .rows"),
        ("'margins', 2", ".x-view"),
        ("'soft-margin', 2", ".settings"),
    ):
        phone.js(f"await app.tour.go({stop})")
        phone.page.wait_for_timeout(700)
        top, bottom, card = phone.js(
            f"""const box = document.querySelector("{where}").getBoundingClientRect();
            return [box.top, box.bottom, document.querySelector(".tour").getBoundingClientRect().top];"""
        )
        assert -5 <= top < card - 60, where
        assert min(bottom, 844) - top > 60
        assert card > 844 * 0.5
