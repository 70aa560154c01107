"""kill -9 at random moments of `separatrix fit --checkpoint`: progress never goes back, the end is the same.

    python -m benchmarks.kill_checkpoint [--kills 50] [--seed 0] [DATA [OPTIONS OF FIT ...]]

Each round starts a fit of many classes, kills it at a random moment and looks at what is there: the checkpoint must be
whole, no problem of it may have fallen back, and the next fit goes on from it. At the end the fit may finish, and its
certificates must be those of a fit that was never disturbed, digit by digit. Where the fit is done before the last kill
it begins anew. Without DATA rows of ten classes are made.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

import separatrix.cli.fitting  # loaded before the forks, which then lose no time on it
import separatrix.svm.svc  # noqa: F401
from separatrix.cli import checkpoint
from separatrix.cli.app import main as main_of_separatrix

OPTIONS = ["-c", "3", "--solver", "coordinate-descent"]
ALWAYS = ["--verdict-time", "0", "--checkpoint", "state", "--checkpoint-every", "0.02", "-q"]


def write_rows(path: Path, rows: int = 1000, columns: int = 30, classes: int = 10) -> None:
    """Columns of very different scales: coordinate descent takes its time."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns)) * 10.0 ** rng.uniform(-1.5, 1.5, columns)
    y = np.argmax(X @ rng.normal(size=(columns, classes)) + 30 * rng.normal(size=(rows, classes)), axis=1)
    with path.open("w") as file:
        for label, row in zip(y.tolist(), X.tolist(), strict=True):
            file.write(" ".join([str(label), *(f"{j}:{value!r}" for j, value in enumerate(row, 1))]) + "\n")


def start(folder: Path, words: list[str]) -> int:
    """The process id of a fit. A fork, so that every moment of its life is spent on the fit and not on imports."""
    child = os.fork()
    if child:
        return child
    os.chdir(folder)
    code = 1
    try:
        with (folder / "answer").open("w") as out, redirect_stdout(out), redirect_stderr(out):
            code = main_of_separatrix(["fit", *words, *ALWAYS])
    finally:
        os._exit(code)


def kill_after(child: int, seconds: float) -> bool:
    """Wait that long for the fit to end by itself, then kill it; returns whether it was killed."""
    limit = time.perf_counter() + seconds
    while time.perf_counter() < limit:
        if os.waitpid(child, os.WNOHANG)[0]:
            return False
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def progress(path: Path) -> dict[Any, tuple[bool, int]]:
    """Of each problem in a checkpoint: solved or not, and the steps that are kept. Raises if the file is not whole."""
    if not path.exists():
        return {}
    return {key: (point.done, point.steps) for key, point in checkpoint.read(path, {}).items()}


def certificates(folder: Path) -> dict[str, bytes]:
    """The certificates that a fit left, by the name of their file; they are taken away."""
    (found,) = folder.glob("*.certificates")
    contents = {path.name: gzip.decompress(path.read_bytes()) for path in sorted(found.iterdir())}
    shutil.rmtree(found)
    return contents


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="DATA [OPTIONS OF FIT ...]")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = list(options.words) or ["rows.svm", *OPTIONS]
        if options.words:
            shutil.copy(words[0], folder)
            words[0] = Path(words[0]).name
        else:
            write_rows(folder / words[0])
        state = folder / "state"
        began = time.perf_counter()
        os.waitpid(start(folder, words), 0)
        length = time.perf_counter() - began
        whole = certificates(folder)
        killed = fits = back = most = 0
        same = True
        before: dict[Any, tuple[bool, int]] = {}
        while True:
            wait = chance.expovariate(2 * options.kills / (3 * length)) if killed < options.kills else 1e9
            if kill_after(start(folder, words), wait):
                killed += 1
            else:
                fits += 1
                same = same and certificates(folder) == whole
                if killed == options.kills:
                    break
                before = {}
                continue
            now = progress(state)
            back += any(now.get(key, (False, 0)) < there for key, there in before.items())
            before, most = now, max(most, sum(done for done, _ in now.values()))
            print(f"\r{killed} killed, {most} of {len(whole)} solved", end="", file=sys.stderr)
    print(file=sys.stderr)
    print(
        f"a fit of {len(whole)} problems that takes {length:.1f} s undisturbed; {killed} kills in {fits} fits"
    )
    print(f"progress went back {back} times; every checkpoint was whole")
    print(f"the certificates at the end are {'the same' if same else 'NOT THE SAME'}, digit by digit")
    return 0 if same and not back else 1


if __name__ == "__main__":
    sys.exit(main())
