"""Coordinate descent in rounds: every shard improves its rows, the client finds the best step in a small space.

    sent       the step from the last proposals, and the w and b expected after it
    received   v_k = sum_{i in k} alpha_i y_i x_i and sums after that step; a new proposal, and its share of the small
               space

A round is one exchange. The expected w is wrong by what was clipped at the bounds of other shards' alphas; the v_k that
come back are complete and right, so the dual value is that of the alphas on the workers, and a reply received twice, or
lost, does no harm. A step that made things worse is undone. A reply also has the loss at the w that was sent, and with
the sums of the alphas that gives the gap: no pass over the data is made for it. A shard that is rebuilt goes on from
the alphas of the last checkpoint.
See `solvers.cocoa` for the problem that a shard solves, `solvers.coordinate_descent` for the treatment of the bias.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from separatrix.dask.cluster import ShardsReplaced
from separatrix.dask.rounds import Round, best_step
from separatrix.dask.rows import ClusterRows
from separatrix.dask.shard import ProblemRows, Step
from separatrix.problem import Point, Problem
from separatrix.problem.problem import relative_gap
from separatrix.solvers.cocoa.solver import BlockSums
from separatrix.solvers.cocoa.subspace import combination
from separatrix.solvers.loop.protocol import Progress, Verdict
from separatrix.types import Vector

#: kappa relative to the mean squared norm of the rows, as on one machine.
_PENALTY = 0.03
#: Rounds without a better gap that count as a stall.
_PATIENCE = 100
#: Loss relative to the dual value up to which a step is not undone: it is rounding.
_ROUNDING = 1e-13


@dataclass
class State:
    """State of a descent: what is sent next, and the results of the last round."""

    rows: ClusterRows
    checkpoint: list[Vector | None]  # alphas of each shard, some rounds old
    penalty: float
    kappa: float
    scale: float  # mean squared norm of the rows; 0 without a bias
    centre: float = 0.0
    w: Vector = field(default_factory=lambda: np.zeros(0))  # expected after the step, as is s
    s: float = 0.0
    how: Step = "stay"
    coefficients: list[Vector] = field(default_factory=list)  # of each shard's step
    proposed: BlockSums | None = None  # sums of all shards' proposals, from which the step began
    best_w: Vector = field(default_factory=lambda: np.zeros(0))  # w of the best primal value, with best_b
    best_b: float = 0.0
    primal: float = np.inf
    dual: float = -np.inf
    best: float = np.inf
    best_at: int = 0
    rounds: int = 0
    safety: float = 1.0
    rebuilt: int = 0  # shards that had been rebuilt when w was last added up

    @property
    def bias(self) -> float:
        """b = centre + kappa s."""
        return self.centre + self.kappa * self.s


@dataclass(frozen=True)
class ClusterDescent:
    """Settings: seed, epochs of a shard in one round, rounds between two checkpoints, mean ||x_i||^2."""

    scale: float
    seed: int = 0
    epochs: int = 5
    checkpoint_every: int = 5

    name: ClassVar[str] = "coordinate-descent"
    releases_gil: ClassVar[bool] = False

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> State:
        """Begin at alpha = 0, or at the start's."""
        rows = cluster_rows(problem)
        biased = problem.bias != "none"
        penalty = max(_PENALTY * self.scale, 1.0 / float(problem.C.sum())) if biased else 0.0
        kappa = penalty / (1.0 + penalty) if problem.bias == "augmented" else penalty
        alphas: list[Vector | None] = [None] * len(rows.group.shares)
        if start is not None:
            alphas = list(rows.spread(np.clip(np.nan_to_num(start.alpha, nan=0.0), 0.0, problem.upper)))
        state = State(rows, alphas, penalty, kappa, self.scale if biased else 0.0)
        if start is not None and start.b is not None and biased:
            state.centre = start.b / (1.0 + penalty) if problem.bias == "augmented" else start.b
        self._begin(problem, state)
        return state

    def _begin(self, problem: Problem, state: State) -> None:
        group, sigma = state.rows.group, float(len(state.checkpoint))
        pieces = problem_rows(problem, state.rows)
        arguments = [
            (piece, sigma, state.kappa, self.seed, alpha)
            for piece, alpha in zip(pieces, state.checkpoint, strict=True)
        ]
        group.setup_calls = [("begin_descent", list(arguments))]
        self._set_start(state, group.each("begin_descent", arguments))

    def _set_start(self, state: State, sums: list[BlockSums]) -> None:
        """Begin the next round at the present alphas."""
        whole = _added(sums)
        state.rebuilt = state.rows.group.rebuilt
        state.w, state.s, state.how, state.proposed = whole.v, whole.s, "stay", None
        state.coefficients = [np.zeros(0)] * len(sums)

    def step(self, problem: Problem, state: State, tol: float) -> Progress:
        """One round."""
        group, note = state.rows.group, ""
        try:
            if state.rebuilt == group.rebuilt:
                self._round(problem, state)
        except ShardsReplaced:
            pass
        if state.rebuilt != group.rebuilt:
            # They are at their checkpoint, the others where they were: w is added up again from their alphas.
            note = f"{group.rebuilt - state.rebuilt} shards rebuilt on other workers"
            self._regroup(state)
        return Progress(state.primal, state.dual, note=note)

    def _regroup(self, state: State) -> None:
        self._set_start(state, state.rows.group.each("regroup"))

    def _round(self, problem: Problem, state: State) -> None:
        group = state.rows.group
        saving = state.rounds % self.checkpoint_every == 0
        w, b = state.w, state.bias
        arguments = [(state.how, c, w, b, self.epochs, saving) for c in state.coefficients]
        replies = group.each("round", arguments, stateful=True)
        found = [Round.unpacked(each[0] if saving else each) for each in replies]
        state.rounds += 1
        group.computed(max(each.seconds for each in found))
        if saving:
            # A copy: an array may be part of a longer message, or the worker's own if the worker is in this process.
            state.checkpoint = [np.array(alpha) for _, alpha in replies]
            method, old = group.setup_calls[0]
            renewed = [(*some[:-1], alpha) for some, alpha in zip(old, state.checkpoint, strict=True)]
            group.setup_calls = [(method, renewed)]
        start = _added([each.start for each in found])
        self._value(problem, state, start, sum(each.loss for each in found))
        self._choose(state, found, start)
        if problem.bias == "free":
            state.centre = state.bias
        elif problem.bias == "augmented":
            state.centre = state.bias / (1.0 + state.penalty)

    def _value(self, problem: Problem, state: State, start: BlockSums, loss: float) -> None:
        """Dual of the alphas, less what balancing a free bias will cost, and the best primal of a w that was sent."""
        w, b, s = state.w, state.bias, start.s
        state.dual = start.dual - 0.5 * float(start.v @ start.v)
        primal = 0.5 * float(w @ w) + loss
        if problem.bias == "augmented":
            primal += 0.5 * b * b
            state.dual -= 0.5 * s * s
        elif problem.bias == "free":
            state.dual -= b * s + 0.5 * state.scale * s * s + (abs(s) if start.room <= abs(s) else 0.0)
        if primal < state.primal:
            state.primal, state.best_w, state.best_b = primal, w, b
        gap = relative_gap(state.primal, state.dual)
        if gap < 0.9 * state.best:
            state.best, state.best_at = gap, state.rounds

    def _choose(self, state: State, found: list[Round], start: BlockSums) -> None:
        """Choose the step from these proposals, or go back to the last ones if these are worse."""
        v = start.v.copy()
        for each in found:
            v += each.proposal.change
        s, dual = sum(each.proposal.s for each in found), sum(each.proposal.dual for each in found)
        here, before = BlockSums(v, s, dual, 0.0), state.proposed
        if before is not None and state.how == "follow":
            least = self._dual_form(state, before)
            if self._dual_form(state, here) < least - _ROUNDING * abs(least):
                state.how, state.w, state.s = "back", before.v, before.s
                return
        coefficients = best_step(
            [each.span for each in found], v, state.centre + state.kappa * s, state.kappa
        )
        w = v.copy()
        for c, each in zip(coefficients, found, strict=True):
            w += combination(c, each.span.images)
            s += float(c @ each.span.s)
        state.how, state.coefficients, state.w, state.s, state.proposed = "follow", coefficients, w, s, here

    def _dual_form(self, state: State, at: BlockSums) -> float:
        """D for a fixed centre."""
        return at.dual - 0.5 * float(at.v @ at.v) - (0.5 * state.kappa * at.s + state.centre) * at.s

    def terminate(self, problem: Problem, state: State, tol: float) -> Verdict:
        """CHECK when the gap is within tol; STALLED when it has long not fallen."""
        if relative_gap(state.primal, state.dual) <= state.safety * tol:
            return Verdict.CHECK
        return Verdict.STALLED if state.rounds - state.best_at > _PATIENCE else Verdict.GO_ON

    def rejected(self, problem: Problem, state: State, tol: float) -> None:
        """Ask for the next check at a smaller estimate."""
        state.safety *= 0.7

    def point(self, problem: Problem, state: State) -> Point:
        """The present alphas, and the best w and b."""
        rows = state.rows
        while True:
            try:
                alpha = rows.collect(rows.group.each("alpha", stateful=True))
            except ShardsReplaced:
                self._regroup(state)
            else:
                return Point(alpha, state.best_w, state.best_b)


def _added(sums: list[BlockSums]) -> BlockSums:
    """Add up the sums of all shards."""
    v = sums[0].v.copy()
    for each in sums[1:]:
        v += each.v
    s, dual, room = (sum(getattr(each, name) for each in sums) for name in ("s", "dual", "room"))
    return BlockSums(v, s, dual, room)


def cluster_rows(problem: Problem) -> ClusterRows:
    """X of a problem whose rows are on workers."""
    X = problem.X
    assert isinstance(X, ClusterRows)
    return X


def problem_rows(problem: Problem, rows: ClusterRows) -> list[ProblemRows]:
    """The binary problem as each shard gets it."""
    signs, costs = rows.spread(problem.y.astype(np.int8)), rows.spread(problem.C)
    return [
        ProblemRows(y, _one_or_all(C), problem.loss.name, problem.bias, picks)
        for y, C, picks in zip(signs, costs, rows.picks(), strict=True)
    ]


def _one_or_all(C: Vector) -> Vector | float:
    return float(C[0]) if len(C) and np.all(C[0] == C) else C
