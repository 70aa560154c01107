"""Validation: simulations, leave-one-out facts, and speed against the same done naively with scikit-learn.

    python -m benchmarks.validation simulate [--simulations 1000]    what adaptive looks do to each mechanism
    python -m benchmarks.validation bounds                           leave-one-out bounds on real sets
    python -m benchmarks.validation speed                            exact leave-one-out, and paths of C

CPU seconds of one thread, in this process; ratios are within one run. Sets are read from the folder that
SEPARATRIX_DATA names; scikit-learn's own sets are used where there is none.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_svmlight_file, load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC as ScikitSVC

from benchmarks.adaptive_looks import MECHANISMS, single_look_coverage, summary
from benchmarks.data import folder
from separatrix import SVC
from separatrix.validation import leave_one_out, path_predictions
from separatrix.validation.dual_view import dual_view
from separatrix.validation.exact_loo import scores_left_out
from separatrix.validation.loo_bounds import bounds_of

HAS_DATA = bool(os.environ.get("SEPARATRIX_DATA"))  # without, the benchmark uses what scikit-learn brings
Data = tuple[np.ndarray, np.ndarray]
LOOKS = 200


def cpu(action: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    answer = action()
    return answer, time.process_time() - began


def standardised(X: np.ndarray) -> np.ndarray:
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def from_folder(name: str, rows: int | None = None) -> Data:
    X, y = load_svmlight_file(str(folder() / f"{name}.bz2"))
    order = np.random.default_rng(0).permutation(len(y))[:rows]
    return np.ascontiguousarray(X.toarray()[order]), y[order] == y.max()


def real_sets() -> dict[str, Data]:
    """At least twenty small real sets for two classes."""
    sets: dict[str, Data] = {}
    X, y = load_iris(return_X_y=True)
    sets |= {f"iris {c}": (X, y == c) for c in range(3)}
    X, y = load_wine(return_X_y=True)
    sets |= {f"wine {c}": (standardised(X), y == c) for c in range(3)}
    X, y = load_breast_cancer(return_X_y=True)
    sets["breast cancer"] = standardised(X)[:300], y[:300] == 1
    X, y = load_digits(return_X_y=True)
    for a, b in ((1, 7), (3, 8), (4, 9), (5, 6), (2, 3), (8, 9)):
        rows = np.flatnonzero((y == a) | (y == b))[:200]
        sets[f"digits {a} {b}"] = X[rows] / 16.0, y[rows] == b
    if HAS_DATA:
        for name in (
            "heart_scale",
            "ionosphere",
            "diabetes_scale",
            "australian_scale",
            "splice_scale",
            "svmguide1",
        ):
            sets[name] = from_folder(name, 300)
        sets["svmguide1"] = standardised(sets["svmguide1"][0]), sets["svmguide1"][1]
        for name in ("colon-cancer_scaled", "leukemia_ALLAML"):
            sets[name] = from_folder(name)
    return sets


def simulate(simulations: int) -> None:
    print(f"{simulations} seeded analysts, 1000 coin-flip labels, {LOOKS} adaptive looks; the truth is 0.5\n")
    print("| mechanism | reported, mean | 95th percentile | all intervals right | width of the last |")
    print("|---|---|---|---|---|")
    for name in MECHANISMS:
        row = summary(name, simulations, n=1000, looks=LOOKS)
        print(f"| {name} | " + " | ".join(f"{value:.3f}" for value in row.values()) + " |", flush=True)
    print("\ncoverage of a single look at confidence 0.95 (exact scores, rounded scores):")
    for n, accuracy in ((200, 0.9), (1000, 0.5), (1000, 0.98)):
        exact, rounded = (single_look_coverage(simulations, n, accuracy, r) for r in (0.0, None))
        print(f"n = {n}, true accuracy {accuracy}: {exact:.3f}, {rounded:.3f}")


def bounds() -> None:
    print("| set | rows | C | exact | support vectors | xi-alpha | span | radius-margin | refits |")
    print("|---|---|---|---|---|---|---|---|---|")
    broken = 0
    for name, (X, y) in real_sets().items():
        for C in (0.1, 10.0):
            view = dual_view(SVC(C=C, tol=1e-8).fit(X, y), X, y)
            left_out = scores_left_out(view)
            exact = float(np.mean(np.where(view.y > 0, left_out.scores <= 0, left_out.scores > 0)))
            found = bounds_of(view)
            broken += any(bound.value < exact for bound in found)
            shown = " | ".join(f"{bound.value:.3f}" for bound in found)
            print(f"| {name} | {len(y)} | {C:g} | {exact:.3f} | {shown} | {left_out.refits} |", flush=True)
    print(f"\nbounds below the exact error: {broken}")


def naive_leave_one_out(X: np.ndarray, y: np.ndarray, C: float, tol: float) -> np.ndarray:
    out = np.empty(len(y), dtype=bool)
    for i in range(len(y)):
        kept = np.arange(len(y)) != i
        out[i] = ScikitSVC(kernel="linear", C=C, tol=tol).fit(X[kept], y[kept]).predict(X[i : i + 1])[0]
    return out


def speed() -> None:
    sets = {"breast cancer": real_sets()["breast cancer"]}
    if HAS_DATA:
        for name in ("heart_scale", "ionosphere", "diabetes_scale"):
            sets[name] = from_folder(name)
    print(
        "exact leave-one-out, linear, hinge, free bias; scikit-learn fits n models (tol 1e-3, its default)\n"
    )
    print(
        "| set | rows | C | separatrix, fit included (s) | scikit-learn (s) | ratio | predictions that differ |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, (X, y) in sets.items():
        for C in (0.1, 1.0, 10.0):
            ours, seconds = cpu(lambda X=X, y=y, C=C: leave_one_out(SVC(C=C).fit(X, y), X, y))
            theirs, naive = cpu(lambda X=X, y=y, C=C: naive_leave_one_out(X, y, C, 1e-3))
            differ = int(np.sum(ours.predictions != theirs))
            print(
                f"| {name} | {len(y)} | {C:g} | {seconds:.2f} | {naive:.2f} | {naive / seconds:.1f} | {differ} |",
                flush=True,
            )
    if HAS_DATA:
        sets |= {name: from_folder(name) for name in ("australian_scale", "splice_scale")}
    costs = [2.0**k for k in range(-5, 7)]
    print("\n5-fold cross-validation along C = 2^-5 ... 2^6\n")
    print(
        "| set | rows | separatrix path (s) | SVC one by one (s) | scikit-learn (s) | scikit-learn / path | differ |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, (X, y) in sets.items():
        splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))

        def single(
            make: Callable[[float], Any], X: Any = X, y: Any = y, splits: Any = splits
        ) -> list[np.ndarray]:
            return [np.stack([make(C).fit(X[a], y[a]).predict(X[b]) for C in costs]) for a, b in splits]

        path, ours = cpu(lambda X=X, y=y, splits=splits: path_predictions(SVC(), X, y, costs, splits))
        _, cold = cpu(lambda: single(lambda C: SVC(C=C)))
        naive, theirs = cpu(lambda: single(lambda C: ScikitSVC(kernel="linear", C=C)))
        differ = sum(int(np.sum(a != b)) for a, b in zip(path, naive, strict=True))
        print(
            f"| {name} | {len(y)} | {ours:.2f} | {cold:.2f} | {theirs:.2f} | {theirs / ours:.2f} | {differ} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["simulate", "bounds", "speed"])
    parser.add_argument("--simulations", type=int, default=1000)
    chosen = parser.parse_args()
    if chosen.what == "simulate":
        simulate(chosen.simulations)
    else:
        {"bounds": bounds, "speed": speed}[chosen.what]()


if __name__ == "__main__":
    main()
