"""Small fits and predictions, whole, beside scikit-learn: python -m benchmarks.small [--turns 7] [--predict]

Each fit goes through the estimator, with its checks and its proved gap; the peer is the faster of scikit-learn's SVC
and, for the linear kernel, LinearSVC, at their defaults, which promise no gap (SVC ends after 100,000 steps). Sets:
scikit-learn's own and random ones, raw and standardised (`benchmarks.small_solver`), and the small ones of
SEPARATRIX_DATA where that is set. Times are medians of turns taken one after the other, in wall-clock milliseconds with
the defaults of each for threads. A star marks a peer that said it had not converged.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC as Theirs
from sklearn.svm import LinearSVC

from benchmarks.data import folder
from benchmarks.small_solver import COSTS
from benchmarks.small_solver import sets as sets_made_here
from separatrix import SVC, read

FILES = (
    "australian_scale.bz2",
    "diabetes_scale.bz2",
    "heart_scale.bz2",
    "ionosphere.bz2",
    "splice_scale.bz2",
    "svmguide1.bz2",
)
MOST_ROWS = 2000
LONG = 2.0  # seconds of a fit that is not repeated
MOST_STEPS = 100_000  # of SVC, which else takes minutes on raw columns


def sets() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield name, X and y of each set, of at most MOST_ROWS rows."""
    yield from sets_made_here()
    if "SEPARATRIX_DATA" not in os.environ:
        return
    for name in FILES:
        data = read(folder() / name)
        X: Any = data.X
        rows = np.sort(np.random.default_rng(0).permutation(X.shape[0])[:MOST_ROWS])
        dense = X[rows].toarray() if hasattr(X, "toarray") else X[rows]
        yield name.split(".")[0], np.asarray(dense, dtype=np.float64), np.asarray(data.y)[rows]


def milliseconds(calls: list[Callable[[], object]], turns: int) -> list[float]:
    """Return the median time of each call; they take turns. A long one is called once."""
    times: list[list[float]] = [[] for _ in calls]
    for turn in range(turns + 1):
        for call, own in zip(calls, times, strict=True):
            if own and own[-1] > LONG:
                continue
            began = time.perf_counter()
            call()
            own.append(time.perf_counter() - began)
        if turn == 0:  # the first of each is not counted, unless it is all there is
            times = [own if own[0] > LONG else [] for own in times]
    return [1e3 * float(np.median(own)) for own in times]


def fits(turns: int) -> None:
    """Print a row for each set, kernel and C."""
    print(
        f"{'set':34} {'kernel':7} {'C':>6} {'ours':>8} {'SVC':>9} {'LinearSVC':>10} {'ratio':>6} {'gap':>7}"
    )
    ratios: list[float] = []
    for name, X, y in sets():
        for kernel in ("linear", "rbf"):
            for C in COSTS:
                own, peers = SVC(C=C, kernel=kernel), [Theirs(C=C, kernel=kernel, max_iter=MOST_STEPS)]
                if kernel == "linear":
                    peers.append(LinearSVC(C=C))
                times = milliseconds([partial(model.fit, X, y) for model in (own, *peers)], turns)
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always", ConvergenceWarning)
                    for peer in peers:
                        peer.fit(X, y)
                star = "*" if caught else " "
                shown = f"{times[2]:9.2f}{star}" if len(times) > 2 else " " * 9 + star
                ratios.append(min(times[1:]) / times[0])
                print(
                    f"{name:34} {kernel:7} {C:6} {times[0]:8.2f} {times[1]:9.2f} {shown} {ratios[-1]:6.2f} "
                    f"{own.gap_:7.0e}",
                    flush=True,
                )
    report(ratios)


def predictions(turns: int) -> None:
    """Print a row for each set, kernel and number of rows."""
    print(f"{'set':34} {'kernel':7} {'rows':>6} {'ours':>8} {'theirs':>8} {'ratio':>6}")
    ratios: list[float] = []
    for name, X, y in sets():
        for kernel in ("linear", "rbf"):
            models: list[Any] = [SVC(kernel=kernel).fit(X, y), Theirs(kernel=kernel).fit(X, y)]
            if kernel == "linear":
                models.append(LinearSVC().fit(X, y))
            for rows in (1, 100, 10_000):
                new = X[np.arange(rows) % len(X)]
                own, *theirs = milliseconds([partial(model.predict, new) for model in models], turns)
                ratios.append(min(theirs) / own)
                print(
                    f"{name:34} {kernel:7} {rows:6} {own:8.3f} {min(theirs):8.3f} {ratios[-1]:6.2f}",
                    flush=True,
                )
    report(ratios)


def report(ratios: list[float]) -> None:
    """Print how often and how much faster we are."""
    slower = sum(ratio < 1 for ratio in ratios)
    mean = np.exp(np.mean(np.log(ratios)))
    print(f"{len(ratios)} cells, {slower} slower; geometric mean {mean:.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--predict", action="store_true", help="predictions of 1, 100 and 10,000 rows")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    (predictions if chosen.predict else fits)(chosen.turns)
