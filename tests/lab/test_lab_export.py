"""What leaves the page reproduces what was on it: the program prints its numbers, the page plays by itself.

Tests `lab/export/script.py`.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from sklearn.exceptions import ConvergenceWarning

from separatrix.lab.presets import BY_NAME
from separatrix.lab.scene import ALGORITHMS
from separatrix.lab.session import Session


def opened(preset: str, algorithm: str) -> Session:
    session = Session()
    session.handle({"op": "preset", "name": preset})
    session.handle({"op": "set", "settings": {"algorithm": algorithm}})
    return session


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("preset", ["separable", "overlapping"])
def test_the_program_reproduces_the_model(preset, algorithm):
    session = opened(preset, algorithm)
    text = session.handle({"op": "python"})["python"]
    names: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a kernel perceptron that has no end says so
        exec(compile(text, "scene.py", "exec"), names)
    model = session.playback.answers.model
    if model is None or (preset == "overlapping" and algorithm in ("gradient", "perceptron")):
        # Where the page says that there is no answer, so does the program: an endless run has no last w to agree on.
        assert names["answer"].verdict == session.playback.answers.verdict.verdict == "inseparable"
        assert "model" not in names
    elif algorithm.startswith("kernel"):
        assert names["model"].alpha_.tolist() == model.alpha_.tolist()
    else:
        assert names["model"].coef_.tolist() == model.coef_.tolist()
        assert names["model"].intercept_.tolist() == model.intercept_.tolist()


def test_the_program_is_one_that_python_runs(tmp_path):
    path = tmp_path / "scene.py"
    path.write_text(opened("eight", "perceptron").handle({"op": "python"})["python"])
    run = subprocess.run([sys.executable, "-W", "error", path], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "converged after 106 updates" in run.stdout
    assert "Proved" in run.stdout


def test_a_page_is_made_of_what_a_link_holds():
    session = opened("eight", "perceptron")
    text = session.handle({"op": "page", "state": {"tab": "risk", "step": 3}})["page"]
    assert text.startswith("<!doctype html>")
    assert "state" in session.handle({"op": "page", "state": 3})["error"]
    session.handle({"op": "clear"})
    assert "both classes" in session.handle({"op": "page", "state": {}})["error"]


def choose(lab, name: str) -> bytes:
    lab.page.get_by_role("button", name="share").click()
    with lab.page.expect_download() as waiting:
        lab.page.get_by_role("menuitem", name=name).click()
    return Path(waiting.value.path()).read_bytes()


def test_files_are_saved_from_the_menu(lab, browser, tmp_path):
    lab.preset("circles")
    lab.state()
    picture = choose(lab, "picture (PNG)")
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width = int.from_bytes(picture[16:20], "big")
    assert width > 1000
    drawing = choose(lab, "drawing (SVG)").decode()
    assert drawing.startswith("<svg")
    assert drawing.count("<circle") >= len(BY_NAME["circles"].make().points)
    program = choose(lab, "Python program").decode()
    assert "SVC(C=10.0" in program
    assert "kernel='rbf'" in program
    whole = tmp_path / "page.html"
    whole.write_bytes(choose(lab, "page (HTML)"))
    context = browser.new_context(offline=True)
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(whole.as_uri())
    page.get_by_role("button", name="Back one step").click()
    assert "step 1" in page.inner_text(".counter")
    context.close()
    assert complaints == []


def test_the_menu_works_with_the_keyboard(lab):
    lab.page.get_by_role("button", name="share").focus()
    lab.page.keyboard.press("Enter")
    assert lab.page.evaluate("document.activeElement.textContent") == "copy link"
    lab.page.keyboard.press("ArrowDown")
    assert lab.page.evaluate("document.activeElement.textContent") == "open a link"
    lab.page.keyboard.press("ArrowDown")
    assert lab.page.evaluate("document.activeElement.textContent") == "picture (PNG)"
    lab.page.keyboard.press("Escape")
    assert lab.page.get_by_role("menuitem").count() == 0
    assert lab.page.evaluate("document.activeElement.textContent") == "share"
