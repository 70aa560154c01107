"""kill -9 at random moments of `separatrix fit --checkpoint`: nothing is corrupted, and resuming ends proved.

python -m benchmarks.kill_checkpoint [--kills 50] [--seed 0]

Each round starts a fit, kills it after a random part of the time that a whole fit takes, then looks at what is there: a
checkpoint that exists must be whole (it must be taken up by the next start), and so must a model. At the end the fit is
allowed to finish, and its proved interval must overlap that of a fit that was never disturbed.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

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


def start(folder: Path) -> subprocess.Popen[str]:
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-m", "separatrix", *FIT], cwd=folder, **pipes)


def finish(folder: Path) -> dict[str, Any]:
    out, err = start(folder).communicate()
    if not out:
        raise SystemExit(f"The fit did not finish: {err}")
    found: dict[str, Any] = json.loads(out)
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
        killed = resumed = finished = 0
        while killed < options.kills:
            for path in folder.glob("rows.*.*"):
                path.unlink()
            process = start(folder)
            try:
                out, err = process.communicate(timeout=chance.uniform(0.3, 1.05) * length)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                killed += 1
            if out:
                finished += 1
                found = json.loads(out)
                assert found["proved"], found
                resumed += found["resumed"]
            assert "error" not in err, err
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
    print(f"{killed} kills, {finished} fits finished in between ({resumed} of them from a checkpoint)")
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
