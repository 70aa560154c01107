"""The widget: one file, the same session, the same page.

Tests `lab/widget.py`.
"""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from separatrix.lab.bundle import bundle, stylesheet
from separatrix.lab.link import write_link
from separatrix.lab.presets import BY_NAME
from separatrix.lab.session import Session

pytest.importorskip("anywidget")


def test_one_module_without_imports():
    text = bundle("notebook.js")
    assert not re.search(r"^\s*import ", text, re.MULTILINE)
    assert text.count("export default") == 1
    assert not re.search(r"^export (?!default)", text, re.MULTILINE)


def test_the_widget_answers_as_the_page_does():
    from separatrix.lab import Widget

    sent = []
    widget = Widget(preset="eight")
    widget.send = lambda content, buffers=None: sent.append(content)
    widget._answer(
        widget, {"id": "a-1", "op": "add", "point": [2.0, 2.0, 1], "want": {"x": {}, "panel": {}}}, []
    )
    widget._answer(widget, {"id": "a-2", "op": "fly"}, [])
    assert sent[0]["id"] == "a-1"
    assert len(widget.scene.points) == 9
    assert sent[1]["error"]
    json.dumps(sent, allow_nan=False)
    assert widget.model.status_ == "converged"
    with pytest.raises(ValueError, match="no preset"):
        Widget(preset="nothing")


def test_the_single_file_works_in_a_browser(browser):
    """A stand-in for Jupyter: its model sends to the widget's session, and what comes back to the listeners."""
    session = Session()
    session.handle({"op": "preset", "name": "eight"})
    context = browser.new_context(viewport={"width": 1200, "height": 800})
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.expose_function("ask", lambda text: json.dumps(session.handle(json.loads(text)), allow_nan=False))
    page.set_content("<!doctype html><title>cell</title><div id='cell'></div>")
    page.add_style_tag(content=stylesheet())
    module = bundle("notebook.js").replace("export default", "window.widget =")
    page.add_script_tag(content=module, type="module")
    page.evaluate(
        """async () => {
          while (!window.widget) await new Promise((go) => setTimeout(go, 20));
          const listeners = [];
          const send = async (message) => {
            const reply = JSON.parse(await window.ask(JSON.stringify(message)));
            for (const listen of listeners) listen(reply);
          };
          const model = { get: () => "40rem", on: (name, listen) => listeners.push(listen), send };
          await window.widget.render({ model, el: document.getElementById("cell") });
        }"""
    )
    page.wait_for_selector(".lab-widget[data-ready]")
    assert page.locator(".point").count() == 8
    page.locator(".play-reset").click()
    page.locator(".play-step").click()
    page.wait_for_selector(".point.used", state="attached")
    assert session.playback.cursor == 1
    context.close()
    assert complaints == []


def test_the_widget_takes_points_and_links():
    from separatrix.lab import Widget

    X = np.array([[0.0, 1.0], [2.0, 1.0], [3.0, 0.5]])
    wanted = ((0.0, 1.0, -1), (2.0, 1.0, 1), (3.0, 0.5, 1))
    assert Widget(points=X, y=["no", "yes", "yes"]).scene.points == wanted
    assert Widget(points=X, y=np.array([0, 1, 1])).scene.points == wanted
    assert Widget(points=[list(point) for point in wanted]).scene.points == wanted
    scene = BY_NAME["eight"].make()
    link = "http://127.0.0.1:9999/#" + write_link({"scene": scene.to_json(), "step": 5})
    widget = Widget(link=link)
    assert widget.scene == scene
    assert widget._session.playback.cursor == 5


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"points": [[0, 1]]}, r"shape \(n, 3\)"),
        ({"points": [[0, 1, 2]], "y": [1]}, r"shape \(n, 2\)"),
        ({"points": [["a", 1, 1]]}, "must be numbers"),
        ({"points": [[0, 1], [0]], "y": [1, 2]}, "must be numbers"),
        ({"points": [[0, 1, 0]]}, "label must be -1 or 1"),
        ({"points": [[0, float("nan"), 1]]}, "finite number"),
        ({"points": [[0, 1], [1, 1]], "y": [1]}, "one label for each of the 2 points"),
        ({"points": [[0, 1], [1, 1]], "y": [1, 1]}, "two different labels"),
        ({"y": [1, 2]}, "points, which are missing"),
        ({"link": "#hello"}, "cannot be read"),
        ({"link": "#e30"}, "cannot be read"),
        ({"link": "#", "preset": "eight"}, "Give one of"),
        ({"points": [[0, 1, 1]] * 501}, "at most 500"),
    ],
)
def test_the_widget_refuses_with_a_sentence(given, sentence):
    from separatrix.lab import Widget

    with pytest.raises(ValueError, match=sentence):
        Widget(**given)
