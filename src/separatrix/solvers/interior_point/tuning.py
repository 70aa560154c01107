"""The numbers of the interior point, each with its unit, why it is there, and what it gains.

"Without" is the time relative to the present numbers, in the geometric mean of 120 cells of ten sets that nothing was
tuned on; benchmarks/ABLATION.md has what was measured.
"""

from __future__ import annotations

from dataclasses import dataclass

from separatrix.solvers.loop.protocol import FLOPS_PER_ENTRY


@dataclass(frozen=True)
class RowTuning:
    """Numbers of the products with rows: which copy is made, and how many rows are taken at a time."""

    #: Bytes of a block of rows: it shares the second-level cache with its scaled copy.
    block_bytes: int = 1 << 18
    #: Bytes of rows that may be copied. Without copies 1.24.
    copied_bytes: int = 1 << 25
    #: Multiplications of SYRK in the time of one scattered product of two entries of a sparse row. Without 1.25.
    pair_cost: float = FLOPS_PER_ENTRY
    #: Rows whose products are taken together, between two readings of the clock: a vector of them is 512 KiB.
    span: int = 1 << 16
    #: Columns that the compiled normal matrix can have. With SYRK in its place 1.10.
    few_columns: int = 128


@dataclass(frozen=True)
class Tuning:
    """Numbers of the solver itself: the path, its sample and bands, and the corner at the end."""

    rows: RowTuning = RowTuning()

    #: Part of the way to the nearest bound that a step may go (Mehrotra): a point on a bound has no next step.
    #: With .9 of it 1.12.
    to_boundary: float = 0.995
    #: Steps without a difference of primal and dual a tenth smaller that are a stall. On columns of units from 1e-2 to
    #: 1e9 the first steps stand still for up to eight (tests/solvers/test_second_order.py, columns of all sizes).
    stall_steps: int = 10

    #: Equal rows are merged into one. Without 1.17 on sparse rows.
    merge: bool = True
    #: Rows up to which all are solved at once: a sample would save nothing. Without samples 1.86.
    few_rows: int = 3000
    #: Relative gaps to which the sample and a band are solved before all rows are read. Both 1e-3: 1.08.
    loose_sample: float = 1e-2
    loose_band: float = 1e-5
    #: Times sqrt(D / sample): the part of all rows that the first band has. A third 1.76, three times 2.04.
    band_share: float = 3.0
    #: Undecided rows for each column for whose corner is solved: more of them cost as much as the path. Without
    #: corners .77, but no answer has its rows exactly at 0, at C or on the margin (`test_three_kinds_are_clean`).
    free_per_column: int = 4

    #: Times C: alpha above this part of its slack, and C - alpha of xi, leaves a row undecided.
    undecided: float = 0.03
    #: Steps on the corner's rows without half the gap that end them. Ten 1.11.
    corner_stall: int = 3
