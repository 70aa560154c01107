"""The numbers of block SMO, each with its unit, why it is there, and what it gains."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tuning:
    """Numbers that steer the rounds, and those that say when F is to be trusted."""

    #: Rounds of a step, and the kernel values that they may read together: Ctrl-C waits for a step.
    step_rounds: int = 10
    step_values: int = 1 << 24
    #: Rows up to which a round has all of them, and otherwise (rows of the problem, rows of a round): enough that few
    #: rounds read a kernel row again, few enough for the cache.
    all_rows: int = 320
    working_sets: tuple[tuple[float, int], ...] = ((600, 160), (3000, 256), (float("inf"), 768))

    #: Rows up to which F is renewed before every check: that costs what a sample of the rows does.
    few_rows: int = 1000
    #: Rows of the sample that shows the rounding of F: a hundredth of all sums where there are ten thousand.
    sample: int = 128
    #: Times what the sample shows: the rounding that all rows may have.
    doubt: float = 1.5
    #: Part of tol up to which rounds to a smaller gap make up for rounding, which costs less than sums in float64, and
    #: times the rounding by which they aim lower: the next sample may show a little more.
    aim_lower: float = 0.5
    lower_by: float = 1.25
    #: Times the largest error in the sample: what any row's may be.
    beyond: float = 4.0
    #: Part of the rows that may matter for F to be renewed on them alone; a larger one is not worth the choice.
    most_rows: float = 0.7
    #: Renewals of F without half the gap that are a stall (tests/solvers/test_block_smo.py, a gap that rounding hides).
    renewals: int = 6
    #: Relative negative curvature that is a fact about the kernel, not rounding.
    curved: float = 1e-12

    def working_set(self, n: int) -> int:
        """Rows in a round.

        >>> Tuning().working_set(20_000)
        768
        """
        if n <= self.all_rows:
            return n
        return next(size for rows, size in self.working_sets if n <= rows)
