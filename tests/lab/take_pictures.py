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


def inseparable(lab: LabPage) -> None:
    lab.preset("overlapping")


def stage(name: str) -> Callable[[LabPage], None]:
    def open_stage(lab: LabPage) -> None:
        lab.js(f"await app.openStage('{name}')")

    return open_stage


def tour(lab: LabPage) -> None:
    lab.js("await app.tour.go('theorem', 2)")


def mark_one(lab: LabPage) -> None:
    lab.js("await app.markOne.open('EF')")


SCENES: dict[str, tuple[Callable[[LabPage], None], int, int]] = {
    "hard-margin": (margin, 1280, 800),
    "inseparable": (inseparable, 1280, 800),
    **{
        name: (stage(name), 1280, 800)
        for name in ("hard-margin-qp", "theorem", "two-kinds", "kernel-lift", "validation")
    },
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
