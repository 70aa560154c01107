"""The status page of `separatrix serve` in a real browser: light and dark, phone and desktop."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from separatrix.serve.client import Client
from serving import rows, save_perceptron, serving

pytest.importorskip("httptools")
TOKEN = "a-token-to-look-with"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with a token that has learnt something and was refitted."""
    folder = tmp_path_factory.mktemp("page")
    model = save_perceptron(folder / "spam.safetensors")
    (folder / "tokens").write_text(TOKEN)
    X, y = rows(600, seed=5)
    with serving(model, "--data-dir", folder / "logs", "--token-file", folder / "tokens") as address:
        with Client(address, "spam", token=TOKEN) as client:
            for i in range(0, 500, 10):
                client.learn(X[i : i + 10], y[i : i + 10])
            client.refit(rows=400)
            deadline = time.monotonic() + 60
            while client.stats()["serving"] == "online" and time.monotonic() < deadline:
                time.sleep(0.2)
            client.learn(X[500:], y[500:])
        yield address


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)], ids=["desktop", "phone"])
def test_the_page_shows_the_numbers(browser: Any, served: str, scheme: str, width: int, height: int):
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page, complaints = context.new_page(), []
    page.set_default_timeout(30_000)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(served)
    page.wait_for_selector("body[data-ready=token]")
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.fill("#token", TOKEN)
    page.press("#token", "Enter")
    page.wait_for_selector("body[data-ready=yes]")
    assert page.inner_text("#headline b >> nth=0") == "600"
    assert page.inner_text("#state") == "Everything acknowledged is durable."
    assert "has its optimum between" in page.inner_text("#refit")
    assert page.locator("#wrong tr").count() > 3
    assert "updates of the model in its life" in page.get_attribute("#mistakes svg", "aria-label")
    # nothing is wider than the screen, and letters are drawn at their size
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.querySelector('#rate svg text').getBoundingClientRect().height") >= 11
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page).response["violations"]
    assert [
        (v["id"], [n["html"] for n in v["nodes"]]) for v in found if v["impact"] in ("serious", "critical")
    ] == []
    assert complaints == []
    context.close()
