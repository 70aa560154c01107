"""A stream with a new class on the way: predict, then learn, with checkpoints and the running bound."""

import tempfile
from pathlib import Path

import numpy as np

from separatrix import Perceptron, stream


def rows(n: int = 20_000):
    """Pairs (row, label) as they might come from a socket; the third class appears half way."""
    rng = np.random.default_rng(0)
    centres = np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 4.0]])
    for i in range(n):
        label = int(rng.integers(0, 2 if i < n // 2 else 3))
        yield centres[label] + rng.standard_normal(2), "abc"[label]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = Path(folder) / "model.npz"
        model = Perceptron(output="averaged")
        for progress in stream(model, rows(), checkpoint=checkpoint, checkpoint_every=5_000):
            if progress.rows % 4_000 == 0:
                print(
                    f"{progress.rows} rows, {len(model.classes_)} classes, accuracy {progress.accuracy:.3f}, "
                    f"{progress.updates} updates, bound {progress.bound:.0f}"
                )
        again = Perceptron(output="averaged")
        print(
            "rows left to learn after the last checkpoint:",
            len(list(stream(again, rows(), checkpoint=checkpoint))),
        )
        print("same weights:", bool(np.array_equal(again.coef_, model.coef_)))


if __name__ == "__main__":
    main()
