"""A headless Chromium for the pages of this folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser; without one the test is skipped with a sentence, or fails where CI=true."""
    sync_api = pytest.importorskip("playwright.sync_api")
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_api.sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=found, args=arguments)
        except sync_api.Error as error:
            words = f"no Chromium to look at pages with: {str(error).splitlines()[0]}"
            if os.environ.get("CI") == "true":
                pytest.fail(words)
            pytest.skip(words)
        yield browser
        browser.close()
