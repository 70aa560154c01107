"""Take the pictures of the lab again: ``python tests/lab/take_pictures.py [NAME ...]``, in Chromium.

Each is a scene that stands still. That of the notebook is not among them: it needs a JupyterLab.
"""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab_driver import LabPage, serving
from PIL import Image
from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def margin(lab: LabPage) -> None:
    lab.preset("separable")


def solid(lab: LabPage) -> None:
    lab.preset("separable")
    lab.js("app.tabs.open('solid')")


def risk(lab: LabPage) -> None:
    lab.preset("origin")
    lab.act("set", settings={"algorithm": "gradient", "start": "row", "step": 0.2})
    lab.js("app.tabs.open('risk'); await app.tabs.shown.compare()")


def surface(lab: LabPage) -> None:
    lab.preset("origin")
    lab.act("set", settings={"algorithm": "gradient", "start": "row"})
    lab.js("app.tabs.open('risk'); app.tabs.shown.flip()")


def inseparable(lab: LabPage) -> None:
    lab.preset("overlapping")


def kernel(lab: LabPage) -> None:
    lab.preset("circles")


def tour(lab: LabPage) -> None:
    lab.js("await app.tour.go('perceptron', 0); await app.tour.choose(2)")


def _ring(row: int, column: int) -> bool:
    return 4.6 <= ((row - 9.5) ** 2 + (column - 9.5) ** 2) ** 0.5 <= 6.6


def _cross(row: int, column: int) -> bool:
    return abs(row - 9.5) < 1.6 or abs(column - 9.5) < 1.6


def mark_one(lab: LabPage) -> None:
    def draw(shape: Callable[[int, int], bool], shift: int) -> None:
        cells = [int(shape(k // 20 + shift, k % 20 - shift)) for k in range(400)]
        lab.js(f"app.markOne.cells.set({cells}); app.markOne.draw()")

    lab.js("app.markOne.open()")
    for shift in (-1, 0, 1):
        for shape, label in ((_ring, 1), (_cross, -1)):
            draw(shape, shift)
            lab.js(f"await app.markOne.show({label})")
    lab.js("await app.markOne.ask('pass')")
    draw(_ring, 0)
    lab.js("await app.markOne.ask('ask', { cells: app.markOne.text() })")


SCENES: dict[str, tuple[Callable[[LabPage], None], int, int]] = {
    "hard-margin": (margin, 1280, 800),
    "solid": (solid, 1280, 800),
    "risk": (risk, 1280, 800),
    "surface": (surface, 1280, 800),
    "inseparable": (inseparable, 1280, 800),
    "kernel": (kernel, 1280, 800),
    "mark-one": (mark_one, 1280, 800),
    "tour": (tour, 1280, 800),
    "phone": (margin, 360, 800),
}


def keep(name: str, picture: bytes) -> None:
    """As few colours as the eye needs: a quarter of the bytes."""
    image: Any = Image.open(io.BytesIO(picture)).convert("RGB")
    image.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        IMAGES / f"lab-{name}.png", optimize=True
    )


def main() -> None:
    names = sys.argv[1:] or list(SCENES)
    with serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name in names:
            scene, width, height = SCENES[name]
            page = browser.new_page(viewport={"width": width, "height": height})
            lab = LabPage(page, address).open()
            scene(lab)
            page.mouse.move(1, 1)
            page.wait_for_timeout(400)
            keep(name, page.screenshot(full_page=name == "phone"))
            page.close()
            print(name, lab.complaints or "")
        browser.close()


if __name__ == "__main__":
    main()
