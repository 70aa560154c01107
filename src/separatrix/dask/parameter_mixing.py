"""Iterative parameter mixing: every shard makes one pass of the perceptron from the same w, then the results are mixed.

    epoch n:   w_k = one pass over shard k from w, with m_k updates;    w = sum_k u_k w_k,   u_k = m_k / sum_j m_j

Shards without a mistake have no weight. An epoch without any leaves w as it is, and w separates all rows. For separable
rows of radius R (with the fictitious column) and margin g,

    sum over epochs of sum_k u_k m_k  <=  (R / g)^2,

whatever the mixing coefficients, so that the number of epochs is finite. McDonald, Hall, Mann: Distributed training
strategies for the structured perceptron, NAACL 2010, theorem 3.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from separatrix.dask.rows import ClusterRows
from separatrix.problem import Status
from separatrix.problem.mistakes import MistakeHistory, MistakeRecord
from separatrix.solvers.loop.deadline import InterruptFlag
from separatrix.types import Vector


@dataclass(frozen=True)
class MixingLimits:
    """Limits of a run, and the settings of the shards' passes."""

    max_epochs: int
    max_time: float | None
    step: float
    shuffle: bool
    seed: int


@dataclass(eq=False)
class MixedRun:
    """Result of a run: the last weights, their mean over the epochs, and the sum that the theorem bounds."""

    w: Vector
    b: float
    mean_w: Vector
    mean_b: float
    updates: int = 0
    mixed_updates: float = 0.0
    epochs: int = 0
    status: Status = Status.MAX_ITER
    records: list[MistakeRecord] = field(default_factory=list)

    @property
    def history(self) -> MistakeHistory:
        """One record for each epoch."""
        return MistakeHistory(self.records)


def mix(
    rows: ClusterRows,
    signs: NDArray[np.int8],
    constant: float,
    limits: MixingLimits,
    on_record: Callable[[MistakeRecord], None] | None = None,
) -> MixedRun:
    """Run epochs until one makes no mistake, or a limit ends the run; signs (n,) are -1 or +1."""
    group, n, d = rows.group, rows.shape[0], rows.shape[1]
    arguments = [(piece, constant, limits.step, limits.shuffle, limits.seed) for piece in rows.spread(signs)]
    group.setup_calls = [("begin_passes", list(arguments))]
    group.each("begin_passes", arguments)
    run = MixedRun(np.zeros(d), 0.0, np.zeros(d), 0.0)
    began = time.perf_counter()
    with InterruptFlag() as interrupt:
        while run.epochs < limits.max_epochs:
            # A pass depends on w and b alone: a shard that was rebuilt makes it again.
            replies = group.each("pass_over", [(run.w, run.b)] * len(arguments))
            counts = np.array([mistakes for _, _, mistakes in replies], dtype=np.float64)
            total = float(counts.sum())
            run.epochs += 1
            if total > 0:
                share = counts / total
                run.w = np.sum([u * w for u, (w, _, _) in zip(share, replies, strict=True)], axis=0)
                run.b = float(sum(u * b for u, (_, b, _) in zip(share, replies, strict=True)))
                run.updates += int(total)
                run.mixed_updates += float(share @ counts)
            run.mean_w += (run.w - run.mean_w) / run.epochs
            run.mean_b += (run.b - run.mean_b) / run.epochs
            elapsed = time.perf_counter() - began
            record = MistakeRecord(elapsed, run.epochs, run.epochs * n, int(total), run.updates, float("nan"))
            run.records.append(record)
            if on_record is not None:
                on_record(record)
            if total == 0:
                run.status = Status.CONVERGED
                break
            if interrupt.raised:
                run.status = Status.INTERRUPTED
                break
            if limits.max_time is not None and elapsed >= limits.max_time:
                run.status = Status.MAX_TIME
                break
    return run
