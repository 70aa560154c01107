"""The lab in a frame: of nobody by default, of the pages whose origin was named when it was started.

Tests `web.py`, `lab/server.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from lab_driver import OPENED, serving

from separatrix.web import check_origin, headers


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words: Any) -> None:
        """Say nothing."""


@pytest.fixture
def slides(tmp_path: Path) -> Iterator[str]:
    """The origin of a course's pages, on a port of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def framed(browser: Any, slides: str, folder: Path, address: str) -> tuple[Any, Any]:
    (folder / "slide.html").write_text(
        f'<iframe src="{address}" width="1000" height="700" title="lab"></iframe>'
    )
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{slides}/slide.html")
    return context, page


def test_nobody_frames_it_unasked(browser, slides, tmp_path, address):
    context, page = framed(browser, slides, tmp_path, address)
    page.wait_for_timeout(1500)
    assert page.frame_locator("iframe").locator(OPENED).count() == 0
    context.close()


def test_an_origin_that_is_named_may_frame_it(browser, slides, tmp_path):
    """And it works there: its own connection comes from its own page. Another origin may not."""
    with serving("--port", "0", "--allow-embed", "https://example.org", "--allow-embed", slides) as address:
        context, page = framed(browser, slides, tmp_path, address)
        frame = page.frame_locator("iframe")
        frame.locator(OPENED).wait_for()
        frame.locator(".play-reset").click()
        frame.locator(".play-step").click()
        frame.locator(".counter", has_text="step 1").wait_for()
        other = slides.replace("127.0.0.1", "localhost")  # the same files, another origin
        page.goto(f"{other}/slide.html")
        page.wait_for_timeout(1500)
        assert page.frame_locator("iframe").locator(OPENED).count() == 0
        # A page that may show the lab may not talk to its solver itself.
        refused = page.evaluate(
            "address => new Promise((end) => { const s = new WebSocket(address); s.onclose = () => end(true);"
            " s.onmessage = () => end(false); s.onopen = () => s.send('{}') })",
            address.replace("http", "ws") + "session",
        )
        assert refused
        context.close()


def test_what_an_origin_is():
    for good in (
        "http://localhost:8000",
        "https://example.org",
        "http://[::1]:80",
        "https://a.b-c.example:65535",
    ):
        assert check_origin(good) == good
        assert headers([good])["Content-Security-Policy"].endswith(f"frame-ancestors {good}")
    for bad in (
        "",
        "example.org",
        "ftp://x.org",
        "https://x.org/page",
        "https://x.org 'self'",
        "https://",
        "*",
        "null",
    ):
        with pytest.raises(ValueError, match="is no origin"):
            check_origin(bad)
    assert "frame-ancestors 'none'" in headers()["Content-Security-Policy"]
