"""`separatrix fit` and `separatrix verify` on every file of a folder, compressed as they are.

python -m benchmarks.cli_every_file FOLDER [--max-time SECONDS] [--only NAME ...]

Prints one line a file: what fit ended in, the gap it proved, whether the certificates verify. A fit that is
stopped by the limit ends with exit code 2 and a larger gap; its certificate must verify all the same. Ends with 1 if
a command failed (exit code 1) or a certificate was rejected.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from separatrix.cli.app import main as main_of_separatrix

#: What a reader has to be told: no name, header or label column says it.
OPTIONS = {
    "SMSSpamCollection.tsv.gz": ["--label", "0"],
    "adult.data.csv.gz": ["--missing", "mean"],
    "adult.test.csv.gz": ["--missing", "mean"],
}
NO_DATA = (".md", ".classes.txt", "-labels-idx1-ubyte.gz")


def command(*words: str) -> tuple[int, dict[str, Any], float]:
    """Run a command in this process, whose modules are loaded already; its exit code, answer and seconds."""
    began = time.perf_counter()
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main_of_separatrix([*words, "--json", "-q"])
    seconds = time.perf_counter() - began
    if not out.getvalue():
        return code, {"error": " ".join(err.getvalue().split())}, seconds
    return code, json.loads(out.getvalue()), seconds


def run(path: Path, folder: Path, max_time: float) -> bool:
    options = OPTIONS.get(path.name, [])
    words = [
        "fit",
        str(path),
        *options,
        "-o",
        str(folder),
        "--max-time",
        str(max_time),
        "--verdict-time",
        "5",
    ]
    code, found, seconds = command(*words)
    if "error" in found:
        print(f"{path.name}: fit FAILED with exit code {code}: {found['error']}", flush=True)
        return False
    shape = f"{found['data']['rows']} x {found['data']['columns']}, {len(found['data']['classes'])} classes"
    verdict = found["separability"].get("verdict", "skipped")
    line = f"{path.name}: {shape}: {found['status']}, gap {found['gap']:.1e}, fit {found['seconds']['fit']:.1f} s"
    line += f" of {seconds:.1f} s, {verdict}"
    code, checked, seconds = command("verify", found["files"]["certificate"], str(path), *options)
    if code != 0:
        print(f"{line}; verify FAILED with exit code {code}: {checked}", flush=True)
        return False
    print(f"{line}; {len(checked['certificates'])} certificates proved in {seconds:.1f} s", flush=True)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--max-time", type=float, default=60.0, help="seconds for each fit")
    parser.add_argument("--only", nargs="*", default=[], help="names of files")
    options = parser.parse_args()
    files = [path for path in options.data.rglob("*") if path.is_file() and not path.name.endswith(NO_DATA)]
    files = [path for path in files if not options.only or path.name in options.only]
    good = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(files, key=lambda path: path.stat().st_size):
            place = Path(folder, path.parent.name)
            place.mkdir(exist_ok=True)
            good += run(path, place, options.max_time)
    print(f"{good} of {len(files)} files fitted and verified")
    return 0 if good == len(files) else 1


if __name__ == "__main__":
    sys.exit(main())
