"""Whether a cluster gives the certified answer of one machine.

A combination holds if the fit converged, its gap is within tol, `separatrix.verify` accepts its certificate on the
collected rows, the objective is that of one machine to tol, and the predictions are equal. Two answers within tol of
the optimum may put rows near the boundary on different sides: rows that differ are counted, and a share of tol may do
so. With --tol 1e-6 that is none.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np

import separatrix
from benchmarks.cluster.local import cluster, split
from benchmarks.data import load
from separatrix.dask import SVC

#: Data sets as they come, each with its C; tf-idf with rows of length one besides the raw counts.
SETS = {"a9a": 1.0, "kddcup04_bio": 1.0, "imdb counts": 1e-3, "imdb tf-idf": 1.0}
_LINE = "{:<13} {:<9} {:<8} {:>5} {:<18} {:>6} {:>8} {:>9} {:>6} {:>7}  {}"
_HEAD = ("data", "bias", "weights", "parts", "solver", "rounds", "gap", "objective", "differ", "seconds", "")


def run(options: argparse.Namespace) -> None:
    """Every combination of a data set, a bias, weights or none, and a number of partitions."""
    print(_LINE.format(*_HEAD))
    held = total = 0
    with cluster(2) as client:
        for name in options.set or SETS:
            X, y = load(name)
            if options.quick:
                X, y = X[:4000], y[:4000]
            weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
            for bias in ("free", "augmented", "none"):
                for given in (None, weights):
                    settings = {"C": SETS[name], "bias": bias, "tol": options.tol, "random_state": 0}
                    local = separatrix.SVC(**settings).fit(X, y, sample_weight=given)
                    for parts in (1, 2, 4, 8):
                        total += 1
                        held += compare(name, settings, X, y, given, parts, local, client)
    print(f"{held} of {total} combinations hold at tol = {options.tol:g}.")


def compare(
    name: str, settings: dict[str, Any], X: Any, y: Any, weights: Any, parts: int, local: Any, client: Any
) -> bool:
    """One fit on the cluster, printed beside one machine's."""
    A, b = split(X, y, parts)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a gap that is not reached is in the table
        model = SVC(client=client, max_time=600.0, **settings).fit(A, b, sample_weight=weights)
    seconds = time.perf_counter() - began
    tol, objective = settings["tol"], model.primal_ / local.primal_ - 1.0
    differ = int(np.sum(model.predict(X) != local.predict(X)))
    wrong = [
        what
        for what, holds in {
            f"status {model.status_}": model.status_ == "converged",
            "gap": model.gap_ <= tol,
            "certificate": bool(separatrix.verify(model.certificate_, X, y)),
            "objective": abs(objective) <= tol,
            "predictions": differ <= tol * len(y),
        }.items()
        if not holds
    ]
    print(
        _LINE.format(
            name,
            settings["bias"],
            "none" if weights is None else "1 to 3",
            parts,
            model.history_[-1].solver,
            model.n_iter_,
            f"{model.gap_:.1e}",
            f"{objective:+.1e}",
            differ,
            f"{seconds:.1f}",
            ", ".join(wrong) or "holds",
        ),
        flush=True,
    )
    return not wrong
