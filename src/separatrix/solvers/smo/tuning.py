"""The numbers of block SMO, each with its unit, why it is there, and what it gains.

"With" is processor time relative to these numbers, a geometric mean over sets that nothing was tuned on:
`python -m benchmarks.ablation smo`, benchmarks/ABLATION.md.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tuning:
    """Numbers that steer the rounds, and those that say when F is to be trusted."""

    #: Rounds of a step, and the kernel values that they may read together: Ctrl-C waits for a step.
    step_rounds: int = 10
    step_values: int = 1 << 24
    #: Rows up to which a round has all of them. With 256, problems of 290 rows take 1.22.
    all_rows: int = 320
    #: Rows of a round otherwise, up to so many rows and beyond: enough that few rounds read a kernel row again, few
    #: enough for the cache. With 512 throughout 1.07, with 768 1.06; with 256 beyond 1.26 at C = 100.
    small_round: int = 256
    small_problem: int = 3000
    large_round: int = 768

    #: Rows up to which F is renewed before every check: that costs what a sample of the rows does. Before every check
    #: whatever the rows: 1.17.
    few_rows: int = 1000
    #: Rows of the sample that shows the rounding of F: a hundredth of all sums where there are ten thousand.
    sample: int = 128
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
        return self.small_round if n <= self.small_problem else self.large_round
