"""Links that hold everything, links that are broken, and a server that goes and comes back; in a real Chromium."""

from __future__ import annotations

import base64
import json
import threading

import pytest
from lab_driver import LabPage, serving

from separatrix.lab.limits import MAX_SESSIONS
from separatrix.lab.server import Lab
from separatrix.web import free_port


def fragment(state: object) -> str:
    return "#" + base64.urlsafe_b64encode(json.dumps(state).encode()).decode().rstrip("=")


def test_the_page_reconnects_and_says_what_to_do_meanwhile(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    with serving() as address:
        port = address.rstrip("/").rpartition(":")[2]
        lab = LabPage(context.new_page(), address).open()
        lab.preset("eight")
        lab.act("seek", step=7)
        lab.act("hold", w=[1.0, 2.0], b=-3.0)
        lab.js("await app.markOne.ask('show', { cells: '1'.repeat(200) + '0'.repeat(200), label: 1 })")
        before = lab.js("return [c.state.scene, c.state.x.w]")
    lab.page.wait_for_selector(".banner:not([hidden])")
    assert f"separatrix lab --port {port}" in lab.page.inner_text(".banner")
    assert lab.page.locator(".point").count() == 8
    with serving("--port", port):
        lab.page.wait_for_selector(".banner", state="hidden")
        lab.until("c.state.run.by_hand === true && !c.busy")
        assert lab.js("return [c.state.scene, c.state.x.w]") == before
        lab.page.locator(".play-step").click()
        lab.state()
        assert lab.js("return (await c.act('mark', { do: 'look' })).mark.plus") == 1
    context.close()


def test_the_page_beyond_the_limit_says_why_and_opens_when_there_is_room(browser):
    uvicorn = pytest.importorskip("uvicorn")
    own, listening = Lab(), free_port("127.0.0.1", 0)
    listening.listen()
    own.sessions.update(object() for _ in range(MAX_SESSIONS))
    server = uvicorn.Server(
        uvicorn.Config(own.app, log_level="critical", ws="websockets-sansio", lifespan="off")
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{listening.getsockname()[1]}/")
    page.wait_for_selector("text=64 pages of this lab are open")
    own.sessions.clear()
    page.wait_for_selector("#lab[data-ready]")
    context.close()
    server.should_exit = True
    thread.join(timeout=20)
    listening.close()


def test_a_link_holds_how_it_is_looked_at_too(lab, new_page):
    lab.preset("separable")
    lab.js(
        """app.setTheme("dark"); app.tabs.open("solid"); app.tabs.cut(0.25); await c.act("look");
        app.tabs.shown.camera.turn = 1.25; app.tabs.shown.camera.near = 1.5;
        app.xspace.plot.plane.look([0.5, 0.25], 1.75); app.xspace.looked();
        app.tabs.views.risk.flip();
        await app.markOne.ask("show", { cells: "1".repeat(200) + "0".repeat(200), label: -1 });
        await app.markOne.ask("pass");
        await c.act("hold", { w: [0.5, -1], b: 0.125 });"""
    )
    other = new_page().open(lab.js("return '#' + app.link.now().split('#')[1]"))
    for page in (lab, other):
        found = page.js(
            """const { camera } = app.tabs.shown, { plane } = app.xspace.plot;
            return [app.root.dataset.theme, app.tabs.name, app.tabs.slice, camera.turn, camera.near,
            plane.centre, plane.half, app.tabs.views.risk.solid, c.state.x.w, c.state.x.b,
            (await c.act("mark", { do: "look" })).mark.updates, app.preset.value]"""
        )
        assert found == [
            "dark",
            "solid",
            0.25,
            1.25,
            1.5,
            [0.5, 0.25],
            1.75,
            True,
            [0.5, -1],
            0.125,
            1,
            "separable",
        ]
    own = other.js("return c.state.scene")
    other.js("await app.tour.go('no-line', 1)")
    third = new_page().open(other.js("return '#' + app.link.now().split('#')[1]"))
    assert third.page.inner_text(".tour h2") == "A proof that adds up to nothing"
    third.js("await app.tour.end()")
    assert third.js("return c.state.scene") == own


@pytest.mark.parametrize(
    "broken",
    [
        "#not!a!link",
        "#eyJzY2VuZSI6eyJwb2ludHMiOltb",  # cut off
        fragment({"tab": "w"}),
        fragment({"scene": {"points": [[1, 2, 5]]}}),
        fragment({"scene": {"points": json.loads("[" * 900 + "]" * 900)}}),
    ],
)
def test_a_broken_link_is_said(new_page, broken):
    lab = new_page().open(broken)
    assert len(lab.page.inner_text(".toast")) > 20
    assert lab.state()["run"]["ready"]


def test_names_and_depths_of_a_link_do_no_harm(new_page):
    deep = '{"scene": {"points": ' + "[" * 5000 + "]" * 5000 + "}}"
    for text in (
        deep,
        '{"tab": "constructor", "scene": {"points": [[0, 0, 1], [1, 1, -1]]}, "camera": "x", "mark": {"a": 1}}',
    ):
        link = "#" + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
        lab = new_page().open(link)
        assert lab.state()["run"]["ready"]
        assert lab.js("return app.tabs.name") == "w"


def test_a_link_of_another_lab_can_be_pasted(lab):
    link = "http://127.0.0.1:1/" + fragment({"scene": {"points": [[0, 0, 1], [1, 1, -1]]}})
    lab.page.get_by_role("button", name="share").click()
    lab.page.get_by_role("menuitem", name="open a link").click()
    lab.page.locator(".opener textarea").fill(link)
    lab.page.locator(".opener button", has_text="open").click()
    lab.until("c.state.scene.points.length === 2")


def test_back_goes_to_the_scene_before(lab):
    lab.preset("eight")
    lab.page.wait_for_timeout(400)
    lab.preset("xor")
    lab.page.wait_for_timeout(400)
    lab.page.go_back()
    lab.until("c.state.scene.points.length === 8")
    lab.page.go_back()
    lab.until("c.state.scene.points.length === 24 && c.state.scene.algorithm === 'hard-margin'")
    lab.page.go_forward()
    lab.until("c.state.scene.points.length === 8")


def test_a_point_out_of_range_is_said_by_its_name(lab):
    assert "x1 must be a number" in lab.act("add", point=[1e9, 0, 1])["error"]
