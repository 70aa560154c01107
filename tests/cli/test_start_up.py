"""What the program must not wait for: modules that a fit of a small file has no use for.

Tests `cli/postponed.py`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = [
    "scipy.stats._stats_py",  # the module itself may stand there, not yet imported
    "pandas.core",
    "scipy.optimize",
    "scipy.spatial",
    "pyarrow.parquet",
    "matplotlib",
    "starlette",
    "uvicorn",
    "dask",
    "onnx",
]


def run(code: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "arguments", [["fit", "rows.csv"], ["fit", "rows.csv", "-t", "2"], ["check", "rows.csv"]]
)
def test_a_small_table_is_read_and_fitted_without_heavy_imports(arguments, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "rows.csv").write_text("a,b,label\n0,0,left\n0,2,left\n2,0,right\n2.5,2,right\n")
    code = f"""
import sys
sys.argv = ["separatrix", *{arguments!r}]
from separatrix.cli.app import main
code = main()
print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
sys.stderr.flush()
sys.exit(code)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == "[]"


def test_postponed_modules_come_when_they_are_used(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text("print('imported')\nvalue = 7\n")
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "__init__.py").write_text("")
    (tmp_path / "house" / "room.py").write_text("value = 8\n")
    code = """
from separatrix.cli.postponed import postpone
postpone("late", "house.room", "missing", "not.there", "json")
try:
    import missing
except ImportError:
    print("missing")
import json, late, house.room
print("before")
print(late.value, late.value, house.room.value, json.dumps([1]))
from late import value
print(value)
"""
    assert run(code, tmp_path).split() == ["missing", "before", "imported", "7", "7", "8", "[1]", "7"]


def test_the_library_postpones_nothing(tmp_path: Path) -> None:
    """In a user's process an import is an import."""
    code = """
import sys, separatrix
separatrix.SVC().fit([[0.0], [1.0]], [0, 1])
import scipy.stats
print(type(sys.modules["scipy.stats"]).__name__, "separatrix.cli.postponed" in sys.modules)
"""
    assert run(code, tmp_path).split() == ["module", "False"]
