"""Faults that visitors found, each in a real Chromium as they met it: help, w-space, rings, texts, axes, counters."""

from __future__ import annotations

import math
import re

import pytest

from separatrix.lab.tour.chapter import say
from separatrix.lab.tour.chapters import CHAPTERS

PRESETS = ["separable", "origin", "touching", "overlapping", "xor", "circles", "eight"]
TICKS = """
const count = (plot, vertical) => [...plot.querySelectorAll(".ticks text")].filter((text) =>
  (text.getAttribute("text-anchor") === "middle") === vertical).length;
const seen = (svg) => svg.getBoundingClientRect().width > 10 && !svg.classList.contains("blank");
return [...document.querySelectorAll(".plot svg.marks")].filter(seen)
  .map((svg) => [count(svg, true), count(svg, false)]);
"""
# Elements whose own text does not fit, and texts of drawings that leave their drawing.
CUT_OFF = """
const found = [], ALLOWED = "svg, canvas, select, .visually-hidden, .scroll, .panel-body";
for (const element of document.querySelectorAll(".lab *")) {
  if (!element.checkVisibility() || element.closest(ALLOWED)) continue;
  const style = getComputedStyle(element), clips = style.overflow !== "visible" || /strict|paint/.test(style.contain);
  if (!clips || !element.textContent.trim()) continue;
  const wide = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
  const tall = element.scrollHeight > element.clientHeight + 1 && /strict/.test(style.contain);
  if (wide || tall) found.push(`${element.className}: ${element.textContent.slice(0, 80)}`);
}
for (const text of document.querySelectorAll(".lab svg text")) {
  const box = text.getBoundingClientRect(), whole = text.closest("svg").getBoundingClientRect();
  const across = box.left < whole.left - 1 || box.right > whole.right + 1;
  const up = box.bottom > whole.bottom + 2 || box.top < whole.top - 2;
  if (box.width && whole.width && (across || up)) found.push(`drawing: ${text.textContent}`);
}
if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the screen");
return found;
"""


def cut_off(lab):
    """The texts that the page cuts off at rest: a picture is measured a frame or two after it is drawn."""
    found = lab.js(CUT_OFF)
    for _ in range(60):
        if not found:
            break
        lab.page.wait_for_timeout(50)
        found = lab.js(CUT_OFF)
    return found


def test_the_help_lists_every_key(lab):
    lab.page.keyboard.press("?")
    words = lab.page.inner_text("dialog.help")
    assert "[object" not in lab.page.inner_text("body")
    for part in ("In x-space", "In w-space", "Anywhere", "play, pause", "drag w"):
        assert part in words
    assert lab.page.locator("dialog.help dt").count() > 15


@pytest.mark.parametrize("preset", ["xor", "touching", "eight"])
def test_w_space_shades_a_version_space_only_where_there_is_one(lab, preset):
    lab.preset(preset)
    lab.page.select_option("#algorithm", "perceptron")
    lab.act("seek", step=2)
    lab.state()
    words = lab.page.inner_text(".w-view .readout")
    assert lab.page.locator(".wedge polygon").count() == 0
    assert "shaded" not in words
    assert "move b" not in words
    assert ("at another b some do" in words) == (preset == "eight")


def test_frames_of_the_interior_point_ring_no_point_beside_the_slab(lab):
    lab.preset("overlapping")
    for step in (1, 2, 4):
        lab.act("seek", step=step)
        functional = lab.state()["x"]["functional"]
        ringed = lab.js(
            "const rings = document.querySelectorAll('.x-view .point.margin, .x-view .point.slack');"
            "return [...rings].map((point) => Number(point.dataset.row))"
        )
        beside = [row for row, margin in enumerate(functional) if margin >= 1.01]
        assert not set(ringed) & set(beside)
        assert beside or step == 1  # the first w is so short that its slab holds every point
        edge = lab.js(
            "return [...document.querySelectorAll('.x-view .point.margin')].map((p) => Number(p.dataset.row))"
        )
        assert all(abs(functional[row] - 1) < 0.01 for row in edge)


def test_what_is_said_about_slack_gamma_and_the_bias(lab):
    lab.preset("origin")
    lab.act("seek", step=2)
    lab.state()
    assert "b moved" not in lab.page.inner_text(".said")
    assert "b ←" not in lab.page.inner_text(".formulas")  # there is no bias here
    lab.page.select_option("select[data-setting='bias']", "radius")
    lab.act("seek", step=2)
    lab.state()
    assert "R²" in lab.page.inner_text(".formulas")
    lab.preset("circles")
    assert "larger is narrower" in lab.page.inner_text(".settings")
    lab.page.select_option("select[data-setting='kernel']", "poly")
    lab.state()
    assert "narrower" not in lab.page.inner_text(".settings")
    lab.js("await app.tour.go('soft-margin', 0)")
    assert "½‖w‖² + C Σξ" in lab.page.inner_text(".tour")
    for chapter in CHAPTERS:
        for stop in chapter.stops:
            words = say(stop.words, chapter.open(stop))
            for wrong in ("at a price C each", "width γ", "Left,", "Right,"):
                assert wrong not in words


def test_the_step_size_says_why_it_does_not_matter_from_zero(lab):
    lab.preset("eight")
    assert "From w = 0 the step size does not matter" in lab.page.inner_text(".panel")
    lab.page.select_option("select[data-setting='start']", "row")
    lab.state()
    assert "does not matter" not in lab.page.inner_text(".panel")
    lab.act("set", settings={"algorithm": "gradient"})
    lab.page.locator("#tab-stepsize").click()
    lab.page.locator(".step-chart summary").click()
    lab.page.wait_for_selector(".step-chart .curve path[d^=M]", state="attached")
    assert lab.page.locator(".step-chart text", has_text="log scale").count() == 2
    found = lab.js(
        """const { step_sizes: { steps } } = await c.act("step-sizes"), { sizes: chart } = app.tabs.shown;
        const path = chart.curves.querySelector(".dots").getAttribute("d");
        const dots = path.match(/M[^h]+/g).map((at) => at.slice(1).split(" ").map(Number));
        const labels = [...chart.texts.querySelectorAll("text[text-anchor=end]")]
          .map((text) => [Number(text.textContent), Number(text.getAttribute("y"))]);
        return { steps, dots, labels };"""
    )
    # A mark stands where its number would: between labels, on a scale of logarithms.
    (low, y_low), (high, y_high) = sorted(found["labels"])[0], sorted(found["labels"])[-1]
    assert high > low
    counts = [count for count in found["steps"] if count]
    places = [y for _, y in found["dots"]]
    shift = places[0] - (
        y_low + (math.log(counts[0]) - math.log(low)) / (math.log(high) - math.log(low)) * (y_high - y_low)
    )
    assert abs(shift) < 6.0  # a label stands a little below its tick
    for count, y in zip(counts, places, strict=True):
        share = (math.log(count) - math.log(low)) / (math.log(high) - math.log(low))
        assert y == pytest.approx(y_low + share * (y_high - y_low) + shift, abs=0.6)


@pytest.mark.parametrize(
    ("width", "height"), [(360, 740), (390, 844), (768, 1024), (1280, 800), (1280, 720), (3840, 2160)]
)
def test_no_text_is_cut_off_and_every_axis_has_a_scale(new_page, width, height):
    lab = new_page(width, height).open()
    for preset in PRESETS:
        lab.preset(preset)
        assert cut_off(lab) == [], preset
        for across, up in lab.js(TICKS):
            assert across >= 2, preset
            assert up >= 2, preset
    lab.preset("separable")
    for step in (0, 1):
        lab.act("seek", step=step)
        assert cut_off(lab) == []
    for tab in ("solid", "risk"):
        lab.js(f"app.tabs.open('{tab}')")
        lab.state()
        assert cut_off(lab) == [], tab
    lab.js("app.tabs.open('w'); app.tabs.cut(-0.0034)")
    lab.act("set", settings={"algorithm": "perceptron"})
    lab.state()
    assert cut_off(lab) == []
    lab.act("load", scene={"points": [[1, 1, 1]]})
    assert "orange" in lab.page.inner_text(".x-view .readout")
    assert cut_off(lab) == []


def test_a_tab_that_was_open_for_other_points_is_not_drawn_with_these(lab):
    for tab in ("solid", "w"):
        lab.preset("separable")
        lab.page.locator(f"#tab-{tab}").click()
        lab.state()
        lab.page.locator("#tab-risk").click()
        lab.preset("eight")
        lab.page.locator(f"#tab-{tab}").click()
        lab.js("c.hover(3); c.hover(null)")  # what is left of the old picture would be drawn now
        lab.state()


def test_counters_agree_and_a_long_run_says_where_it_stops(lab):
    lab.preset("overlapping")
    state = lab.state()
    made, last = re.search(r"after (\d+) iterations; step (\d+)", lab.page.inner_text(".note-line")).groups()
    assert int(last) == int(made) + 1 == state["run"]["step"]
    assert lab.page.inner_text(".counter") == f"step {last}"
    assert "allows for every rounding error" in lab.page.text_content(".run-proof")
    lab.preset("xor")
    lab.page.select_option("#algorithm", "perceptron")
    lab.act("step", count=500)
    lab.act("step", count=500)
    lab.act("step", count=500)
    lab.page.locator(".speed input").fill("100")
    lab.page.locator(".play-toggle").click()
    lab.until("c.state.run.full && !c.playing")
    assert "keeps 1999 steps" in lab.page.inner_text(".note-line")


@pytest.mark.parametrize("ratio", [1, 1.5])
def test_the_cells_of_mark_one_are_equal_and_its_counts_are_english(new_page, ratio):
    lab = new_page(device_scale_factor=ratio).open()
    lab.js("app.markOne.open(); await app.markOne.ask('show', { cells: '1'.repeat(400), label: 1 })")
    assert "1 example of A" in lab.page.inner_text(".mark-says")
    assert "1 mistake " in lab.page.inner_text(".mark-says")
    sizes = lab.js(
        "const shown = (pad) => pad.getBoundingClientRect().width * devicePixelRatio;"
        "return [app.markOne.pad, app.markOne.map].map((pad) => [pad.width / 20, shown(pad) - pad.width])"
    )
    for cell, off in sizes:
        assert cell == int(cell)
        assert abs(off) < 0.1


def test_all_compared_paths_are_on_the_surface(lab):
    lab.preset("origin")
    lab.act("set", settings={"algorithm": "gradient", "start": "row", "step": 0.2})
    lab.js("app.tabs.open('risk'); await app.tabs.shown.compare(); app.tabs.shown.flip()")
    lab.state()
    colours = lab.js(
        """const { canvas } = app.tabs.shown.camera, { width, height } = canvas;
        const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
        const seen = { pink: 0, green: 0 };
        for (let k = 0; k < data.length; k += 4) {
          if (data[k] === 255 && data[k + 1] === 155 && data[k + 2] === 213) seen.pink += 1;
          if (data[k] === 111 && data[k + 1] === 240 && data[k + 2] === 196) seen.green += 1;
        }
        return seen;"""
    )
    assert colours["pink"] > 20
    assert colours["green"] > 20


def test_ticks_of_lines_through_one_place_stand_apart(lab):
    lab.preset("origin")
    lab.state()
    paths = lab.js(
        "return [...document.querySelectorAll('.w-view .plot .normal')].map((path) => path.getAttribute('d')).join('')"
    )
    starts = [tuple(float(n) for n in found) for found in re.findall(r"M([-\d.]+) ([-\d.]+)", paths)]
    assert len(starts) == 14
    spread = [max(place[k] for place in starts) - min(place[k] for place in starts) for k in (0, 1)]
    assert min(spread) > 150


def test_the_tour_leaves_own_points_alone_and_obeys_its_keys(lab):
    lab.act("clear")
    for point in ([1.0, 1.0, 1], [-1.0, 0.5, -1]):
        lab.act("add", point=point)
    own = lab.js("return c.state.scene")
    lab.page.get_by_role("button", name="tour").click()
    lab.page.keyboard.press("Enter")
    lab.until("app.tour.now !== null")
    lab.page.locator(".brand").click()
    lab.page.keyboard.press("ArrowRight")
    lab.until("app.tour.now.stop === 1")
    assert "2 of 3" in lab.page.inner_text(".tour .note >> nth=0")
    lab.page.keyboard.press("ArrowLeft")
    lab.until("app.tour.now.stop === 0")
    lab.page.keyboard.press("Escape")
    lab.until("app.tour.now === null")
    lab.state()
    assert not lab.page.locator(".tour").is_visible()
    assert lab.js("return c.state.scene") == own


def test_reduced_motion_keeps_the_tour_still(new_page):
    lab = new_page(reduced_motion="reduce").open()
    lab.js("await app.tour.go('perceptron', 0)")
    lab.page.wait_for_timeout(300)
    assert lab.js("return [c.playing, c.state.run.step]") == [False, 0]


def test_space_plays_while_x_space_has_the_focus(lab):
    lab.preset("eight")
    lab.page.locator(".x-view svg.marks").focus()
    lab.page.keyboard.press("Space")
    lab.until("c.playing")
    lab.page.keyboard.press("Space")
    lab.until("!c.playing")
    assert lab.js("return c.state.scene.points.length") == 8


@pytest.mark.parametrize("view", [".x-view", ".w-view"])
def test_the_wheel_zooms_about_the_pointer_and_a_drag_pans(lab, view):
    lab.preset("eight")
    plot = "app.xspace.plot" if view == ".x-view" else "app.tabs.shown.plot"
    box = lab.page.locator(f"{view} svg.marks").bounding_box()
    x, y = round(box["x"] + 0.15 * box["width"]), round(box["y"] + 0.9 * box["height"])
    place = f"return {plot}.plane.at({x - box['x']}, {y - box['y']})"
    before = lab.js(place)
    half = lab.js(f"return {plot}.plane.half")
    lab.page.mouse.move(x, y)
    lab.page.mouse.wheel(0, -300)
    lab.page.wait_for_timeout(100)
    assert lab.js(f"return {plot}.plane.half") < 0.8 * half
    assert lab.js(place) == pytest.approx(before, abs=1e-6)
    lab.page.mouse.down()
    lab.page.mouse.move(x + 60, y - 40, steps=4)
    lab.page.mouse.up()
    moved = lab.js(f"return {plot}.plane.at({x + 60 - box['x']}, {y - 40 - box['y']})")
    assert moved == pytest.approx(before, abs=1e-6)
    assert lab.js("return c.state.scene.points.length") == 8


def test_a_narrow_kernel_has_an_island_around_each_of_its_points(lab):
    lab.preset("circles")
    lab.act("set", settings={"gamma": 100.0, "C": 10.0})
    contours = lab.state()["x"]["contours"]
    assert contours["columns"] > 100
    islands = lab.js(
        """const { unpack } = await import("/js/draw/dom.js"), { contours } = c.state.x;
        const f = unpack(contours.values), n = contours.columns, [left, right, low, high] = contours.window;
        const at = (from, to, value) => Math.round(((value - from) / (to - from)) * (n - 1));
        return c.state.scene.points.map(([x1, x2, y]) => y * f[at(low, high, x2) * n + at(left, right, x1)]);"""
    )
    assert min(islands) > 0
