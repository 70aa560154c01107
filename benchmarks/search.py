"""Choosing C and gamma by cross-validation: `SVCCV` beside GridSearchCV over scikit-learn's SVC and over ours.

    python -m benchmarks.search [--only digits] [--multi-class ovo] [--rows 5000] [--cores 1] [--turns 1]

Linear: 13 costs from 1e-4 to 100; rbf: 6 costs x 5 widths; 5 folds each, the same for all. With one core the numbers
are CPU seconds of this process, which a busy machine does not change much; with more, wall-clock seconds (GridSearchCV
with as many jobs). Each ends with a fit of the best to all rows. "Apart" is how far the mean accuracies of
scikit-learn's cells are from ours, at most, "from ours" the same for the grid over our SVC; "gap" the largest proved
gap of any cell of ours. scikit-learn's SVC solves pairs of classes: `--multi-class ovo` compares the same problems.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as Theirs

from benchmarks.data import folder
from separatrix import SVC, SVCCV, read

COSTS = np.logspace(-4, 2, 13)
FEW_COSTS = np.logspace(-2, 3, 6)
WIDTHS = np.logspace(-2, 2, 5)  # times 1 / (d var)


def sets(rows: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for name, load in (("wdbc", load_breast_cancer), ("digits", load_digits)):
        X, y = load(return_X_y=True)
        yield name, StandardScaler().fit_transform(X), y
    data = read(folder() / "a9a.bz2")
    chosen = np.sort(np.random.default_rng(0).permutation(data.X.shape[0])[:rows])
    X = data.X[chosen]
    yield (
        f"a9a, {rows} rows",
        np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64),
        data.y[chosen],
    )


def timed(work: Callable[[], Any], cores: int) -> tuple[float, Any]:
    clock = time.process_time if cores == 1 else time.perf_counter
    began = clock()
    result = work()
    return clock() - began, result


def compare(X: np.ndarray, y: np.ndarray, kernel: str, options: Any) -> str:
    folds = StratifiedKFold(5)
    width = 1.0 / (X.shape[1] * X.var())
    costs = list(COSTS if kernel == "linear" else FEW_COSTS)
    widths = None if kernel == "linear" else list(WIDTHS * width)
    grid = {"C": costs} if widths is None else {"C": costs, "gamma": widths}
    cores, kind = options.cores, options.multi_class
    entries: dict[str, Callable[[], Any]] = {
        "SVCCV": lambda: SVCCV(
            costs, gammas=widths, kernel=kernel, cv=folds, n_threads=cores, multi_class=kind
        ).fit(X, y),
        "theirs": lambda: GridSearchCV(Theirs(kernel=kernel), grid, cv=folds, n_jobs=cores).fit(X, y),
        "ours": lambda: GridSearchCV(
            SVC(kernel=kernel, n_threads=1, multi_class=kind), grid, cv=folds, n_jobs=cores
        ).fit(X, y),
    }
    taken: dict[str, list[float]] = {name: [] for name in entries}
    found = {}
    for _ in range(options.turns):
        for name, work in entries.items():
            seconds, found[name] = timed(work, cores)
            taken[name].append(seconds)
    median = {name: float(np.median(times)) for name, times in taken.items()}
    table = found["theirs"].cv_results_["mean_test_score"].reshape(len(costs), -1).T
    same = found["ours"].cv_results_["mean_test_score"].reshape(len(costs), -1).T
    own = float(np.max(np.abs(same - found["SVCCV"].scores_.mean(axis=2))))
    apart = float(np.max(np.abs(table - found["SVCCV"].scores_.mean(axis=2))))
    gaps = found["SVCCV"].gaps_
    cells = [f"{median[name]:.2f}" for name in entries]
    ratios = [f"{median[name] / median['SVCCV']:.1f}" for name in ("theirs", "ours")]
    return " | ".join([*cells, *ratios, f"{apart:.3f}", f"{own:.3f}", f"{np.max(gaps):.0e}"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--kernel", default="")
    parser.add_argument("--multi-class", default="ovr")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--turns", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(
        "| set | kernel | SVCCV | grid, scikit-learn | grid, ours | times | times | apart | from ours | gap |"
    )
    print("|---" * 10 + "|")
    for name, X, y in sets(options.rows):
        for kernel in ("linear", "rbf"):
            if options.only in name and options.kernel in kernel:
                print(f"| {name} | {kernel} | {compare(X, y, kernel, options)} |", flush=True)


if __name__ == "__main__":
    main()
