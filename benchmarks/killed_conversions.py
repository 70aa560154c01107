"""`python -m benchmarks.killed_conversions [--times 50]`: kill -9 a conversion at random moments.

After each kill there must be no store, or a whole one whose checksums agree, or (when one was being replaced) the old
one, at once or after the next run; and a last run must give the same store as one that was never disturbed.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import separatrix as sx
from separatrix.data.store import check_store

CODE = """
import sys, separatrix as sx
from separatrix.data import convert
print("go", flush=True)
sx.convert(sys.argv[1], sys.argv[2], overwrite=True)
print("done", flush=True)
"""


def write_text(path: Path, rows: int, seed: int) -> None:
    rng = random.Random(seed)
    with path.open("w") as out:
        for i in range(rows):
            columns = sorted(rng.sample(range(1, 500), 12))
            out.write(f"{i % 3} " + " ".join(f"{c}:{rng.random():.6f}" for c in columns) + "\n")


def digests(store: Path) -> dict[str, str]:
    header = json.loads((store / "header.json").read_text())
    return {name: known["sha256"] for name, known in header["files"].items()}


def run(source: Path, target: Path, delay: float | None) -> float | None:
    """Start a conversion and kill it after a delay; the seconds it took if it had ended by then."""
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, source, target], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    began = time.perf_counter()
    if delay is not None:
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
    ended = "done" in process.stdout.read()
    took = time.perf_counter() - began
    process.wait()
    process.stdout.close()
    return took if ended else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    counts = {"no store": 0, "old store": 0, "new store": 0}
    kills = runs = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = [folder / "one.svm", folder / "two.svm"]
        known, duration = [], float("inf")
        for seed, text in enumerate(texts):
            write_text(text, arguments.rows, seed)
            duration = min(duration, run(text, folder / "undisturbed", None) or duration)
            known.append(digests(folder / "undisturbed"))
        target = folder / "store"
        while kills < arguments.times:
            wanted = runs % 2
            # Moments after the end do not count; how long a run takes changes with what else the machine does.
            took = run(texts[wanted], target, rng.uniform(0, duration))
            duration = duration * 1.02 if took is None else min(duration, took)
            runs += 1
            if took is not None:
                continue
            kills += 1
            if not target.exists():
                counts["no store"] += 1
                continue
            check_store(str(target))  # raises if a file is not what its header says
            sx.read(target)
            assert digests(target) in known
            counts["new store" if digests(target) == known[wanted] else "old store"] += 1
        sx.convert(texts[0], target, overwrite=True)
        assert digests(target) == known[0]
        left = sorted(path.name for path in folder.iterdir())
        assert left == ["one.svm", "store", "two.svm", "undisturbed"], left
    print(
        json.dumps({"runs": runs, "kills": kills, **counts, "left behind": 0, "seconds": round(duration, 2)})
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
