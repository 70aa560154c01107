"""The interior point on all workers at once: the same predictor-corrector iteration, its sums taken over all shards.

Every shard runs `CentralPath.advancing` on its own rows. Where that needs a sum over all rows, the shards send
their shares, and the client adds them up and answers: D x D once an iteration (the normal matrix, which the client
factorises), vectors of length D a few times, single numbers otherwise.
Ferris and Munson, SIAM J. Optim. 13 (2002), section 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from separatrix.dask.cluster import ShardsReplaced
from separatrix.dask.descent import cluster_rows, problem_rows
from separatrix.dask.rows import ClusterRows
from separatrix.dask.shard_path import AT_COST, UNDECIDED
from separatrix.problem import Point, Problem
from separatrix.problem.problem import relative_gap
from separatrix.solvers.interior_point.crossover import Corner, crossover
from separatrix.solvers.interior_point.normal_equations import back_substitute, scaled_cholesky
from separatrix.solvers.interior_point.tuning import Tuning
from separatrix.solvers.loop.protocol import Progress, Verdict
from separatrix.solvers.loop.stall import Stall
from separatrix.types import Vector


@dataclass
class State:
    """State of the path, and the factor of the last normal matrix."""

    rows: ClusterRows
    R: Vector
    z: Vector  # point of the best primal value
    primal: float = math.inf
    dual: float = -math.inf
    stall: Stall = field(default_factory=lambda: Stall(Tuning().stall_steps))
    broken: bool = False
    rebuilt: int = 0  # shards that had been rebuilt when the path began
    factor: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    sizes: Vector = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True)
class ClusterInteriorPoint:
    """The solver; its path starts at z = 0, or at the proposed w and b."""

    name: ClassVar[str] = "interior-point"
    releases_gil: ClassVar[bool] = False

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> State:
        """Hand out labels and costs, and find the first central point."""
        rows, d = cluster_rows(problem), problem.n_columns
        R = np.ones(d + (problem.bias != "none"))
        z = np.zeros(len(R))
        if problem.bias == "free":
            R[-1] = 0.0
        if start is not None and start.w is not None:
            z[:d] = start.w
            z[d:] = start.b or 0.0
        state = State(rows, R, z)
        rows.group.setup_calls = []
        self._begin(problem, state)
        return state

    def _begin(self, problem: Problem, state: State) -> None:
        pieces = problem_rows(problem, state.rows)
        while True:
            try:
                state.rebuilt = state.rows.group.rebuilt
                self._drive(state, "begin_path", [(piece, state.z) for piece in pieces])
            except ShardsReplaced:
                continue
            return

    def step(self, problem: Problem, state: State, tol: float) -> Progress:
        """One iteration. A rebuilt shard has lost its part of the path, which then starts anew at the present z."""
        group, shards = state.rows.group, list[Any]()
        try:
            if state.rebuilt == group.rebuilt:
                shards = self._drive(state, "advance_path")
        except ShardsReplaced:
            pass
        if state.rebuilt != group.rebuilt:
            note = f"{group.rebuilt - state.rebuilt} shards rebuilt on other workers: a new path from here"
            self._begin(problem, state)
            state.stall.reset()
            return Progress(state.primal, state.dual, note=note)
        state.broken = not all(advanced for advanced, *_ in shards)
        _, z, pulled, *_ = shards[0]
        primal = 0.5 * float(z @ (state.R * z)) + sum(loss for *_, loss, _ in shards)
        missed = float(np.sum(np.abs(pulled[state.R == 0.0]))) * (1.0 + abs(float(z[-1])))
        dual = sum(terms for *_, terms in shards) - 0.5 * float(pulled @ (state.R * pulled)) - missed
        if primal < state.primal:
            state.z, state.primal = z, primal
        state.dual = dual
        state.stall.update(state.primal - dual)
        return Progress(state.primal, dual)

    def _drive(self, state: State, method: str, arguments: list[Any] | None = None) -> list[Any]:
        """Call, add up, answer, until every shard is done."""
        group = state.rows.group
        replies = group.each(method, arguments, stateful=True)
        while replies[0][0] != "done":
            answer = self._join(state, replies[0][0], [share for _, share in replies])
            replies = group.each("answer", [(answer,)] * len(replies), stateful=True)
        return [result for _, result in replies]

    def _join(self, state: State, kind: str, shares: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        if kind == "Largest":
            largest: NDArray[np.float64] = np.max(shares, axis=0)
            return largest
        total: NDArray[np.float64] = np.sum(shares, axis=0)
        if kind == "Factor":
            try:
                state.factor, state.sizes = scaled_cholesky(np.asfortranarray(total))
            except np.linalg.LinAlgError:
                return np.zeros(1)
            return np.ones(1)
        return back_substitute(state.factor, state.sizes, total) if kind == "Solve" else total

    def terminate(self, problem: Problem, state: State, tol: float) -> Verdict:
        """Check once the estimated gap is within tol; give up when it no longer falls."""
        if state.broken or state.stall.stalled:
            return Verdict.STALLED
        return Verdict.CHECK if relative_gap(state.primal, state.dual) <= tol else Verdict.GO_ON

    def rejected(self, problem: Problem, state: State, tol: float) -> None:
        """Go on: the next steps may bring the gap further down, and if rounding keeps it they are a stall."""

    def point(self, problem: Problem, state: State) -> Point:
        """The exact corner, if few rows are still undecided; else the path's alphas and the best z.

        A corner is the same wherever the rows are: then a cluster and one machine end in the same point.
        """
        rows = state.rows
        while True:
            try:
                corner = None if problem.loss.squared else self._corner(problem, state)
                if corner is not None and corner.gap <= max(0.0, state.primal - state.dual):
                    z = corner.z if corner.primal <= state.primal else state.z
                    return _point(problem, corner.alpha, z)
                pieces = rows.group.each("alpha", stateful=True)
            except ShardsReplaced:
                self._begin(problem, state)
                self.step(problem, state, 0.0)
                continue
            return _point(problem, rows.collect(pieces), state.z)

    def _corner(self, problem: Problem, state: State) -> Corner | None:
        rows = state.rows
        replies = rows.group.each("settled", stateful=True)
        settled = rows.collect(replies)
        free = np.flatnonzero(settled & UNDECIDED)
        if not 0 < len(free) <= Tuning().free_per_column * len(state.z):
            return None
        bounds: Vector = np.where(settled & AT_COST, problem.C, 0.0)
        return crossover(problem, bounds, state.z, free, _brought_here)


def _brought_here(problem: Problem, few: NDArray[np.intp]) -> Problem:
    some = problem.take(few)
    return replace(some, X=cluster_rows(some).fetch())


def _point(problem: Problem, alpha: Vector, z: Vector) -> Point:
    return Point(alpha, z[: problem.n_columns].copy(), 0.0 if problem.bias == "none" else float(z[-1]))
