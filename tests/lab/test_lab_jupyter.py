"""The widget in JupyterLab, in Chromium: a cell shows the lab, and Python sees what is done there."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

pytest.importorskip("anywidget")
pytest.importorskip("jupyterlab")
playwright = pytest.importorskip("playwright.sync_api")

NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": "one",
            "metadata": {},
            "outputs": [],
            "source": "from separatrix.lab import Widget\nlab = Widget(preset='eight', height='30rem')\nlab",
        },
        {
            "cell_type": "code",
            "execution_count": None,
            "id": "two",
            "metadata": {},
            "outputs": [],
            "source": "print('points now:', len(lab.scene.points), lab.model.status_)",
        },
    ],
    "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


@pytest.fixture
def jupyter(tmp_path):
    """The address of a JupyterLab that has the notebook, with its own settings and no extras."""
    (tmp_path / "lab.ipynb").write_text(json.dumps(NOTEBOOK))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    places = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "RUNTIME", "DATA")}
    settings = [
        "--IdentityProvider.token=",
        "--ServerApp.disable_check_xsrf=True",
        "--LabApp.news_url=",
        "--allow-root",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}", *settings],
        cwd=tmp_path,
        env={**os.environ, **places, "IPYTHONDIR": str(tmp_path / "ipython")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 120
        while True:
            try:
                with urllib.request.urlopen(f"{address}/api", timeout=5):
                    break
            except OSError:
                assert process.poll() is None, "JupyterLab ended before it answered"
                assert time.monotonic() < deadline, "JupyterLab did not answer"
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=10)


def test_the_widget_works_in_jupyterlab(browser, jupyter):
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    page, faults = context.new_page(), []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.set_default_timeout(120_000)
    # A slow JupyterLab may ask which kernel to use before it has learned which there are: take what it offers.
    asked = page.locator("dialog.jp-Dialog")
    page.add_locator_handler(asked, lambda dialog: dialog.locator("button.jp-mod-accept").click())
    page.goto(f"{jupyter}/lab/tree/lab.ipynb")
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    # A cell that is run before its kernel has started is forgotten: ask until something comes.
    for _ in range(12):
        page.locator(".jp-Notebook .jp-CodeCell .cm-content").first.click()
        page.keyboard.press("Control+Enter")
        try:
            page.wait_for_selector(".lab-widget[data-ready]", timeout=10_000)
            break
        except playwright.TimeoutError:
            continue
    assert page.locator(".lab-widget[data-ready]").count() == 1
    assert page.locator(".lab-widget .point").count() == 8
    page.locator(".lab-widget .play-reset").click()
    page.locator(".lab-widget .play-step").click()
    page.wait_for_selector(".lab-widget .point.used", state="attached")
    plot = page.locator(".lab-widget .x-view svg.marks").bounding_box()
    page.mouse.click(plot["x"] + 0.25 * plot["width"], plot["y"] + 0.75 * plot["height"])
    page.wait_for_selector(".lab-widget .point >> nth=8", state="attached")
    page.locator(".jp-Notebook .jp-CodeCell .cm-content").nth(1).click()
    page.keyboard.press("Shift+Enter")
    page.get_by_text("points now: 9 converged").wait_for()
    context.close()
    assert faults == []
