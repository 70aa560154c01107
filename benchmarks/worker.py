"""Measures one method on one problem in a process of its own; one JSON line for each setting that ends.

Its parent ends it when its CPU time is up, in the middle of a fit if need be: the lines printed so far count. (Not
RLIMIT_CPU: where one is set, Linux counts CPU time in ticks of 4 ms, and a fit may take less.)
Threads are limited to one through the environment that the parent sets before this process starts.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
import warnings
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.methods import METHODS
from benchmarks.problems import Case


def objective(X: Any, y: np.ndarray, case: Case, w: np.ndarray, b: float) -> float:
    """The true primal value in float64, by the formula and nothing else."""
    slack = np.maximum(0.0, 1.0 - y * (X @ w + b))
    return 0.5 * float(w @ w) + case.C * float(np.sum(slack if case.loss == "hinge" else slack * slack))


def repeats(seconds: float, wanted: int) -> int:
    """Fewer repetitions of what takes long: noise matters less there."""
    return 1 if seconds > 4 else min(3, wanted) if seconds > 1 else wanted


def main() -> None:
    spec = json.loads(sys.stdin.readline())
    if spec["core"] is not None:
        os.sched_setaffinity(0, {spec["core"]})
    warnings.simplefilter("ignore")  # peers say they have not converged; the true objective says how far off
    case = Case(**spec["case"])
    X, y = data.load(case.data)
    method = METHODS[spec["method"]](case)
    if spec["solver"]:
        method.solver = spec["solver"]  # type: ignore[attr-defined]
    try:
        method.prepare(X, y)
    except (ImportError, AttributeError) as error:
        print(json.dumps({"missing": f"{type(error).__name__}: {error}"}), flush=True)
        return
    print(json.dumps({"ready": True}), flush=True)
    settings = spec["settings"] or method.settings()
    warm = False
    for setting in settings:
        cpu, wall, wanted = [], [], spec["repeats"] + (not warm)
        while len(cpu) < wanted:
            before = time.process_time(), time.perf_counter()
            w, b = method.fit(setting)
            cpu.append(time.process_time() - before[0])
            wall.append(time.perf_counter() - before[1])
            wanted = min(wanted, repeats(cpu[-1], wanted))
        if not warm and len(cpu) > 1:
            cpu, wall = cpu[1:], wall[1:]  # the very first call pays for lazy imports and page faults
        warm = True
        value = objective(X, y, case, w, b)
        line = {
            "setting": setting,
            "cpu": statistics.median(cpu),
            "wall": statistics.median(wall),
            "runs": len(cpu),
            "primal": value,
            **getattr(method, "said", {}),
        }
        print(json.dumps(line), flush=True)
        if spec["enough"] is not None and value <= spec["enough"]:
            return


if __name__ == "__main__":
    main()
