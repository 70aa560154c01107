"""Two classes, Kesler's construction, or one class against the rest: the problems of one fit."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.deferred import Deferred
from separatrix.perceptron.parameters import Choice
from separatrix.perceptron.result import Names, PerceptronResult, solve
from separatrix.perceptron.state import LabelledRows, measure_rows
from separatrix.problem.kernels import Kernel
from separatrix.problem.mistakes import MistakeRecord
from separatrix.proof.fingerprint import fingerprint
from separatrix.types import Matrix


def fit_problems(
    X: Matrix,
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    kernel: Kernel,
    choice: Choice,
    previous: list[Any] | None,
    verbose: bool,
) -> dict[Any, PerceptronResult]:
    """The result of each problem by name: the positive class, or all classes for Kesler."""
    _check_rows(X, kernel, choice)
    constant = column_constant(X, kernel, choice.bias)
    names, y = classes.tolist(), Deferred(lambda: classes[codes])
    source = Deferred(lambda: fingerprint(X, y.get()))
    before = previous or [None] * len(names)

    def one(positive: int, place: int, limits: Choice) -> PerceptronResult:
        signs = 2 * (codes == positive).view(np.int8) - np.int8(1)
        rest = tuple(name for code, name in enumerate(names) if code != positive)
        sides = Names((names[positive],), rest, y)
        rows = LabelledRows(X, signs, constant)
        show = _line(repr(names[positive])) if verbose else None
        return solve(rows, sides, kernel, limits, 2, source, before[place], show)

    if len(names) == 2:
        return {names[1]: one(1, 0, choice)}
    if choice.multi_class == "kesler":
        rows = LabelledRows(X, codes.astype(np.int32), constant)
        show = _line("all classes") if verbose else None
        sides = Names(tuple(names), (), y)
        return {tuple(names): solve(rows, sides, kernel, choice, len(names), source, before[0], show)}
    began, results = time.perf_counter(), {}
    for code, name in enumerate(names):
        limits = choice
        if choice.max_time is not None:
            left = max(1e-3, choice.max_time - (time.perf_counter() - began))
            limits = replace(choice, max_time=left / (len(names) - code))
        results[name] = one(code, code, limits)
    return results


def column_constant(X: Matrix, kernel: Kernel, bias: str) -> float:
    """c: the value of the fictitious column that carries the bias."""
    if bias != "radius":
        return 1.0 if bias == "unit" else 0.0
    squared = (
        measure_rows(X)[1] if kernel.name == "linear" else float(np.max(kernel.diagonal(X), initial=0.0))
    )
    return float(np.sqrt(squared)) or 1.0  # rows that are all zero: any constant will do


def _check_rows(X: Matrix, kernel: Kernel, choice: Choice) -> None:
    start = choice.settings.start
    if start is not None and start >= X.shape[0]:
        raise ValueError(f"start must be the number of a row, 0 .. {X.shape[0] - 1}; got {start}.")
    if kernel.name == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"kernel='precomputed' needs a square X, one value for each pair of rows; got shape {X.shape}."
        )


def _line(name: str) -> Callable[[MistakeRecord], None]:
    def show(record: MistakeRecord) -> None:
        sys.stderr.write(
            f"Perceptron {name}: pass {record.epoch}, {record.mistakes} mistakes, {record.updates} updates, "
            f"{record.time:.2f} s\n"
        )

    return show
