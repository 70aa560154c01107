"""The stages of margins in a real Chromium: nothing is cut off or written over, rows light up, links hold cuts."""

from __future__ import annotations

import pytest
from test_lab_faults import cut_off

STAGES = ("margins", "hard-margin-qp", "soft-margin", "two-kinds", "dual-forces")
# Labels of one drawing that cover each other by more than a fifth of the smaller one.
OVERWRITTEN = """
const found = [], all = [...document.querySelectorAll(".w-view svg text")];
const texts = all.filter((text) => text.textContent && text.checkVisibility());
const boxes = texts.map((text) => text.getBoundingClientRect()), area = (box) => box.width * box.height;
const both = (a, b, low, high) => Math.max(0, Math.min(a[high], b[high]) - Math.max(a[low], b[low]));
for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
  const [a, b] = [boxes[i], boxes[j]], shared = both(a, b, "left", "right") * both(a, b, "top", "bottom");
  if (shared > 0.2 * Math.min(area(a), area(b))) found.push(`${texts[i].textContent} / ${texts[j].textContent}`);
}
return found;
"""


def open_stage(lab, name):
    lab.js(f"await app.openStage('{name}')")
    lab.page.wait_for_timeout(250)  # a picture that has become wide is measured in the frame after
    return lab.state()


@pytest.mark.parametrize(("width", "height"), [(360, 740), (768, 1024), (1280, 800), (3840, 2160)])
def test_nothing_is_cut_off_or_written_over(new_page, width, height):
    lab = new_page(width, height).open()
    for name in STAGES:
        state = open_stage(lab, name)
        assert cut_off(lab) == [], name
        assert lab.js(OVERWRITTEN) == [], name
        for step in range(0, state["run"]["steps"], 2):
            lab.act("seek", step=step)
            assert cut_off(lab) == [], (name, step)
    lab.act("hold", w=[0.1, -0.3], b=0.5)
    assert cut_off(lab) == []
    assert "by hand" in lab.page.inner_text(".forces-tab")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_the_stages(new_page, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    lab = new_page(color_scheme=scheme).open()
    for name in STAGES:
        open_stage(lab, name)
        found = axe.Axe().run(lab.page).response["violations"]
        serious = [
            (each["id"], [(node["target"], node["failureSummary"]) for node in each["nodes"]][:3])
            for each in found
            if each["impact"] in ("serious", "critical")
        ]
        assert serious == [], name


def test_a_row_of_the_table_and_its_point_light_each_other_up(lab):
    open_stage(lab, "two-kinds")
    lab.page.locator(".cases tbody tr").nth(2).hover()
    row = lab.js("return c.hovered")
    assert row == int(lab.page.locator(".cases tbody tr").nth(2).get_attribute("data-row"))
    assert lab.page.locator(".x-view .point.lit").get_attribute("data-row") == str(row)
    assert lab.page.locator(".forces-tab .dimension.lit").count() == 1
    x, y = lab.js(
        """const { svg, plane } = app.tabs.shown.slab.plot, box = svg.getBoundingClientRect();
        const [a, b] = c.state.scene.points[8];
        return [box.left + plane.x(a), box.top + plane.y(b)]"""
    )
    lab.page.mouse.move(x, y)
    assert lab.page.locator(".cases tr.lit").get_attribute("data-row") == "8"
    lab.page.locator("#tab-margin").click()
    lab.state()
    lab.js("c.hover(8)")
    assert "ξ₉" in lab.page.locator(".dimension-texts text.lit").text_content()


def test_the_polyhedron_is_cut_across_any_axis(lab, new_page):
    state = open_stage(lab, "hard-margin-qp")
    assert state["solid"]["cut"]["axis"] == 0
    assert state["solid"]["cut"]["at"] == pytest.approx(1 / 17)
    assert "(1/17, 4/17, 0.5)" in lab.page.inner_text(".solid-tab .readout")
    assert lab.page.locator(".panel").is_hidden()  # the stage is wide
    assert lab.page.locator(".section .section-marks .optimum").count() == 1
    lab.page.get_by_role("button", name="cut across w₂").click()
    assert lab.state()["solid"]["cut"]["axis"] == 1
    lab.page.locator(".cutter input").evaluate(
        "(input) => { input.value = 0.3; input.dispatchEvent(new Event('input')) }"
    )
    state = lab.state()
    assert state["solid"]["cut"]["at"] == pytest.approx(0.3, abs=0.02)
    assert lab.js("return app.tabs.slice") is None  # the b of the other pictures stays
    assert "is at w₂ = 4/17" in state["solid"]["section_says"]
    assert lab.page.locator(".section .section-marks .optimum").count() == 0
    other = new_page().open(lab.js("return '#' + app.link.now().split('#')[1]"))
    assert other.state()["solid"]["cut"] == state["solid"]["cut"]
    assert other.page.locator(".panel").is_hidden()
    lab.page.get_by_role("button", name="follow the run").click()
    assert lab.state()["solid"]["cut"]["at"] == pytest.approx(4 / 17)
    lab.page.get_by_role("button", name="wide").click()
    assert lab.page.locator(".panel").is_visible()
    lab.page.get_by_role("button", name="cut across b").click()
    assert lab.state()["solid"]["cut"]["axis"] == 2
    lab.act("set", settings={"bias": "none"})
    assert lab.page.get_by_role("button", name="cut across b").is_hidden()


def test_doubling_w_halves_the_slab_and_a_link_keeps_it(lab, new_page):
    state = open_stage(lab, "margins")
    assert state["margin"]["width"] == pytest.approx(4)
    lab.page.get_by_role("button", name="twice w and b").click()
    state = lab.state()
    assert state["margin"]["width"] == pytest.approx(2)
    assert state["x"]["slab_width"] == pytest.approx(4)
    assert "half as wide" in lab.page.inner_text(".margin-tab .words")
    other = new_page().open(lab.js("return '#' + app.link.now().split('#')[1]"))
    assert other.state()["margin"]["times"] == 2


def test_a_point_is_dragged_with_each_picture_open(lab):
    for name in STAGES:
        state = open_stage(lab, name)
        x1, x2, _ = state["scene"]["points"][0]
        x, y = lab.pixel(x1, x2)
        lab.page.mouse.move(x, y)
        lab.page.mouse.down()
        for k in range(6):
            lab.page.mouse.move(x - 3 * k, y + 4 * k)
            lab.page.wait_for_timeout(20)
        lab.page.mouse.up()
        assert lab.state()["scene"]["points"][0][:2] != [x1, x2]


def test_scenes_without_a_slab_say_so(lab):
    lab.page.locator("#tab-forces").click()
    lab.act("seek", step=0)
    assert "no point pushes" in lab.page.inner_text(".forces-tab")
    lab.page.locator("#tab-margin").click()
    lab.state()
    assert "w = 0 has no boundary" in lab.page.inner_text(".margin-tab")
    lab.preset("touching")
    lab.act("set", settings={"algorithm": "hard-margin"})
    lab.state()
    assert "no hard margin" in lab.page.inner_text(".margin-tab")
    lab.page.locator("#tab-forces").click()
    lab.state()
    assert "no balance" in lab.page.inner_text(".forces-tab")
    lab.act("clear")
    assert "Put down points" in lab.page.inner_text(".forces-tab")
