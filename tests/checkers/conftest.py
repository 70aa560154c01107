"""The tests of the second checker need Node."""

import os

import pytest
from javascript_checker import NODE


@pytest.fixture(autouse=True)
def _needs_node():
    if NODE is None:
        if os.environ.get("CI") == "true":
            pytest.fail("node is not on PATH, and CI must not go without the JavaScript checker")
        pytest.skip("node is not on PATH")
