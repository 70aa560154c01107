"""Fuzz the LIBSVM reader: `python -m benchmarks.fuzz_reader [--cases 1000000] [--seed 1]`.

Compiles fuzz_reader.cpp with the address and undefined-behaviour sanitizers and runs it. Every text is read whole and
in pieces; the outcomes must agree, and no byte outside the text may be read. Needs g++ (GCC 12 or later).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FLAGS = ["-std=c++20", "-O1", "-g", "-fno-omit-frame-pointer", "-pthread"]
CHECKS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fsanitize-coverage=trace-pc"]


def build(folder: Path, compiler: str = "g++") -> Path:
    """The fuzzer, compiled into a folder."""
    program = folder / "fuzz_reader"
    include = HERE.parent / "cpp"
    source = HERE / "fuzz_reader.cpp"
    subprocess.run([compiler, *FLAGS, *CHECKS, f"-I{include}", source, "-o", program], check=True)
    return program


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        return subprocess.run([program, str(arguments.cases), str(arguments.seed)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
