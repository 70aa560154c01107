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
    #: Bytes that may be copied whatever the size of the data, and the part of the data otherwise.
    copied_bytes: int = 1 << 25
    copied_share: float = 0.4
    #: Dense float64 rows below which a copy with its signs costs less than the signs do in every product.
    copied_rows: int = 20_000
    #: Multiplications of SYRK in the time of one scattered product of two entries of a sparse row.
    pair_cost: float = 40.0
    #: Rows whose products are taken together: a vector of them is 256 KiB.
    span: int = 1 << 15
    #: Columns up to which the compiled normal matrix is faster than SYRK on copies of the rows.
    few_columns: int = 128
    #: Rows of the compiled normal matrix between readings of the clock.
    rows_between_clock: int = 1 << 17


@dataclass(frozen=True)
class Tuning:
    """Numbers of the solver itself: the path, its sample and bands, and the corner at the end."""

    rows: RowTuning = RowTuning()

    #: Further corrections of a step that is blocked early (Gondzio): each costs two passes, a step a factorisation.
    correctors: int = 5
    #: Length of a step that needs no further correction.
    long_step: float = 0.7
    #: Length by which a further correction tries to make a step longer.
    longer_by: float = 0.3
    #: Part of the way to the nearest bound that a step may go (Mehrotra): a point on a bound has no next step.
    to_boundary: float = 0.995
    #: Steps without a difference of primal and dual a tenth smaller that are a stall. On columns of units from 1e-2 to
    #: 1e9 the first steps stand still for up to eight (tests/solvers/test_second_order.py, columns of all sizes).
    stall_steps: int = 10
    #: Checks that fail before the run is left: the estimate is then wrong by rounding.
    checks: int = 4

    #: Part of the rows that may remain for merging equal ones to pay: beyond it the search is lost.
    merged_share: float = 0.8
    #: Rows, and rows for each column, up to which all are solved at once: a sample would save nothing.
    few_rows: int = 3000
    few_rows_per_column: int = 10
    #: Most rows of a sample for each column.
    sample_per_column: int = 300
    #: Relative gaps to which the sample, the first band and all later ones are solved before all rows are read.
    loose: tuple[float, ...] = (1e-2, 1e-3, 1e-5)
    #: Times sqrt(D / sample): the part of all rows that the first band has.
    band_share: float = 3.0
    #: Rows of a band, at least: so many for each column, and so many doubled in every round.
    band_per_column: int = 4
    band_rows: int = 500
    #: Undecided rows that are few enough for their corner to be solved for: more cost as much as the path.
    few_free: int = 600
    free_per_column: int = 4

    #: Times C: alpha above this part of its slack, and C - alpha of xi, leaves a row undecided.
    undecided: float = 0.03
    #: Readings of all rows while the corner is looked for, and steps of the path on its rows.
    corner_rounds: int = 4
    corner_steps: int = 60
    #: Steps on the corner's rows without half the gap that end them.
    corner_stall: int = 3
    #: Refinements of the corner's linear system, which may be singular: they converge to one of its solutions.
    refinements: int = 3
