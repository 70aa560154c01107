"""A server as `separatrix lab` starts it, and pages in a real Chromium that must not complain."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def crowding() -> float:
    """How many programs share a processor just now, at least 1: limits in seconds are for a machine of one's own."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


@pytest.fixture(scope="session")
def lab_process() -> Iterator[tuple[str, float]]:
    """The address of a running `separatrix lab`, and the seconds it took to answer."""
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "separatrix", "lab", "--port", "0", "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        yield address, time.monotonic() - began
    finally:
        process.terminate()
        process.wait(timeout=20)
        if process.stdout is not None:
            process.stdout.close()


@pytest.fixture(scope="session")
def address(lab_process: tuple[str, float]) -> str:
    return lab_process[0]


class LabPage:
    """A page of the lab, with words for what tests do on it."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address, self.complaints = page, address, []
        page.set_default_timeout(30_000)
        page.on(
            "console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("requestfailed", lambda request: self.complaints.append(f"failed: {request.url}"))

    def open(self, fragment: str = "") -> LabPage:
        self.page.goto(self.address + fragment)
        self.page.wait_for_selector("#lab[data-ready]")
        return self

    def state(self) -> dict[str, Any]:
        """What the page knows, after everything that is under way."""
        return self.js("const r = await c.act('look'); return c.state")

    def js(self, body: str) -> Any:
        return self.page.evaluate(
            "async () => { const app = document.getElementById('lab').app, c = app.client; " + body + " }"
        )

    def until(self, condition: str, seconds: float = 30.0) -> None:
        """Wait for a condition on the page (its policy forbids Playwright's own way of asking)."""
        deadline = time.monotonic() + seconds
        while not self.js(f"return {condition}"):
            assert time.monotonic() < deadline, condition
            self.page.wait_for_timeout(20)

    def act(self, op: str, **more: Any) -> dict[str, Any]:
        return self.page.evaluate(
            "async ([op, more]) => document.getElementById('lab').app.client.act(op, more)", [op, more]
        )

    def preset(self, name: str) -> dict[str, Any]:
        self.page.select_option("#preset", name)
        return self.state()

    def pixel(self, x1: float, x2: float) -> tuple[float, float]:
        """Where a place of x-space is on the screen."""
        at = self.page.evaluate(
            "([a, b]) => { const { svg, plane } = document.getElementById('lab').app.xspace.plot;"
            "const box = svg.getBoundingClientRect(); return [box.left + plane.x(a), box.top + plane.y(b)] }",
            [x1, x2],
        )
        return at[0], at[1]


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


@pytest.fixture
def slower() -> float:
    """By how much to stretch a limit in seconds."""
    return crowding()


@pytest.fixture(scope="session")
def static_folder() -> Path:
    return Path(__file__).parents[2] / "src" / "separatrix" / "lab" / "static"
