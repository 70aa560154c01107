"""Dual coordinate descent for the soft-margin linear SVM, made to reach high accuracy.

    max_alpha  sum_i dual_term(alpha_i) - 1/2 ||w||^2 [- 1/2 s^2 if the bias is augmented]
    s.t.       0 <= alpha_i <= upper_i,  s = 0 if the bias is free
    with       w = sum_i alpha_i y_i x_i,  s = sum_i alpha_i y_i

One step is a few epochs of the compiled core, bounded in time. An epoch visits every active row once: alpha_i
moves to the best value with all others fixed, and w follows. Rows that sit firmly at a bound are left out
(shrinking) and looked at again before the gap is believed. Every second epoch the dual is maximised exactly
over the span of the last few moves.

Hsieh et al., A dual coordinate descent method for large-scale linear SVM, ICML 2008, Algorithm 3.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from separatrix import _core
from separatrix.problem import Point, Problem
from separatrix.solvers.protocol import Progress, Verdict

_STEP_SECONDS = 0.1
_DOUBLE_BELOW = 2e-4  # relative gap below which w is kept in float64
_EXACT_BELOW = 3e-7  # relative gap below which float64 data are read as such


@dataclass
class State:
    """The compiled descent, the last report and what the next steps aim at."""

    descent: Any
    complete: bool = True  # the next epoch visits every row
    gap: float = np.inf
    primal: float = np.inf
    dual: float = -np.inf
    proven: bool = False
    tol: float = 0.0
    safety: float = 1.0
    epochs: int = 0
    asked: int = -1
    log: list = field(default_factory=list)


@dataclass(frozen=True)
class CoordinateDescent:
    """Settings: the seed of the visiting order, and whether rows at a bound are left out."""

    seed: int = 0
    shrink: bool = True
    chunk: int = 32
    period: int = 2
    memory: int = 5

    @property
    def name(self) -> str:
        """Short name."""
        return "coordinate-descent"

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> State:
        """Begin at alpha = 0, or at ``start`` clipped to its bounds."""
        kappa = {"none": 0.0, "augmented": 1.0, "free": 1.0}[problem.bias]
        X = problem.X
        rows = (
            _core.sparse_rows(X.data, X.indices, X.indptr, X.shape[1])
            if problem.is_sparse
            else _core.dense_rows(X)
        )
        descent = rows.descent(
            problem.y, problem.C, problem.loss.squared, self.shrink, kappa, self.seed, n_threads,
            self.chunk, self.period, self.memory,
        )
        if start is not None:
            descent.set_alpha(np.nan_to_num(start.alpha))
        return State(descent)

    def step(self, problem: Problem, state: State) -> Progress:
        """Epochs until the gap seems reached or a tenth of a second has passed."""
        began = time.perf_counter()
        while True:
            self._epoch(problem, state)
            relative = state.gap / max(state.primal, 1e-300)
            if relative <= state.tol * state.safety:
                if state.complete:
                    state.proven = True
                    break
                state.descent.unshrink()
                state.complete = True
            if state.tol == 0.0 or time.perf_counter() - began > _STEP_SECONDS:
                break
        return Progress(state.primal, state.dual)

    def _epoch(self, problem: Problem, state: State) -> None:
        report = state.descent.epoch()
        state.epochs = report.epochs
        state.complete = report.active == problem.n_rows
        state.gap = report.gap
        state.dual = report.dual
        state.primal = state.dual + state.gap
        relative = state.gap / max(state.primal, 1e-300)
        if relative < _EXACT_BELOW:
            state.descent.refine(2)
        elif relative < _DOUBLE_BELOW:
            state.descent.refine(1)
        state.log.append((report.epochs, report.active, relative, report.dual, report.steps, report.precision))

    def terminate(self, problem: Problem, state: State, tol: float) -> Verdict:
        """CHECK once a pass over every row estimates a gap within tol."""
        state.tol = tol
        if state.asked == state.epochs:
            state.safety *= 0.3
        if state.proven:
            state.proven = False
            state.asked = state.epochs
            return Verdict.CHECK
        return Verdict.GO_ON

    def point(self, problem: Problem, state: State) -> Point:
        """The current alpha; w and b are left to the proof."""
        alpha = np.empty(problem.n_rows)
        state.descent.get_alpha(alpha)
        return Point(alpha)
