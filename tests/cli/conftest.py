"""The folder that the tests of the command line work in."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_cases import fill


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with those files, as the working directory."""
    fill(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
