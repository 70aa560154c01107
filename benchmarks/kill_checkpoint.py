"""kill -9 at random moments of `separatrix fit --checkpoint`: nothing is corrupted, and resuming ends proved.

python -m benchmarks.kill_checkpoint [--kills 50] [--seed 0]

Each round starts a fit, kills it after a random part of the time that a whole fit takes, then looks at what is there: a
checkpoint or a model that exists must be whole, and the next fit goes on from the checkpoint. At the end the fit may
finish, and its proved interval must overlap that of a fit that was never disturbed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open

import separatrix.cli.fitting  # noqa: F401  # loaded before the forks, which then lose no time on it
from separatrix import load
from separatrix.cli.app import main as main_of_separatrix

FIT = [
    "fit",
    "rows.svm",
    "-c",
    "3",
    "--solver",
    "coordinate-descent",
    "--verdict-time",
    "0",
    "--checkpoint",
    "state",
]
FIT += ["--checkpoint-every", "0.05", "--json", "-q"]


def write_rows(path: Path) -> None:
    """Columns of very different scales: coordinate descent takes its time."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 40)) * 10.0 ** rng.uniform(-2, 2, 40)
    y = np.where(X @ rng.normal(size=40) + 100 * rng.normal(size=800) > 0, 1, -1)
    with path.open("w") as file:
        for label, row in zip(y.tolist(), X.tolist(), strict=True):
            file.write(" ".join([str(label), *(f"{j}:{value!r}" for j, value in enumerate(row, 1))]) + "\n")


def start(folder: Path) -> int:
    """The process id of a fit. A fork, so that every moment of its life is spent on the fit and not on imports."""
    child = os.fork()
    if child:
        return child
    os.chdir(folder)
    code = 1
    try:
        with (folder / "answer").open("w") as out, redirect_stdout(out):
            code = main_of_separatrix(FIT)
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


def finish(folder: Path) -> dict[str, Any]:
    os.waitpid(start(folder), 0)
    found: dict[str, Any] = json.loads((folder / "answer").read_text())
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(folder / "rows.svm")
        began = time.perf_counter()
        whole = finish(folder)
        length = time.perf_counter() - began
        killed = with_state = finished = resumed = 0
        while killed < options.kills:
            if kill_after(start(folder), chance.uniform(0.0, length)):
                killed += 1
                with_state += (folder / "state").exists()
            else:
                finished += 1
                found = json.loads((folder / "answer").read_text())
                assert found["proved"], found
                resumed += found["resumed"]
            if (folder / "state").exists():
                with safe_open(folder / "state", framework="numpy") as state:  # whole, or this raises
                    assert state.metadata()["format"] == "separatrix-checkpoint"
            if (folder / "rows.model.safetensors").exists():
                load(folder / "rows.model.safetensors")
            print(f"\r{killed} killed, {finished} finished in between", end="", file=sys.stderr)
        found = finish(folder)
        check = [
            sys.executable,
            "-m",
            "separatrix",
            "verify",
            "rows.certificate.json.gz",
            "rows.svm",
            "--exact",
        ]
        verified = subprocess.run(check, cwd=folder, capture_output=True, text=True, check=False)
    print(file=sys.stderr)
    same = max(found["dual"], whole["dual"]) <= min(found["primal"], whole["primal"])
    print(
        f"{killed} kills, {with_state} of them with a checkpoint on disk; every checkpoint and model found was whole"
    )
    print(f"{finished} fits finished in between, {resumed} of them from a checkpoint")
    print(
        f"undisturbed: [{whole['dual']:.6f}, {whole['primal']:.6f}], gap {whole['gap']:.1e}, {whole['steps']} steps"
    )
    print(
        f"at the end:  [{found['dual']:.6f}, {found['primal']:.6f}], gap {found['gap']:.1e}, {found['steps']} steps,"
    )
    origin = "from a checkpoint" if found["resumed"] else "from the beginning"
    print(f"             {origin}; {verified.stdout.split('time')[0].strip()}")
    good = found["proved"] and same and verified.returncode == 0
    print("good" if good else "NOT GOOD")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
