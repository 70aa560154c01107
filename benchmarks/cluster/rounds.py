"""Rounds to a gap of 1e-3 beside averaging, and the gap against rounds and seconds for 1 and 2 worker processes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import separatrix
from benchmarks.cluster.averaging import METHODS
from benchmarks.cluster.local import cluster, pieces, split
from benchmarks.data import load
from separatrix.dask import SVC

_GOAL = 1e-3
_C = 1.0
_OURS = {1: "1 worker process", 2: "2 worker processes"}


def run(options: argparse.Namespace) -> None:
    """imdb (tf-idf, rows of length one), hinge, no bias, C = 1: as averaging knows no bias and no weights."""
    X, y = load("imdb tf-idf")
    if options.quick:
        X, y = X[:4000], y[:4000]
    best = separatrix.SVC(C=_C, bias="none", tol=1e-7).fit(X, y)
    optimum, limit = best.dual_, 20 if options.quick else 100
    curves: dict[str, list[tuple[float, float, float]]] = {}
    print(f"{'':<32} {'rounds to 1e-3':>14} {'after':>6} {'distance or gap':>15}")
    for workers, name in _OURS.items():
        with cluster(workers) as client:
            A, b = split(X, y, workers)
            settings = {"C": _C, "bias": "none", "random_state": 0, "client": client}
            SVC(tol=0.5, **settings).fit(A, b)  # libraries are loaded by then
            model = SVC(tol=1e-4, **settings).fit(A, b)
        curves[name] = [(r.iteration, r.time, r.gap) for r in model.history_ if not r.proved]
        _line(f"separatrix.dask, {name}", curves[name])
    cut = pieces(X, y, 2)
    for name, method in METHODS.items():
        distances = [value / optimum - 1.0 for value in method(cut, _C, limit)]
        curves[name] = [(k + 1, np.nan, value) for k, value in enumerate(distances)]
        _line(f"{name}, 2 machines", curves[name])
    for name in _OURS.values():
        at = next(((k, s) for k, s, gap in curves[name] if gap <= _GOAL), None)
        print(f"{name}: gap of 1e-3 after {at[0]} rounds, {at[1]:.2f} s" if at else f"{name}: not reached")
    if options.figure:
        draw(curves, Path(options.figure))


def _line(method: str, curve: list[tuple[float, float, float]]) -> None:
    reached = next((k for k, _, value in curve if value <= _GOAL), "not")
    print(f"{method:<36} {reached:>10} {len(curve):>6} {curve[-1][2]:>15.1e}", flush=True)


def draw(curves: dict[str, Any], path: Path) -> None:
    """Two panels: the gap (others: distance from the optimum) against rounds, and against seconds."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "separatrix", "font.size": 9})
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.2), sharey=True, layout="constrained")
    colours = ("#0072b2", "#d55e00", "#777777", "#999999", "#bbbbbb")
    for (name, points), colour in zip(curves.items(), colours, strict=False):
        k, seconds, gap = np.array(points).T
        ours = "process" in name
        style = {"color": colour, "label": name, "linestyle": "-" if ours else "--"}
        style["marker"] = "o" if ours or len(k) == 1 else ""
        left.plot(k, gap, markersize=3, **style)
        if ours:
            right.plot(seconds, gap, markersize=3, **style)
    for axis, label in ((left, "rounds"), (right, "seconds")):
        axis.axhline(_GOAL, color="black", linewidth=0.6)
        axis.set(xlabel=label, yscale="log", ylim=(3e-5, 3.0))
        axis.grid(alpha=0.25)
    left.set(ylabel="gap (dashed: distance)", xscale="log")
    left.legend(fontsize=7, loc="lower left")
    right.legend(fontsize=7)
    figure.savefig(path, metadata={"Date": None})
