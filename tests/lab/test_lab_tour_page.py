"""The tour in a real Chromium: by keyboard on a desk, by touch on a phone, with reduced motion, and home again.

Tests `lab/tour/guide.py`.
"""

from __future__ import annotations

import pytest

from separatrix.lab.tour.chapters import CHAPTERS

STOPS = [(chapter.name, place) for chapter in CHAPTERS for place in range(len(chapter.stops))]
#: Where the card is, what it speaks of, and how much of either is on the screen.
PLACES = """
const box = (element) => {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return [left, right, top, bottom];
};
const framed = [...document.querySelectorAll(".pointed")].filter((each) => each.checkVisibility());
return { card: box(document.querySelector(".tour")), seen: framed.map(box), high: innerHeight, wide: innerWidth };
"""
PAGE = """
await c.act("look");
return { scene: c.state.scene, run: c.state.run, tab: app.tabs.name, slice: app.tabs.slice };
"""
WITHIN = """
const { right, left } = document.querySelector(".tour").getBoundingClientRect();
return document.documentElement.scrollWidth <= innerWidth + 1 && left >= -1 && right <= innerWidth + 1;
"""


def own_points(lab):
    """A scene of one's own, with something to undo and something to redo, a step and a view of its own."""
    lab.act("clear")
    for point in ([1.0, 1.0, 1], [-1.0, 0.5, -1], [2.0, 1.5, 1], [-2.0, -1.0, -1]):
        lab.act("add", point=point)
    lab.act("move", row=0, point=[1.25, 1.0, 1])
    lab.act("undo")
    lab.js("app.tabs.open('solid'); app.tabs.cut(0.25)")
    lab.act("seek", step=1)
    return lab.js(PAGE)


def check_own(lab, before):
    after = lab.js(PAGE)
    assert after == before
    lab.act("redo")
    assert lab.js("return c.state.scene.points[0][0]") == 1.25
    for _ in range(5):
        lab.act("undo")
    assert lab.js("return c.state.scene.points") == []


def tour(lab):
    return lab.js("return app.tour.now")


def overlap(a, b):
    return max(0.0, min(a[1], b[1]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[2], b[2]))


def check_place(lab, at):
    """The card covers nothing that it speaks of on a desk, and on a phone leaves most of the screen to it."""
    found = lab.js(PLACES)
    if at == "mark":
        return
    assert found["seen"], at
    card, (left, right, top, bottom) = found["card"], found["seen"][0]
    if found["wide"] > 1250:
        assert all(overlap(card, each) < 4 for each in found["seen"]), (at, found)
        return
    assert card[3] <= found["high"] + 1
    assert top >= -6
    assert min(bottom, card[2]) - top >= min(bottom - top, 100), (at, found)
    assert left >= -6
    assert right <= found["wide"] + 6


def test_the_whole_tour_by_keyboard(new_page):
    lab = new_page(reduced_motion="reduce").open()
    press = lab.page.keyboard.press
    before = own_points(lab)
    lab.page.get_by_role("button", name="tour").focus()
    press("Enter")
    assert lab.page.locator(".chapters").is_visible()
    press("ArrowDown")
    press("ArrowUp")
    press("Enter")
    wrong_way = False
    for chapter, place in STOPS:
        lab.until(f"app.tour.now && app.tour.now.chapter === '{chapter}' && app.tour.now.stop === {place}")
        lab.js("await app.tour.arriving")
        now = tour(lab)
        assert lab.page.evaluate("document.activeElement.id") == "tour-title"
        assert lab.js("return c.playing") is False
        check_place(lab, now["at"])
        if now["tab"]:
            assert lab.js("return app.tabs.name") == now["tab"]
        if now["question"]:
            wrong_way = not wrong_way
            press("1" if wrong_way else str(len(now["question"]["choices"])))
            lab.until("app.tour.now.question.chosen !== null")
            lab.page.wait_for_timeout(30)
            question = tour(lab)["question"]
            chosen = 0 if wrong_way else len(question["choices"]) - 1
            assert question["chosen"] == chosen
            assert lab.page.inner_text(".tour-said") == question["said"]
            assert lab.page.locator(".choices button.right").count() == 1
            assert lab.page.locator(".choices button.wrong").count() == (question["right"] != chosen)
            assert lab.page.evaluate("document.activeElement.textContent") in (
                "next",
                "next chapter",
                "finish",
            )
            press("Enter")
        elif now["task"]:
            lab.page.get_by_role("button", name="hint").press("Enter")
            lab.until("app.tour.now.task.hint !== ''")
            lab.page.get_by_role("button", name="show me").press("Enter")
            lab.until("app.tour.now.task.done")
            lab.page.locator(".tour h2").focus()
            press("Enter")
        else:
            press("Enter")
    lab.until("app.tour.now === null")
    lab.js("await c.act('look')")
    assert lab.js("return app.tour.menu.done.size") == len(CHAPTERS)
    lab.page.wait_for_timeout(100)
    check_own(lab, before)


def test_the_whole_tour_on_a_phone(new_page):
    lab = new_page(390, 844, has_touch=True, is_mobile=True, reduced_motion="reduce").open()
    before = own_points(lab)
    lab.page.get_by_role("button", name="tour").tap()
    lab.page.locator(".chapters li button").first.tap()
    for chapter, place in STOPS:
        lab.until(f"app.tour.now && app.tour.now.chapter === '{chapter}' && app.tour.now.stop === {place}")
        lab.js("await app.tour.arriving")
        lab.page.wait_for_timeout(60)
        now = tour(lab)
        assert lab.js(WITHIN)
        check_place(lab, now["at"])
        if now["question"]:
            lab.page.locator(".choices button").last.tap()
            lab.until("app.tour.now.question.chosen !== null")
        elif now["task"]:
            lab.page.get_by_role("button", name="show me").tap()
            lab.until("app.tour.now.task.done")
        lab.page.locator(".tour-foot button").last.tap()
    lab.until("app.tour.now === null")
    lab.js("await c.act('look')")
    lab.page.wait_for_timeout(100)
    check_own(lab, before)


def test_a_finger_can_do_a_task(new_page):
    lab = new_page(390, 844, has_touch=True, is_mobile=True, reduced_motion="reduce").open()
    lab.js("await app.tour.go('online', 1)")
    lab.page.get_by_role("button", name="fold").tap()
    assert lab.js("return document.querySelector('.tour').getBoundingClientRect().height") < 130
    lab.page.locator(".tool.minus").tap()
    blue = [point for point in lab.js("return c.state.scene.points") if point[2] > 0]
    middle = [sum(point[k] for point in blue) / len(blue) for k in (0, 1)]
    lab.page.touchscreen.tap(*lab.pixel(*middle))
    lab.until("app.tour.now.task.done")
    lab.page.get_by_role("button", name="unfold").tap()
    assert lab.page.inner_text(".tour-said").startswith("Done. ")


def test_a_mouse_drags_w_into_the_wedge(new_page):
    lab = new_page().open()
    lab.js("await app.tour.go('two-spaces', 2)")
    here, there = lab.js(
        """const { plot } = app.tabs.shown, box = plot.svg.getBoundingClientRect(), w = c.state.w;
        const at = (u) => [box.left + plot.plane.x(u[0]), box.top + plot.plane.y(u[1])];
        const corners = w.wedge.map((u) => u.map((value) => value / (Math.hypot(...u) || 1)));
        const mean = [0, 1].map((k) => corners.reduce((s, u) => s + u[k], 0)), r = Math.hypot(...mean);
        return [at(w.now), at([2.5 * mean[0] / r, 2.5 * mean[1] / r])];"""
    )
    lab.page.mouse.move(*here)
    lab.page.mouse.down()
    lab.page.mouse.move((here[0] + there[0]) / 2, (here[1] + there[1]) / 2, steps=3)
    lab.page.mouse.move(*there, steps=3)
    lab.page.mouse.up()
    lab.until("app.tour.now.task.done")
    assert "two ways to say one thing" in lab.page.inner_text(".tour-said")


def test_keys_of_the_page_stay_what_they_are(lab):
    lab.js("await app.tour.go('perceptron', 3)")
    lab.page.keyboard.press("s")
    lab.until("c.state.run.step === 5")
    lab.page.keyboard.press("e")
    lab.until("app.tour.now.task.done")
    lab.js("await app.tour.go('online', 1)")
    lab.page.keyboard.press("2")  # no question is open: the tool for the other class
    assert lab.page.locator(".tool.minus input").is_checked()
    lab.js("await app.tour.go('perceptron', 0)")
    lab.page.locator(".x-view svg.marks").focus()
    lab.page.keyboard.press("1")  # outside the card digits are tools
    assert lab.page.locator(".tool.plus input").is_checked()
    assert tour(lab)["question"]["chosen"] is None
    lab.page.keyboard.press("ArrowRight")  # moves the cross
    assert tour(lab)["stop"] == 0


def test_a_reload_comes_back_to_the_stop_and_the_own_points_are_safe(new_page):
    lab = new_page().open()
    before = own_points(lab)
    lab.js("await app.tour.go('soft-margin', 1)")
    lab.page.wait_for_timeout(400)
    lab.page.reload()
    lab.page.wait_for_selector("#lab[data-ready]")
    lab.until("app.tour.now !== null")
    assert (tour(lab)["chapter"], tour(lab)["stop"]) == ("soft-margin", 1)
    lab.page.keyboard.press("Escape")
    lab.until("app.tour.now === null")
    lab.page.wait_for_timeout(100)
    after = lab.js(PAGE)
    assert after["run"]["step"] == before["run"]["step"]
    assert all(after[name] == before[name] for name in ("scene", "tab", "slice"))


def test_another_link_ends_the_tour(lab):
    lab.preset("xor")
    link = lab.js("return app.link.now()")
    lab.preset("eight")
    lab.js("await app.tour.go('risk', 1)")
    lab.page.evaluate("(link) => document.getElementById('lab').app.openLink(link)", link)
    lab.until("app.tour.now === null && c.state.scene.points.length === 24")
    for broken in (
        {"chapter": "nowhere", "stop": 0},
        {"chapter": "risk", "stop": 99},
        7,
        "risk",
        {"chapter": "constructor"},
    ):
        lab.page.evaluate("(kept) => document.getElementById('lab').app.tour.restore(kept)", broken)
        assert tour(lab) is None


def test_the_menu_marks_what_was_done_and_remembers_it(new_page):
    lab = new_page().open()
    lab.js("await app.tour.go('two-spaces', 2)")
    lab.page.get_by_role("button", name="next chapter").click()
    lab.until("app.tour.now.chapter === 'risk'")
    lab.page.locator(".tour").get_by_role("button", name="chapters").click()
    assert "✓ done" in lab.page.inner_text(".chapters li >> nth=0")
    assert lab.page.evaluate("document.activeElement.getAttribute('aria-current')") == "step"
    lab.page.get_by_role("button", name="end the tour").click()
    lab.until("app.tour.now === null")
    lab.page.reload()
    lab.page.wait_for_selector("#lab[data-ready]")
    assert lab.js("return [...app.tour.menu.done]") == ["two-spaces"]


def test_changed_points_are_noticed_and_put_back(lab):
    lab.js("await app.tour.go('theorem', 2)")
    points = lab.js("return c.state.scene.points")
    lab.act("move", row=0, point=[points[0][0] + 0.25, *points[0][1:]])
    assert "as they were" in lab.page.inner_text(".tour")
    lab.page.get_by_role("button", name="put them back").click()
    lab.until("app.tour.now.changed === ''")
    assert lab.js("return c.state.scene.points") == points


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (1000, "light"), (390, "dark")]
)
def test_axe_finds_nothing_serious_on_the_tour(new_page, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    lab = new_page(width, 800, color_scheme=scheme, reduced_motion="reduce").open()

    def serious():
        lab.state()
        found = axe.Axe().run(lab.page).response["violations"]
        return [
            (each["id"], [node["target"] for node in each["nodes"]][:4])
            for each in found
            if each["impact"] in ("serious", "critical")
        ]

    lab.js("app.tour.menu.open(null)")
    assert serious() == []
    lab.page.keyboard.press("Escape")
    for chapter, place, then in (
        ("theorem", 2, "choose(2)"),
        ("margins", 2, "act('hint')"),
        ("two-kinds", 1, "choose(0)"),
        ("mark-one", 0, "now"),
    ):
        lab.js(f"await app.tour.go('{chapter}', {place})")
        assert serious() == []
        lab.js(f"await app.tour.{then}")
        assert serious() == []
