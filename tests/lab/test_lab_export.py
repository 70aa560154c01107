"""What leaves the page reproduces what was on it: the program prints its numbers, the page plays by itself.

Tests `lab/export/script.py`.
"""

from __future__ import annotations

import base64
import io
import itertools
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
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
    assert width > 800  # x-space alone: with a kernel there may be no other picture
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


def test_a_film_shows_the_run(lab):
    """Decoded by another's reader: a frame for each step, all of one size, hardly two of them alike."""
    image = pytest.importorskip("PIL.Image")
    sequence = pytest.importorskip("PIL.ImageSequence")
    lab.preset("eight")
    lab.act("set", settings={"algorithm": "hard-margin"})
    steps = lab.state()["run"]["steps"]
    data = choose(lab, "film (GIF)")
    assert len(data) < 10_000_000
    film = image.open(io.BytesIO(data))
    frames = [np.asarray(frame.convert("RGB"), dtype=int) for frame in sequence.Iterator(film)]
    assert len(frames) == steps + 1
    assert film.info["loop"] == 0
    for before, now in itertools.pairwise(frames):
        assert np.any(before != now)
    # The last frame is what the page shows: the colours of a PNG of the same size, but for the palette.
    lab.act("finish")
    shown = image.open(io.BytesIO(choose(lab, "picture (PNG)"))).convert("RGB").resize(film.size)
    assert np.mean(np.abs(frames[-1] - np.asarray(shown, dtype=int))) < 6
    assert lab.state()["run"]["step"] == steps


def test_a_film_can_be_stopped(lab):
    lab.preset("eight")
    lab.page.get_by_role("button", name="share").click()
    lab.page.get_by_role("menuitem", name="film (GIF)").click()
    lab.page.locator(".filming").get_by_role("button", name="cancel").click()
    lab.page.locator(".filming").wait_for(state="detached")
    assert lab.state()["run"]["over"] is True


def test_the_colours_of_a_film(lab):
    """More colours than a palette holds, pixels of every kind, codes of every length: all come back as they are."""
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(1)
    colours = rng.integers(0, 32, size=(200, 3)) * 8 + 4
    frames = [colours[rng.integers(0, 200, size=(90, 120))] for _ in range(2)]
    frames.append(frames[1].copy())
    frames[2][40:43, 50:70] = colours[0]
    flat = [np.dstack([frame, np.full((90, 120, 1), 255)]).ravel().tolist() for frame in frames]
    text = lab.page.evaluate(
        """async (frames) => { const { Gif, paletteOf } = await import("/js/draw/gif.js");
        const pixels = frames.map((each) => Uint8ClampedArray.from(each)), gif = new Gif(120, 90, paletteOf(pixels));
        for (const each of pixels) gif.add(each, 50);
        return [...new Uint8Array(await gif.bytes().arrayBuffer())]; }""",
        flat,
    )
    film = image.open(io.BytesIO(bytes(text)))
    for k, frame in enumerate(frames):
        film.seek(k)
        assert np.array_equal(np.asarray(film.convert("RGB")), frame)


@pytest.mark.parametrize(
    ("which", "share"), [("both spaces", 2), ("x-space alone", 1), ("the other picture", 1)]
)
def test_pictures_of_one_view_or_both(lab, which, share):
    lab.preset("separable")
    lab.page.get_by_role("button", name="share").click()
    lab.page.get_by_role("menuitemradio", name=which).click()
    lab.page.keyboard.press("Escape")
    drawing = choose(lab, "drawing (SVG)").decode()
    assert drawing.count("translate(") >= share
    width = float(re.search(r'width="([\d.]+)"', drawing)[1])
    one = lab.page.locator(".x-view .plot").bounding_box()["width"]
    assert width == pytest.approx(share * one, abs=60)
    note = lab.page.inner_text(".note-line")
    assert "step" in drawing
    assert note.split()[0] in drawing
    if which != "the other picture":
        assert ">boundary</text>" in drawing  # the legend


def test_with_a_kernel_there_is_no_blank_half(lab):
    lab.preset("circles")
    lab.state()
    width = int.from_bytes(choose(lab, "picture (PNG)")[16:20], "big")
    if lab.js("return c.state.run.tabs.length") == 0:
        assert width == pytest.approx(2 * lab.page.locator(".x-view .plot").bounding_box()["width"], abs=60)


def test_surfaces_are_saved_as_sharp_as_the_rest(lab):
    """A canvas has as many pixels as the picture, though the screen has half of them; afterwards it is as it was."""
    image = pytest.importorskip("PIL.Image")
    lab.preset("separable")
    lab.js("app.tabs.open('solid'); await c.act('look')")
    before = lab.js("return app.tabs.shown.camera.canvas.width")
    drawing = choose(lab, "drawing (SVG)").decode()
    pictures = [
        base64.b64decode(each) for each in re.findall(r'href="data:image/png;base64,([^"]+)"', drawing)
    ]
    assert max(image.open(io.BytesIO(each)).width for each in pictures) >= 3.9 * before
    assert lab.js("return app.tabs.shown.camera.canvas.width") == before
