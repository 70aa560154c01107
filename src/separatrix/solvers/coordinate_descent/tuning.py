"""The numbers that steer coordinate descent. None changes what is proved, only how soon.

"Without" and "with" are processor time relative to these numbers, the geometric mean over 147 cells of 17 sets that
nothing was tuned on: `python -m benchmarks.ablation descent`, benchmarks/ABLATION.md.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tuning:
    """Handed to the compiled core as it is."""

    #: Epochs in a step, at most: each step is a line of the history, and small problems need thousands of epochs.
    epochs_per_step: int = 8
    #: Entries of rows read in a step, at most, in a few hundredths of a second: Ctrl-C is noticed between steps.
    entries_per_step: float = 2e7
    #: Rows that lie together in memory and are visited one after the other; the runs come in random order. Longer
    #: runs are read faster, an order closer to chance needs fewer passes. With 1: 1.05, with 8: 1.07.
    run_length: int = 2
    #: Bytes of rows beyond which they come from memory, and rows in a run there. With runs of 2: 1.15 on made-up rows
    #: of 46 to 58 MB, 1.00 to 1.06 on those of 5 to 14 MB.
    cached_bytes: int = 1 << 24
    long_run: int = 8
    #: Bytes of a run where rows are in a mapped file, so that a disk reads them in one piece.
    mapped_run: int = 1 << 20
    #: Rows firmly at a bound become inactive. Without: 2.20.
    shrink: bool = True
    #: Multiple of the root mean square of the gradients of rows that move, beyond which a larger one is an outlier
    #: that does not keep other rows active. Without: 1.03, on the text sets of the benchmark 1.08.
    outlier: float = 3.0
    #: Visits to each row, on average over all rows, after which the gap of the inactive ones is measured. A row that
    #: became inactive by mistake, found when all others have settled, undoes much of the work. Without: 1.07.
    inactive_visits: float = 16.0
    #: Part of the gap (or of tol, if that is more) from which on the inactive rows that have it become active again.
    #: With 0.1: 1.00. With 0 a copy would be given up for a row that is wrong by a rounding error.
    inactive_share: float = 0.01
    #: A tol below this is the aim of a small problem: inactive rows are measured before a proof, because one that finds
    #: less than the aim but enough for the user's tol ends the run (tests/svm/test_svc_inputs.py, test_memmap).
    last_digits: float = 1e-9
    #: Last moves whose span is searched for the exact maximum. Without: 2.58, and one fit does not end in 2.5 s in
    #: place of 5 ms. With 2: 1.03, and one fit takes 20 times as long.
    moves: int = 5
    #: Epochs from one such search to the next. With 1: 1.12.
    epochs_per_acceleration: int = 2
    #: Go on with a copy of the active rows, close together in memory, their columns numbered anew. Without: 1.39.
    copy: bool = True
    #: Part of the rows below which the active ones are copied, from dense rows or from a copy; of sparse rows the
    #: first copy is made whatever their number. Without: 1.27.
    copy_below: float = 1 / 3
    #: Passes since all rows were active after which copies and the search pay. With 1: 1.08.
    slow_after: int = 8
    #: Weight of s^2 in the method of multipliers, relative to the mean squared norm of the rows. A tenth of it: 1.19,
    #: and one fit does not end in 2.5 s in place of 1 ms. Ten times as much: 1.11.
    penalty: float = 0.03
    #: Factor on the estimate that is worth a proof, after each proof that failed although all rows were measured.
    #: Without: 1.01; but proofs of a gap that falls slowly could fail often enough to count as a stall.
    check_factor: float = 0.7
    #: Epochs in which neither the gap falls by a tenth nor the dual rises by tol^2 that count as a stall. With 1000 and
    #: 3000 ill-conditioned problems end the same (test_a_run_that_creeps_is_not_given_up).
    patience: int = 300
