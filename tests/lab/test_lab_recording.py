"""What a page without a server holds: every reply of the solver, small enough, and nothing that runs.

Tests `lab/export/packing.py`, `lab/export/recording.py`, `lab/link.py`.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from lab_driver import two_clouds
from lab_recordings import app, held, recorded

from separatrix.lab import export_page
from separatrix.lab.export.packing import changes, write_grid, write_line
from separatrix.lab.export.page import MAX_BYTES, page
from separatrix.lab.export.recording import record
from separatrix.lab.link import read_link, write_link
from separatrix.lab.presets import BY_NAME
from separatrix.lab.scene import Scene, SceneError
from separatrix.lab.session import Session


def test_changes_lead_from_one_to_the_next():
    def applied(before: Any, change: dict[str, Any]) -> Any:
        if "v" in change:
            return change["v"]
        if "a" in change:
            return before + change["a"]
        if "d" in change:
            return {**before, **{name: applied(before[name], each) for name, each in change["d"].items()}}
        if "i" in change:
            return [applied(each, change["i"].get(str(k), {})) for k, each in enumerate(before)]
        return before

    values = [{"a": [1, 2, 3, 4], "b": None}, {"a": [1, 2, 3, 4, 5], "b": {"#": [0]}}]
    values += [
        {"a": [1, 2, 9, 4, 5], "b": {"#": [7]}},
        {"a": [], "b": 0},
        {"a": [], "b": False},
        {"c": 1},
        [1, 1.0],
        3,
    ]
    for before in values:
        for now in values:
            found = applied(before, changes(before, now))
            assert json.dumps(found) == json.dumps(now)


def test_grids_and_lines_come_back(opened):
    """To a part in sixteen thousand of their range; in the page, by its own reader."""
    rng = np.random.default_rng(0)
    whole = recorded(BY_NAME["circles"].make().changed({"algorithm": "kernel-svm"}))
    grid = whole.frames[-1]["x"]["contours"]["values"]
    shown = app(opened(page(whole)), "return [...c.state.x.contours.values]")
    span = float(np.ptp(grid.values))
    assert np.max(np.abs(np.array(shown) - grid.values)) <= span / 2**14
    assert write_grid(np.array([1.0, np.inf], dtype=np.float32)) is None
    assert write_grid(np.full(7, 3.0, dtype=np.float32))[0][:2] == [7, 7]
    line = np.cumsum(rng.normal(size=(50, 3)), axis=0)
    assert write_line(line)[0][:2] == [50, 3]


def test_a_line_is_read_as_it_was(opened):
    scene = BY_NAME["eight"].make().changed({"algorithm": "perceptron"})
    whole = recorded(scene)
    shown = opened(page(whole))
    app(
        shown,
        "app.tabs.open('risk'); await c.act('look'); app.tabs.shown.flip(); await c.act('seek', { step: 60 })",
    )
    creases, wanted = app(shown, "return c.state.risk.creases"), whole.frames[60]["risk#1"]["creases"]
    for found, line in zip(creases, wanted, strict=True):
        assert np.all(np.abs(np.subtract(found, line)) <= np.ptp(line, axis=0) / 2**14 + 1e-12)


@pytest.mark.parametrize("algorithm", ["perceptron", "soft-margin", "kernel-perceptron"])
def test_no_scene_is_too_large_for_its_page(algorithm):
    """500 points, as many as a scene holds."""
    points = [[round(3 * x1, 3), round(3 * x2, 3), label] for x1, x2, label in two_clouds(500)]
    scene = Scene.from_json({"points": points, "algorithm": algorithm})
    text = page(recorded(scene))
    found = held(text)
    assert len(text.encode()) <= MAX_BYTES
    assert found["steps"][0] == 0
    assert found["scene"] == scene.to_json()


def test_a_long_run_keeps_its_beginning_and_its_end():
    whole = recorded(BY_NAME["overlapping"].make().changed({"algorithm": "kernel-perceptron"}), step=137)
    few = whole.thinned(30)
    assert few.steps[:10] == list(range(10))
    assert few.steps[-1] == whole.steps[-1] == 300
    assert 137 in few.steps
    assert len(few.steps) <= 32
    assert f"{len(few.steps)} of 301 steps" in few.words()["about"]
    assert few.frames[-1]["run"]["full"] is True


def test_a_page_needs_both_classes():
    with pytest.raises(SceneError, match="both classes"):
        export_page(Scene(points=((0.0, 0.0, 1),)))


def test_what_can_be_exported(tmp_path):
    link = "http://127.0.0.1:9000/#" + write_link(
        {"scene": BY_NAME["eight"].make().to_json(), "step": 3, "tab": "risk"}
    )
    text = export_page(link, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == text
    found = held(text)
    assert (found["begin"], found["state"]["tab"]) == (3, "risk")
    assert read_link(found["link"])["scene"] == BY_NAME["eight"].make().to_json()
    for broken in ("nothing", "#", "#" + "A" * 90, link[:-9]):
        with pytest.raises(SceneError, match=r"neither a stage|cannot be read"):
            export_page(broken)
    with pytest.raises(SceneError, match="must be a number"):
        export_page("#" + write_link({"scene": {"points": [], "C": -1}}))


def test_a_hostile_link_stays_words(opened):
    """Whatever a link holds, it is data: its text is no element of the page, and no script runs."""
    evil = "</script><script>document.title = 'taken'</script><img src=x onerror=alert(1)>"
    scene = BY_NAME["eight"].make().to_json()
    state = {
        "scene": scene,
        "title": evil,
        "tab": evil,
        "theme": evil,
        "window": {"at": evil},
        "risk": {"camera": evil},
    }
    text = page(record(Session().handle, state))
    assert "<img" not in text
    shown = opened(text)
    assert shown.title() != "taken"
    assert shown.locator("img").count() == 0
