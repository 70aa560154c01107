"""How fast LIBSVM text is read: `python -m benchmarks.reading [--rounds 15] [names ...]`.

Each file of the data folder is decompressed once; then `separatrix.read` with one and two threads and, on request,
scikit-learn read the plain text. Rates are decompressed bytes by the least time of all rounds; CPU time counts all
threads, so on a busy machine the rate by CPU time of one thread is the one to compare.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import lzma
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zstandard

import separatrix as sx
from benchmarks.data import folder

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda text: gzip.compress(text, 6),
    "bz2": bz2.compress,
    "xz": lambda text: lzma.compress(text, preset=1),
    "zst": zstandard.ZstdCompressor().compress,
}


def least(rounds: int, call: Callable[[], Any]) -> tuple[float, float]:
    """The least wall and the least CPU time of some calls."""
    walls, works = [], []
    for _ in range(rounds):
        wall, work = time.perf_counter(), time.process_time()
        call()
        walls.append(time.perf_counter() - wall)
        works.append(time.process_time() - work)
    return min(walls), min(works)


def show(what: str, size: int, times: tuple[float, float]) -> None:
    wall, work = times
    print(
        f"  {what:28} {size / wall / 1e6:7.0f} MB/s   by CPU time {size / work / 1e6:7.0f} MB/s", flush=True
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=["imdb", "news20bydate", "kddcup04_bio", "a9a"])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--peers", action="store_true", help="also scikit-learn")
    parser.add_argument("--compressed", action="store_true", help="also .gz .bz2 .xz .zst of the same text")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for stem in arguments.names:
            text = bz2.decompress((folder() / f"{stem}.bz2").read_bytes())
            path = Path(name) / f"{stem}.svm"
            path.write_bytes(text)
            print(f"{stem}, {len(text) / 1e6:.1f} MB")
            for threads in (1, 2):
                times = least(arguments.rounds, lambda path=path, n=threads: sx.read(path, n_threads=n))
                show(f"separatrix, {threads} thread{'s' * (threads > 1)}", len(text), times)
            if arguments.peers:
                from sklearn.datasets import load_svmlight_file

                show("scikit-learn", len(text), least(2, lambda path=path: load_svmlight_file(str(path))))
            for suffix, pack in PACKERS.items() if arguments.compressed else ():
                packed = Path(name) / f"{stem}.svm.{suffix}"
                packed.write_bytes(pack(text))
                show(f"separatrix, .{suffix}", len(text), least(2, lambda path=packed: sx.read(path)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
