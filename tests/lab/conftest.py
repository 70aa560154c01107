"""A server as `separatrix lab` starts it, and pages in a real Chromium that must not complain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab_driver import LabPage, serving
from lab_recordings import CHECKED


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with serving() as address:
        yield address


@pytest.fixture
def new_page(browser: Any, address: str) -> Iterator[Any]:
    """Makes pages; every one must have stayed silent to the end."""
    made: list[tuple[Any, LabPage]] = []

    def make(width: int = 1280, height: int = 800, **more: Any) -> LabPage:
        context = browser.new_context(viewport={"width": width, "height": height}, **more)
        lab = LabPage(context.new_page(), address)
        made.append((context, lab))
        return lab

    yield make
    for context, _ in made:
        context.close()
    assert [complaint for _, lab in made for complaint in lab.complaints] == []


@pytest.fixture
def lab(new_page: Any) -> LabPage:
    return new_page().open()


@pytest.fixture(scope="session")
def static_folder() -> Path:
    return Path(__file__).parents[2] / "src" / "separatrix" / "lab" / "static"


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Opens pages from files without a network; none may ask for anything, nor complain."""
    contexts, complaints = [], []

    def open_page(text: str, width: int = 1280, height: int = 720, **more: Any) -> Any:
        path = tmp_path / f"page-{len(contexts)}.html"
        path.write_text(text)
        context = browser.new_context(viewport={"width": width, "height": height}, offline=True, **more)
        contexts.append(context)
        opened = context.new_page()
        opened.on("console", lambda message: complaints.append(message.text))
        opened.on("pageerror", lambda error: complaints.append(str(error)))
        inside = ("data:", "blob:", path.as_uri())
        opened.on("request", lambda each: each.url.startswith(inside) or complaints.append(each.url))
        opened.goto(path.as_uri())
        opened.wait_for_selector(CHECKED)
        return opened

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
