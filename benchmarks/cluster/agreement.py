"""Whether a cluster gives the certified answer of one machine.

A combination holds if the fit converged, its gap is within tol, `separatrix.verify` accepts its certificate on the
collected rows, the objective is that of one machine to tol, and every prediction is equal that the two certificates
determine. Rows whose prediction differs are counted besides; `determined.py` says which may.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np

import separatrix
from benchmarks.cluster.determined import undetermined
from benchmarks.cluster.local import cluster, split
from benchmarks.data import load
from separatrix.dask import SVC

#: Data sets as they come, each with its C; tf-idf with rows of length one besides the raw counts.
SETS = {"a9a": 1.0, "kddcup04_bio": 1.0, "imdb counts": 1e-3, "imdb tf-idf": 1.0}
_LINE = "{:<13} {:<9} {:<8} {:>5} {:<18} {:>6} {:>8} {:>9} {:>6} {:>8} {:>5} {:>7}  {}"
_HEAD = (
    *("data", "bias", "weights", "parts", "solver", "rounds", "gap", "objective"),
    *("differ", "largest", "open", "seconds", ""),
)


def run(options: argparse.Namespace) -> None:
    """Every combination of a data set, a bias, weights or none, and a number of partitions."""
    print(
        "differ: rows predicted otherwise than by one machine; largest: |f| of these; open: rows that may differ"
    )
    print(_LINE.format(*_HEAD))
    held, equal, total = 0, 0, 0
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
                        holds, differ = compare(name, settings, X, y, given, parts, local, client)
                        held, equal = held + holds, equal + (differ == 0)
    print(f"{held} of {total} combinations hold at tol = {options.tol:g}; in {equal} no prediction differs.")


def compare(
    name: str, settings: dict[str, Any], X: Any, y: Any, weights: Any, parts: int, local: Any, client: Any
) -> tuple[bool, int]:
    """One fit on the cluster, printed beside one machine's; whether it holds, and the predictions that differ."""
    A, b = split(X, y, parts)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a gap that is not reached is in the table
        model = SVC(client=client, max_time=600.0, **settings).fit(A, b, sample_weight=weights)
    seconds = time.perf_counter() - began
    tol, objective = settings["tol"], model.primal_ / local.primal_ - 1.0
    differ = model.predict(X) != local.predict(X)
    allowed = undetermined(local, model, X, y, weights)
    largest = float(np.max(np.abs(local.decision_function(X))[differ], initial=0.0))
    wrong = [
        what
        for what, holds in {
            f"status {model.status_}": model.status_ == "converged",
            "gap": model.gap_ <= tol,
            "certificate": bool(separatrix.verify(model.certificate_, X, y)),
            "objective": abs(objective) <= tol,
            "predictions": not np.any(differ & ~allowed),
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
            int(differ.sum()),
            f"{largest:.1e}",
            int(allowed.sum()),
            f"{seconds:.1f}",
            ", ".join(wrong) or "holds",
        ),
        flush=True,
    )
    return not wrong, int(differ.sum())
