"""The lab as people use it: a server of its own, and a page with words for what is done on it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """The address of a `separatrix lab` of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "separatrix", "lab", *(options or ("--port", "0")), "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(timeout=20)
        if process.stdout is not None:
            process.stdout.close()


OPENED = "#lab[data-ready]"  # matches once the page can be used


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
        self.page.wait_for_selector(OPENED)
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
        """Where a place of x-space is on the screen, once the plot has been measured after the last change."""
        at = self.page.evaluate(
            "async ([a, b]) => { const { svg, plane } = document.getElementById('lab').app.xspace.plot;"
            "await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));"
            "const box = svg.getBoundingClientRect(); return [box.left + plane.x(a), box.top + plane.y(b)] }",
            [x1, x2],
        )
        return at[0], at[1]


def two_clouds(rows: int = 100) -> list[list[float]]:
    """Two clouds that hardly touch, half of the points in each."""
    rng = np.random.default_rng(0)
    side = np.repeat([1, -1], rows // 2)
    X = rng.normal(size=(len(side), 2)) * 0.8 + side[:, None] * 1.6
    return [
        [round(float(a), 3), round(float(b), 3), int(label)] for (a, b), label in zip(X, side, strict=True)
    ]
