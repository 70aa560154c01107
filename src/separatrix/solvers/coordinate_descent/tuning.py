"""The numbers that steer coordinate descent. None changes what is proved, only how soon.

Gains are geometric means of CPU time on sets that nothing was tuned on, without the part over with it, measured with
the version before this record (`python -m benchmarks.ablation` measures the present one).
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Tuning:
    """Handed to the compiled core as it is."""

    #: Epochs in a step, at most: the history has a line for each step.
    epochs_per_step: int = 8
    #: Entries of rows read in a step, at most: about a tenth of a second between looks at Ctrl-C and limits.
    entries_per_step: float = 2e7
    #: Rows that lie together in memory and are visited one after the other; runs come in random order.
    run_length: int = 2
    #: Bytes of such a run where rows are in a mapped file, so that a disk reads in large pieces.
    mapped_run: int = 1 << 20
    #: Rows firmly at a bound become inactive.
    shrink: bool = True
    #: A row stays active if its gradient is below this many times the mean of those that moved (a single outlier would
    #: otherwise keep every row active).
    outlier: float = 3.0
    #: Visits to each row, on average, after which the gap of the inactive rows is measured. A row that became inactive
    #: by mistake is otherwise found by a rejected proof at the end, and undoes most of the work.
    inactive_visits: float = 16.0
    #: Part of tol and of the gap that inactive rows may have before they become active again.
    inactive_share: float = 0.01
    #: Last moves that span the subspace of the exact step. Without the step: 2.3.
    moves: int = 5
    #: Epochs from one exact step to the next.
    epochs_per_acceleration: int = 2
    #: Go on with a copy of the active rows, columns numbered anew, where they are few. Without: 1.25.
    copy: bool = True
    #: Part of all entries below which the active rows are worth a copy.
    copy_below: float = 1 / 3
    #: Passes after which a problem counts as slow, so that exact steps and copies pay.
    slow_after: int = 8
    #: Weight of the bias in the method of multipliers, relative to the mean squared norm of the rows.
    penalty: float = 0.03
    #: Factor on the estimate that is worth a proof, after a proof that failed with every row active.
    check_factor: float = 0.7
    #: Epochs without a fall of the gap by a tenth that count as a stall.
    patience: int = 300

    def in_place(self) -> Tuning:
        """Return the same numbers without copies of rows."""
        return replace(self, copy=False)
