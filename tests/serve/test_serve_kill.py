"""kill -9 under load, in short; `python -m benchmarks.kill_server 1000` is the long form."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="servers are forked")
@pytest.mark.parametrize("options", [[], ["--retain", "100"]], ids=["all rows kept", "compacted"])
def test_nothing_acknowledged_is_lost_or_learnt_twice(options):
    # A process of its own: a test run has threads, and those do not survive a fork.
    script = [sys.executable, "-m", "benchmarks.kill_server", "6", *options]
    run = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert "6 kills" in run.stdout
    assert "none lost, none twice" in run.stdout
