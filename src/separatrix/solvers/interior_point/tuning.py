"""The numbers of the interior point, each with its unit, why it is there, and what it gains.

The sample, the bands and the merging of equal rows together take 2.0 times less time on data they were not tuned on and
4.7 times less on the benchmark's own sets; benchmarks/ABLATION.md has what was measured.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RowTuning:
    """Numbers of the products with rows: which copy is made, and how many rows are taken at a time."""

    #: Bytes of a block of rows: it shares the second-level cache with its scaled copy.
    block_bytes: int = 1 << 18
    #: Bytes that may be copied.
    copied_bytes: int = 1 << 25
    #: Multiplications of SYRK in the time of one scattered product of two entries of a sparse row.
    pair_cost: float = 40.0
    #: Rows whose products are taken together, between two readings of the clock: a vector of them is 512 KiB.
    span: int = 1 << 16
    #: Columns up to which the compiled normal matrix is faster than SYRK on copies of the rows.
    few_columns: int = 128


@dataclass(frozen=True)
class Tuning:
    """Numbers of the solver itself: the path, its sample and bands, and the corner at the end."""

    rows: RowTuning = RowTuning()

    #: Part of the way to the nearest bound that a step may go (Mehrotra): a point on a bound has no next step.
    to_boundary: float = 0.995
    #: Steps without a difference of primal and dual a tenth smaller that are a stall. On columns of units from 1e-2 to
    #: 1e9 the first steps stand still for up to eight (tests/solvers/test_second_order.py, columns of all sizes).
    stall_steps: int = 10

    #: Part of the rows that may remain for merging equal ones to pay: beyond it the search is lost.
    merged_share: float = 0.8
    #: Rows up to which all are solved at once: a sample would save nothing.
    few_rows: int = 3000
    #: Relative gaps to which the sample and a band are solved before all rows are read.
    loose_sample: float = 1e-2
    loose_band: float = 1e-5
    #: Times sqrt(D / sample): the part of all rows that the first band has.
    band_share: float = 3.0
    #: Undecided rows for each column for whose corner is solved: more of them cost as much as the path.
    free_per_column: int = 4

    #: Times C: alpha above this part of its slack, and C - alpha of xi, leaves a row undecided.
    undecided: float = 0.03
    #: Steps on the corner's rows without half the gap that end them.
    corner_stall: int = 3
