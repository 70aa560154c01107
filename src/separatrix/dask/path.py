"""The interior point on all workers at once: the same predictor-corrector iteration, its sums taken over all shards.

Every shard runs `CentralPath.advancing` on its own rows. Where that asks for a sum over all rows, the shards send their
shares, the client joins them and answers: D x D once an iteration (the normal matrix, which the client factorises),
vectors of length D a few times, single numbers otherwise. Ferris and Munson, SIAM J. Optim. 13 (2002), section 4.
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

_FEW_FREE = 600  # undecided rows that are few enough to be brought to the client


@dataclass
class State:
    """Where the path is, and the factor of the last normal matrix."""

    rows: ClusterRows
    R: Vector
    z: Vector  # of the best primal value
    primal: float = math.inf
    dual: float = -math.inf
    stall: Stall = field(default_factory=lambda: Stall(Tuning().stall_steps))
    broken: bool = False
    n_rejected: int = 0
    rebuilt: int = 0  # how many shards had been rebuilt when the path began
    factor: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    sizes: Vector = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True)
class ClusterInteriorPoint:
    """No settings: the path starts at z = 0, or at the proposed w and b."""

    name: ClassVar[str] = "interior-point"
    releases_gil: ClassVar[bool] = False
    ends_inside_bounds: ClassVar[bool] = False

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
        rows.gang.prologue = []
        self._begin(problem, state)
        return state

    def _begin(self, problem: Problem, state: State) -> None:
        pieces = problem_rows(problem, state.rows)
        while True:
            try:
                state.rebuilt = state.rows.gang.rebuilt
                self._drive(state, "begin_path", [(piece, state.z) for piece in pieces])
            except ShardsReplaced:
                continue
            return

    def step(self, problem: Problem, state: State, tol: float) -> Progress:
        """One iteration. A rebuilt shard has lost its part of the path, which then starts anew at the present z."""
        gang, standing = state.rows.gang, list[Any]()
        try:
            if state.rebuilt == gang.rebuilt:
                standing = self._drive(state, "advance_path", [()] * len(gang.partitions))
        except ShardsReplaced:
            pass
        if state.rebuilt != gang.rebuilt:
            note = f"{gang.rebuilt - state.rebuilt} shards rebuilt on other workers: a new path from here"
            self._begin(problem, state)
            state.stall.reset()
            return Progress(state.primal, state.dual, note=note)
        state.broken = not all(advanced for advanced, *_ in standing)
        _, z, pulled, *_ = standing[0]
        primal = 0.5 * float(z @ (state.R * z)) + sum(loss for *_, loss, _ in standing)
        missed = float(np.sum(np.abs(pulled[state.R == 0.0]))) * (1.0 + abs(float(z[-1])))
        dual = sum(terms for *_, terms in standing) - 0.5 * float(pulled @ (state.R * pulled)) - missed
        if primal < state.primal:
            state.z, state.primal = z, primal
        state.dual = dual
        state.stall.update(state.primal - dual)
        return Progress(state.primal, dual)

    def _drive(self, state: State, method: str, arguments: list[Any]) -> list[Any]:
        """Ask, join, answer, until every shard is done."""
        gang = state.rows.gang
        replies = gang.each(method, arguments, stateful=True)
        while replies[0][0] != "done":
            answer = self._join(state, replies[0][0], [share for _, share in replies])
            replies = gang.each("answer", [(answer,)] * len(replies), stateful=True)
        return [standing for _, standing in replies]

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
        if relative_gap(state.primal, state.dual) <= tol:
            return Verdict.CHECK if state.n_rejected < Tuning().checks else Verdict.STALLED
        return Verdict.STALLED if state.broken or state.stall.stalled else Verdict.GO_ON

    def rejected(self, problem: Problem, state: State, tol: float) -> None:
        """Count the checks that failed: the estimate is then wrong by rounding."""
        state.n_rejected += 1

    def point(self, problem: Problem, state: State) -> Point:
        """The exact corner, if rows that are yet undecided are few; else the path's alphas and the best z.

        A corner is the same wherever the rows are: then a cluster and one machine end in the same point.
        """
        rows = state.rows
        while True:
            try:
                corner = None if problem.loss.squared else self._corner(problem, state)
                if corner is not None and corner.gap <= max(0.0, state.primal - state.dual):
                    z = corner.z if corner.primal <= state.primal else state.z
                    return _point(problem, corner.alpha, z)
                pieces = rows.gang.each("alpha", [()] * len(rows.gang.partitions), stateful=True)
            except ShardsReplaced:
                self._begin(problem, state)
                self.step(problem, state, 0.0)
                continue
            return _point(problem, rows.collect(pieces), state.z)

    def _corner(self, problem: Problem, state: State) -> Corner | None:
        rows = state.rows
        replies = rows.gang.each("settled", [()] * len(rows.gang.partitions), stateful=True)
        settled = rows.collect(replies)
        free = np.flatnonzero(settled & UNDECIDED)
        if not 0 < len(free) <= max(_FEW_FREE, 4 * len(state.z)):
            return None
        bounds: Vector = np.where(settled & AT_COST, problem.C, 0.0)
        return crossover(problem, bounds, state.z, free, _brought_here)


def _brought_here(problem: Problem, few: NDArray[np.intp]) -> Problem:
    some = problem.take(few)
    return replace(some, X=cluster_rows(some).fetch())


def _point(problem: Problem, alpha: Vector, z: Vector) -> Point:
    return Point(alpha, z[: problem.n_columns].copy(), 0.0 if problem.bias == "none" else float(z[-1]))
