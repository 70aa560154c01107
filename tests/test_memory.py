"""What memory is left: of the system, of a control group of either version, of a limit."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

from separatrix import memory

MEGABYTE = 1 << 20


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with 1 GB and no control groups, in files."""
    for name, place in (("_SYSTEM", "meminfo"), ("_OWN", "self"), ("_GROUPS", "groups")):
        monkeypatch.setattr(memory, name, tmp_path / place)
    (tmp_path / "self").mkdir()
    (tmp_path / "meminfo").write_text("MemTotal: 2097152 kB\nMemAvailable: 1048576 kB\n")
    return tmp_path


def test_the_system(machine: Path) -> None:
    assert memory.available_memory() == 1024 * MEGABYTE


@pytest.mark.parametrize(
    ("line", "folder", "files", "left"),
    [
        ("0::/jobs/1", "jobs/1", {"max": "300", "current": "200", "stat": "anon 1\nfile 50"}, 150),
        ("0::/jobs/1", "jobs/1", {"max": "max", "current": "200", "stat": ""}, 1024),
        (
            "4:cpu,memory:/a",
            "memory/a",
            {"limit_in_bytes": "300", "usage_in_bytes": "290", "stat": "cache 5"},
            15,
        ),
        ("4:cpu:/a", "memory/a", {"limit_in_bytes": "300", "usage_in_bytes": "290", "stat": "cache 5"}, 1024),
    ],
)
def test_a_control_group(machine: Path, line: str, folder: str, files: dict[str, str], left: float) -> None:
    (machine / "self" / "cgroup").write_text(line + "\n")
    place = machine / "groups" / folder
    place.mkdir(parents=True)
    for name, text in files.items():
        whole = "\n".join(
            " ".join(f"{int(word) * MEGABYTE}" if word.isdecimal() else word for word in row.split())
            for row in text.splitlines()
        )
        (place / f"memory.{name}").write_text(whole + "\n")
    assert memory.available_memory() == left * MEGABYTE


def test_nothing_is_known_of_other_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_SYSTEM", "_OWN", "_GROUPS"):
        monkeypatch.setattr(memory, name, tmp_path / "nowhere")
    monkeypatch.setattr(memory, "resource", None)
    assert memory.available_memory() == math.inf


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits as Linux counts them")
def test_a_limit_of_the_process() -> None:
    program = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30));"
        "from separatrix.memory import available_memory; print(available_memory())"
    )
    left = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 0 < float(left.stdout) < 1 << 30
