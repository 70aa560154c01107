"""The page of the checker in JavaScript in a real browser: files are chosen, the verdict appears.

It stands here because the browser of these tests must not run while those of the cluster do.
"""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from separatrix import SVC

CHECKER = Path(__file__).parents[2] / "checkers" / "javascript"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(CHECKER)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/index.html"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("name", ["certificate.json", "certificate.json.gz"])
def test_a_person_checks_a_certificate(browser, address, tmp_path, name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)).round(3)
    y = np.where(X[:, 0] + rng.normal(size=40) > 0, 1, -1)
    certificate = SVC().fit(X, y).certificate_
    certificate.save(tmp_path / name)
    lines = [
        ",".join(map(repr, row)) + f",{label}" for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    (tmp_path / "right.csv").write_text("a,b,c,label\n" + "\n".join(lines) + "\n")
    (tmp_path / "wrong.csv").write_text("a,b,c,label\n" + "\n".join(lines[::-1]) + "\n")
    page, complaints = browser.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    page.set_input_files("[name=certificate]", str(tmp_path / name))
    page.set_input_files("[name=data]", str(tmp_path / "right.csv"))
    page.get_by_role("button", name="Check").click()
    page.wait_for_selector("output.proved")
    assert certificate.claim in page.inner_text("output")
    page.set_input_files("[name=data]", str(tmp_path / "wrong.csv"))
    page.get_by_role("button", name="Check").click()
    page.wait_for_selector("output.rejected")
    assert complaints == []
    page.close()
