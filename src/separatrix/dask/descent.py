"""Coordinate descent in rounds: every shard improves its rows, the client finds the best step along the last moves.

    round    w, b out; proposals back: v_k = sum_{i in k} alpha_i y_i x_i, sums, and what the last moves are worth
    step     coefficients out, v_k back;  w = sum_k v_k

v_k is always complete, so that a reply heard twice, or lost, does no harm: w is whatever the alphas on the workers make
it. The loss at the w that went out comes with the round, and with the sums of the alphas behind that w it is the gap:
no pass over the data is made for it. A shard that is rebuilt goes on from the alphas of the last checkpoint.
See `solvers.block_descent` for the problem a shard solves, `solvers.coordinate_descent` for how a bias is carried.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from separatrix.dask.gang import ShardsReplaced
from separatrix.dask.rows import ClusterRows
from separatrix.dask.shard import ProblemRows, Round
from separatrix.problem import Point, Problem
from separatrix.problem.losses import Vector
from separatrix.problem.problem import relative_gap
from separatrix.solvers.block_descent import BlockSums
from separatrix.solvers.protocol import Progress, Verdict

_PENALTY = 0.03  # kappa relative to the mean squared norm of the rows, as on one machine
_LENGTHS = (1.0, 1.0 / 3.0, 1.0 / 9.0)  # of the step along the last moves: clipping may spoil a long one
_PATIENCE = 100  # rounds without a better gap that count as a stall
_SINGULAR = 1e-10  # of the small problem's matrix, relative


@dataclass
class State:
    """Where a descent is: w and b, the sums behind them, and what the last round said of them."""

    rows: ClusterRows
    sums: list[BlockSums]
    checkpoint: list[Vector | None]  # alphas of each shard, some rounds old
    penalty: float
    kappa: float
    scale: float  # mean squared norm of the rows; 0 without a bias
    centre: float = 0.0
    w: Vector = field(default_factory=lambda: np.zeros(0))
    s: float = 0.0
    best_w: Vector = field(default_factory=lambda: np.zeros(0))  # of the primal value, and best_b
    best_b: float = 0.0
    primal: float = np.inf
    dual: float = -np.inf
    best: float = np.inf
    best_at: int = 0
    rounds: int = 0
    safety: float = 1.0
    rebuilt: int = 0  # how many shards had been rebuilt when w was last added up

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

    @property
    def name(self) -> str:
        """As in ``SVC(solver=...)``."""
        return "coordinate-descent"

    def init(self, problem: Problem, start: Point | None, n_threads: int) -> State:
        """alpha = 0, or the start's."""
        rows = cluster_rows(problem)
        biased = problem.bias != "none"
        penalty = max(_PENALTY * self.scale, 1.0 / float(problem.C.sum())) if biased else 0.0
        kappa = penalty / (1.0 + penalty) if problem.bias == "augmented" else penalty
        alphas: list[Vector | None] = [None] * len(rows.gang.partitions)
        if start is not None:
            alphas = list(rows.spread(np.clip(np.nan_to_num(start.alpha, nan=0.0), 0.0, problem.upper)))
        state = State(rows, [], alphas, penalty, kappa, self.scale if biased else 0.0)
        if start is not None and start.b is not None and biased:
            state.centre = start.b / (1.0 + penalty) if problem.bias == "augmented" else start.b
        self._begin(problem, state)
        return state

    def _begin(self, problem: Problem, state: State) -> None:
        gang, sigma = state.rows.gang, float(len(state.checkpoint))
        pieces = problem_rows(problem, state.rows)
        arguments = [
            (piece, sigma, state.kappa, self.seed, alpha)
            for piece, alpha in zip(pieces, state.checkpoint, strict=True)
        ]
        gang.prologue = [("begin_descent", list(arguments))]
        self._arrived(state, gang.each("begin_descent", arguments))

    def _arrived(self, state: State, sums: list[BlockSums]) -> None:
        state.sums, state.rebuilt = sums, state.rows.gang.rebuilt
        state.w = np.sum([each.v for each in sums], axis=0)
        state.s = sum(each.s for each in sums)

    def step(self, problem: Problem, state: State) -> Progress:
        """One round and the step that follows it."""
        gang, note = state.rows.gang, ""
        try:
            if state.rebuilt == gang.rebuilt:
                self._round(problem, state)
        except ShardsReplaced:
            pass
        if state.rebuilt != gang.rebuilt:
            # They stand at their checkpoint, the others where they were: w is what their alphas make it.
            note = f"{gang.rebuilt - state.rebuilt} shards rebuilt on other workers"
            self._arrived(state, gang.each("regroup", [()] * len(state.sums)))
        return Progress(state.primal, state.dual, note)

    def _round(self, problem: Problem, state: State) -> None:
        gang = state.rows.gang
        saving = state.rounds % self.checkpoint_every == 0
        w, b = state.w, state.bias
        found: list[Round] = gang.each(
            "improve", [(w, b, self.epochs, saving)] * len(state.sums), stateful=True
        )
        state.rounds += 1
        gang.computed(max(each.seconds for each in found))
        if saving:
            state.checkpoint = [each.alpha for each in found]
            method, arguments = gang.prologue[0]
            gang.prologue = [
                (method, [(*old[:-1], alpha) for old, alpha in zip(arguments, state.checkpoint, strict=True)])
            ]
        self._value(problem, state, sum(each.loss for each in found))
        proposals = [each.proposal for each in found]
        target = self._dual_form(state, proposals)
        coefficients = self._best_step(state, found)
        for length in _LENGTHS:
            sums = gang.each("move", [(length * coefficients,)] * len(found), stateful=True)
            if self._dual_form(state, sums) > target:
                break
        else:
            sums = gang.each("move", [(np.zeros(0),)] * len(found), stateful=True)
        self._arrived(state, sums)
        if problem.bias == "free":
            state.centre = state.bias
        elif problem.bias == "augmented":
            state.centre = state.bias / (1.0 + state.penalty)

    def _value(self, problem: Problem, state: State, loss: float) -> None:
        """Dual at the w and b that went out, up to what balancing a free bias will cost, and the best primal so far."""
        w, b, s = state.w, state.bias, state.s
        square = float(w @ w)
        state.dual = sum(each.dual for each in state.sums) - 0.5 * square
        primal = 0.5 * square + loss
        if problem.bias == "augmented":
            primal += 0.5 * b * b
            state.dual -= 0.5 * s * s
        elif problem.bias == "free":
            room = sum(each.room for each in state.sums)
            state.dual -= b * s + 0.5 * state.scale * s * s + (abs(s) if room <= abs(s) else 0.0)
        if primal < state.primal:
            state.primal, state.best_w, state.best_b = primal, w, b
        gap = relative_gap(state.primal, state.dual)
        if gap < 0.9 * state.best:
            state.best, state.best_at = gap, state.rounds

    def _dual_form(self, state: State, sums: list[BlockSums]) -> float:
        """D, the centre held fixed."""
        v: Vector = np.sum([each.v for each in sums], axis=0)
        s = sum(each.s for each in sums)
        return float(
            sum(each.dual for each in sums) - 0.5 * (v @ v) - (0.5 * state.kappa * s + state.centre) * s
        )

    def _best_step(self, state: State, found: list[Round]) -> Vector:
        """The maximiser of D on the span of the last moves around the proposals; bounds aside."""
        v = np.sum([each.proposal.v for each in found], axis=0)
        b = state.centre + state.kappa * sum(each.proposal.s for each in found)
        images: NDArray[np.float64] = np.sum([each.span.images for each in found], axis=0, dtype=np.float64)
        s = np.sum([each.span.s for each in found], axis=0)
        slope = np.sum([each.span.slope for each in found], axis=0) - images @ v - b * s
        H = np.sum([each.span.curvature for each in found], axis=0) + images @ images.T
        H += state.kappa * np.outer(s, s)
        size = 1.0 / np.sqrt(np.maximum(H.diagonal(), np.finfo(float).tiny))
        scaled: Vector = np.linalg.lstsq(H * size * size[:, None], size * slope, rcond=_SINGULAR)[0]
        step: Vector = size * scaled
        return step

    def terminate(self, problem: Problem, state: State, tol: float) -> Verdict:
        """CHECK when the gap is within tol; STALLED when it has long not fallen."""
        if relative_gap(state.primal, state.dual) <= state.safety * tol:
            state.safety *= 0.7  # in force only if this check fails
            return Verdict.CHECK
        return Verdict.STALLED if state.rounds - state.best_at > _PATIENCE else Verdict.GO_ON

    def point(self, problem: Problem, state: State) -> Point:
        """The alphas as they are now, and the best w and b."""
        rows = state.rows
        while True:
            try:
                alpha = rows.collect(rows.gang.each("alpha", [()] * len(state.sums), stateful=True))
            except ShardsReplaced:
                self._arrived(state, rows.gang.each("regroup", [()] * len(state.sums)))
            else:
                return Point(alpha, state.best_w, state.best_b)


def cluster_rows(problem: Problem) -> ClusterRows:
    """X of a problem whose rows are on workers."""
    X = problem.X
    assert isinstance(X, ClusterRows)
    return X


def problem_rows(problem: Problem, rows: ClusterRows) -> list[ProblemRows]:
    """What each shard must know of a binary problem."""
    signs, costs = rows.spread(problem.y.astype(np.int8)), rows.spread(problem.C)
    return [
        ProblemRows(y, C, problem.loss.name, problem.bias, picks)
        for y, C, picks in zip(signs, costs, rows.picks(), strict=True)
    ]
