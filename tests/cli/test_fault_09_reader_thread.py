"""`predict` with a missing column ends in a sentence, every time.

Now and then it aborted, where the interpreter ended before a thread of the reader. By hand a hundred times:

    python tests/cli/test_fault_09_reader_thread.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import separatrix


def tables(folder: Path) -> None:
    """A model, and a table that lacks a column of it."""
    rows = "".join(f"{i % 7},{i % 5},{'ab'[i % 2]}\n" for i in range(200))
    (folder / "whole.csv").write_text("x,z,kind\n" + rows)
    (folder / "short.csv").write_text("x,kind\n" + "".join(f"{i},a\n" for i in range(200)))
    data = separatrix.read(folder / "whole.csv", label="kind")
    model = separatrix.SVC().fit(data.X, data.y)
    model.data_encoding_ = data.encoding
    separatrix.save(model, folder / "model.safetensors")


def predict(folder: Path) -> None:
    """Run it once, in a process of its own."""
    words = [sys.executable, "-m", "separatrix", "predict", "model.safetensors", "short.csv"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert "'z'" in done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("reader")
    tables(place)
    return place


@pytest.mark.parametrize("attempt", range(4))
def test_predict_with_a_missing_column_ends_in_a_sentence(folder: Path, attempt: int) -> None:
    predict(folder)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        tables(Path(name))
        for attempt in range(100):
            predict(Path(name))
            print(f"\r{attempt + 1} of 100", end="", flush=True)
    print()
