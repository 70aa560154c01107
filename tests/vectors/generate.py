"""Writes the test vectors: genuine certificates of small data, and documents that differ from one in one thing.

    python tests/vectors/generate.py

The outcome of each vector is stated by hand; tests/checker/test_vectors.py checks it.
"""

from __future__ import annotations

import json
from pathlib import Path

from estimate_cases import estimates
from kernel_cases import kernels
from linear_cases import optimal
from other_cases import classes, mistakes, separability


def main() -> None:
    """Write one file for each kind, a line for each vector."""
    for make in (optimal, kernels, classes, separability, estimates, mistakes):
        vectors = make()
        lines = ",\n".join(json.dumps(vector) for vector in vectors)
        path = Path(__file__).parent / f"{make.__name__}.json"
        path.write_text(f"[\n{lines}\n]\n")
        print(f"{len(vectors):4d} {path.name}")


if __name__ == "__main__":
    main()
