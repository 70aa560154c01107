"""Shared by all tests: where the large data sets are, how thoroughly Hypothesis searches, and one browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Reproducible everywhere: the same examples on every run, and no failure because a machine was slow.
settings.register_profile("separatrix", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("separatrix")

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Return the folder of LIBSVM files that SEPARATRIX_DATA names; skips where it names none."""
    folder = os.environ.get("SEPARATRIX_DATA", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("no data folder; set SEPARATRIX_DATA to one with LIBSVM files")
    return Path(folder)


def chromium() -> str:
    """The browser to test in; `make test` installs one where it may."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = os.environ.get("CHROMIUM") or next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        sentence = "no Chromium; `make test` installs it where it may, or: apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(sentence)
        pytest.skip(sentence)
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium, one for the whole run: Playwright allows no second."""
    playwright = pytest.importorskip("playwright.sync_api")
    executable = chromium()
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield opened
        opened.close()
