"""Shared by all tests: where the large data sets are, and how thoroughly Hypothesis searches."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Reproducible everywhere: the same examples on every run, and no failure because a machine was slow.
settings.register_profile("separatrix", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("separatrix")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of LIBSVM files, from SEPARATRIX_DATA or beside the checkout; skips where there is none."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SEPARATRIX_DATA", beside))
    if not folder.is_dir():
        pytest.skip("no data folder; set SEPARATRIX_DATA to one with LIBSVM files")
    return folder
