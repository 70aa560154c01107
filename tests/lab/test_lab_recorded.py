"""A page without a server: opened from a file, with the network off, it is the lab at every step.

Tests `lab/export/exported.py`, `lab/export/page.py`.
"""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lab_recordings import CHECKED, app, held, recorded

from separatrix.lab import export_page
from separatrix.lab.export.page import MAX_BYTES, page
from separatrix.lab.link import read_link
from separatrix.lab.presets import BY_NAME
from separatrix.lab.session import Session
from separatrix.lab.stages import STAGES
from separatrix.lab.views.catalogue import TABS


def texts(page: Any) -> dict[str, str]:
    """Every sentence and number on the page; what the checker says is another's in the live lab."""
    return page.evaluate(
        """async () => {
          for (const _ of [1, 2, 3]) await new Promise(requestAnimationFrame); // a new picture is measured first
          const seen = (name) => [...document.querySelectorAll(name)].filter((each) => each.offsetParent !== null);
          const names = ['.note-line', '.formulas', '.counter', '.readout', '.verdict', '.weights', '.updates',
            '.objective .numbers', '.rows td'];
          return Object.fromEntries(names.map((name) => [name, seen(name).map((each) => each.textContent).join('|')]));
        }"""
    )


@pytest.mark.parametrize("stage", [stage.name for stage in STAGES])
def test_a_stage_is_the_lab_at_every_step(opened, lab, stage):
    """Forwards and back, in every picture: the same words and numbers as in the live lab."""
    text = export_page(stage)
    assert len(text.encode()) <= MAX_BYTES
    shown = opened(text)
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    lab.js(f"await app.openStage('{stage}'); await c.act('look')")
    assert texts(shown) == texts(lab.page)
    assert "checked in this page: proved" in shown.inner_text(".about")
    tabs = app(shown, "return c.state.run.tabs")
    assert tabs == lab.js("return c.state.run.tabs")
    steps = held(text)["steps"]
    assert steps == list(range(len(steps)))
    for live in (True, False):
        (lab.js if live else lambda body: app(shown, body))(
            "app.panel.rows.open = true; await c.act('seek', { step: 0 })"
        )
    for tab in tabs:
        for body in [
            f"app.tabs.open('{tab}'); await c.act('look')",
            *(["await app.player.step()"] * 3),
            "await app.player.back()",
        ]:
            # A picture that has just been opened is measured, and drawn, with the next frame.
            painted = "; await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
            lab.js(body + painted)
            app(shown, body + painted)
            assert texts(shown) == texts(lab.page), (tab, body)
    for key in "erbs":
        shown.keyboard.press(key)
        lab.page.keyboard.press(key)
        lab.js("await c.act('look')")
        app(shown, "await c.act('look')")
        assert texts(shown) == texts(lab.page), key


@pytest.mark.parametrize("preset", ["separable", "touching", "xor", "circles"])
@pytest.mark.parametrize(
    "algorithm", ["gradient", "hard-margin", "soft-margin", "kernel-perceptron", "kernel-svm"]
)
def test_every_algorithm_can_be_recorded(opened, preset, algorithm):
    scene = BY_NAME[preset].make().changed({"algorithm": algorithm})
    session = Session()
    session.handle({"op": "load", "scene": scene.to_json()})
    shown = opened(export_page(scene))
    last = session.handle({"op": "look"})["run"]
    assert shown.inner_text(".note-line") == last["note"]
    for step in (0, last["steps"] // 2, last["steps"]):
        app(shown, f"await c.act('seek', {{ step: {step} }})")
        reply = session.handle({"op": "seek", "step": app(shown, "return c.state.run.step")})
        assert shown.inner_text(".note-line") == reply["run"]["note"]
    assert "proved" in shown.inner_text(".panel .check >> nth=0")


def test_playing_stops_at_the_end_of_what_was_recorded(opened):
    """Also of a run that has none."""
    shown = opened(export_page(BY_NAME["xor"].make().changed({"algorithm": "perceptron"})))
    app(shown, "app.player.speed.value = 100; await c.act('seek', { step: 100 }); await app.player.play()")
    assert app(shown, "return [c.playing, c.state.run.step]") == [False, 120]


def test_it_fits_a_slide_and_a_phone(opened):
    text = export_page("risk")
    shown = opened(text)
    assert shown.evaluate(
        "[document.documentElement.scrollHeight, document.documentElement.scrollWidth]"
    ) == [720, 1280]
    for name in (
        ".play-toggle",
        ".timeline",
        ".x-view .readout",
        ".w-view .plot",
        ".about",
        ".panel .check >> nth=0",
    ):
        box = shown.locator(name).bounding_box()
        assert box["y"] >= 0, name
        assert box["y"] + box["height"] <= 720, name
    for width, height in ((360, 740), (700, 560), (3840, 2160)):
        shown = opened(text, width, height)
        assert shown.evaluate("document.documentElement.scrollWidth") == width
        assert shown.locator(".x-view .plot").bounding_box()["height"] > 150


def test_what_needs_the_solver_is_not_offered(opened):
    shown = opened(export_page(BY_NAME["eight"].make().changed({"algorithm": "perceptron"})))
    for name in (
        "#preset",
        ".tool",
        ".knob",
        ".cutter",
        ".tour",
        ".mark-one",
        "text=undo",
        "text=compare paths",
    ):
        assert shown.locator(name).locator("visible=true").count() == 0, name
    assert all(shown.locator(".controls select").evaluate_all("all => all.map((each) => each.disabled)"))
    before = app(shown, "return JSON.stringify([c.state.scene, c.state.x])")
    box = shown.locator(".x-view .marks").bounding_box()
    shown.mouse.click(box["x"] + 200, box["y"] + 100)  # no point is added, none is moved
    at = app(
        shown,
        "const { plane } = app.xspace.plot, [a, b] = c.state.scene.points[0]; return [plane.x(a), plane.y(b)]",
    )
    shown.mouse.move(box["x"] + at[0], box["y"] + at[1])
    assert "functional margin" in shown.inner_text(".x-view .readout")
    shown.mouse.down()
    shown.mouse.move(box["x"] + at[0] + 60, box["y"] + at[1] + 20, steps=4)
    shown.mouse.up()
    for place, keys in (
        (".x-view .marks", ("]", "ArrowUp", "Delete", "f", "Enter")),
        (".w-view .marks", ("ArrowUp", "PageUp")),
    ):
        shown.locator(place).focus()
        for key in keys:
            shown.keyboard.press(key)
    shown.keyboard.press("Control+z")
    assert app(shown, "return JSON.stringify([c.state.scene, c.state.x])") == before
    assert shown.locator(".toast").is_hidden()
    assert "pip install" in shown.inner_text(".about")
    assert read_link(shown.get_attribute(".about a", "href"))["scene"]["algorithm"] == "perceptron"


@pytest.mark.parametrize(
    "stage", ["theorem", "hard-margin-qp", "two-kinds", "kernel-lift", "validation", "online-drift"]
)
def test_every_button_beside_a_picture_works(opened, stage):
    """Whatever is pressed or pointed at, nothing asks for the solver."""
    shown = opened(export_page(stage))
    for tab in app(shown, "return c.state.run.tabs"):
        app(shown, f"app.tabs.open('{tab}'); await c.act('look')")
        buttons = shown.locator(".tab-panel button:visible")
        for k in range(buttons.count()):
            if k < buttons.count():  # a button may take another away
                buttons.nth(k).click()
            app(shown, "await c.act('look')")
        box = shown.locator(".tab-panel").bounding_box()
        for across in (0.3, 0.5, 0.7):
            shown.mouse.click(box["x"] + across * box["width"], box["y"] + 0.3 * box["height"])
        app(shown, "await c.act('look')")
        assert shown.locator(".toast").is_hidden(), tab


def test_cuts_are_recorded_across_every_axis(opened, lab):
    shown = opened(export_page("hard-margin-qp"))
    lab.js("await app.openStage('hard-margin-qp'); await c.act('look')")
    for axis in (0, 1, 2):
        wanted = lab.js(f"app.tabs.shown.axis = {axis}; await c.act('look'); return c.state.solid.cut")
        found = app(shown, f"app.tabs.shown.axis = {axis}; await c.act('look'); return c.state.solid.cut")
        assert found["axis"] == wanted["axis"] == axis
        assert found["at"] == pytest.approx(wanted["at"], rel=1e-8)


def test_a_page_keeps_the_options_that_its_maker_chose(opened):
    """A cut at a value of one's own is recorded with the rest."""
    scene = BY_NAME["separable"].make().changed({"algorithm": "hard-margin"})
    state = {"tab": "solid", "slice": 0.25, "options": {"solid": {"axis": 2, "slice": 0.25}}}
    shown = opened(page(recorded(scene, **state)))
    assert app(shown, "return c.state.solid.cut.at") == 0.25


def test_the_surface_is_recorded_too(opened):
    shown = opened(export_page("risk"))
    shown.get_by_role("button", name="surface").click()
    app(shown, "await c.act('look')")
    assert app(shown, "return c.state.risk.creases.length") > 0
    shown.get_by_role("button", name="surface").click()
    app(shown, "await c.act('look')")
    assert app(shown, "return c.state.risk.creases") is None


def test_a_wrong_certificate_is_rejected_in_the_page(opened):
    whole = recorded(BY_NAME["eight"].make().changed({"algorithm": "perceptron"}))
    shown = opened(page(whole))
    said = shown.inner_text(".run-proof")
    assert "Checked in this page, in exact arithmetic: proved." in said
    shown.locator(".run-proof summary").click()
    claim = json.loads(whole.more["certificates"]["run"])["claim"]
    assert shown.inner_text(".run-proof .claim") == claim
    # Another claim, another point: the checker in the page sees both.
    for forged in (
        {
            "certificates": {
                **whole.more["certificates"],
                "run": whole.more["certificates"]["run"].replace("106", "105"),
            }
        },
        {"scene": {**whole.more["scene"], "points": [[9.0, 9.0, 1], *whole.more["scene"]["points"][1:]]}},
    ):
        shown = opened(page(replace(whole, more={**whole.more, **forged})))
        assert "Checked in this page: rejected." in shown.inner_text(".run-proof")
        assert "proved." not in shown.inner_text(".run-proof .check")
        assert "checked in this page: rejected." in shown.inner_text(".about")


def test_a_damaged_file_says_so(browser, tmp_path):
    text = export_page("two-spaces")
    at = text.index('id="recording">') + 400
    path = tmp_path / "damaged.html"
    path.write_text(text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :])
    context = browser.new_context(offline=True)
    shown = context.new_page()
    shown.goto(path.as_uri())
    shown.wait_for_function("!document.body.innerText.includes('Opening')")
    assert "damaged" in shown.inner_text("#lab")
    context.close()


def test_it_can_be_framed_and_follows_the_reader(opened, browser, tmp_path):
    """In a frame of another page, dark where the reader has it dark, without any motion of its own."""
    (tmp_path / "scene.html").write_text(export_page("two-spaces"))
    (tmp_path / "slide.html").write_text(
        '<iframe src="scene.html" style="width:1000px;height:600px" title="scene"></iframe>'
    )
    context = browser.new_context(offline=True, color_scheme="dark", reduced_motion="reduce")
    outer = context.new_page()
    outer.goto((tmp_path / "slide.html").as_uri())
    frame = outer.frame_locator("iframe")
    frame.locator(CHECKED).wait_for()
    assert (
        frame.locator("#lab").evaluate("each => getComputedStyle(each).getPropertyValue('--dark').trim()")
        == "1"
    )
    frame.locator(".play-step").click()
    assert "step 1" in frame.locator(".counter").inner_text()
    context.close()


def test_the_first_frame_comes_before_the_checker(opened):
    """Within 1 s on a desk (a tenth of that is usual, see docs/lab.md); here with whatever else the machine does."""
    shown = opened(export_page(BY_NAME["eight"].make().changed({"algorithm": "perceptron"})))
    assert shown.evaluate("performance.getEntriesByName('first frame')[0].startTime") < 10_000


def test_the_documents_show_stages_that_exist():
    """What a link to a scene becomes in the site; a stage that is not there stops the build."""
    place = Path(__file__).parents[2] / "docs" / "pictures" / "hook.py"
    spec = importlib.util.spec_from_file_location("hook", place)
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    with pytest.raises(ValueError, match="There is no stage nowhere"):
        hook._record({"nowhere"})
    framed = hook._SCENE.sub(
        hook._frame, "a [![Both <spaces>](../pictures/a.svg)](../scenes/two-spaces.html) b"
    )
    assert 'src="../scenes/two-spaces.html" title="Both &lt;spaces&gt;" loading="lazy"' in framed
    names = {
        name for path in place.parents[1].rglob("*.md") for *_, name in hook._SCENE.findall(path.read_text())
    }
    assert {"two-spaces", "risk"} <= names <= {stage.name for stage in STAGES}


def test_every_picture_says_what_it_is_recorded_with():
    for tab in TABS:
        assert tab.recorded, tab.name
        json.dumps(tab.recorded)


def test_nothing_serious_for_those_who_cannot_see(opened):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    for scheme in ("light", "dark"):
        # axe is run by evaluating its text, which the policy of the page allows to nobody but Playwright.
        found = (
            axe.Axe()
            .run(opened(export_page("risk"), color_scheme=scheme, bypass_csp=True))
            .response["violations"]
        )
        assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []
