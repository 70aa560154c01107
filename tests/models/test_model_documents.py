"""The examples of the pages on model files and reports run as they are written."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", ["models.md", "report.md"])
def test_every_example_prints_what_it_shows(name):
    pytest.importorskip("onnx")
    result = doctest.testfile(
        str(DOCS / name), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.attempted > 5
    assert result.failed == 0
