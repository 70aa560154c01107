"""The numbers of the solver for small problems. None changes what is proved, only how soon.

"Without" and "with" are counted work relative to these numbers, geometric means without and with a kernel over 240
cells each of 20 sets that nothing was tuned on, to 1e-12: `python -m benchmarks.ablation_small`,
benchmarks/ABLATION.md.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tuning:
    """Handed to the compiled core as it is; the formulas are in cpp/small/small_newton.hpp."""

    #: Width in margins of the quadratic piece of the hinge at the first level: the rows at w = 0 lie on it. Without:
    #: 1.03 and 1.00, and 18 cells end above 1e-8 in place of 8.
    first_width: float = 3.0
    #: Largest delta of a row at the first level, in units of ||x||^2: where C is small a softer piece only delays, as
    #: the row ends at its bound. Without: 1.09 and 1.08.
    softest: float = 0.03
    #: Smallest delta of a row at the first level, in units of ||x||^2: with a stiffer piece Newton's method takes short
    #: steps from w = 0. Without: 1.03 and 1.07, the worst cell 258.
    stiffest: float = 1e-4
    #: Part of delta that the next level has. With a tenth of it: 1.05 and 1.01; with ten times: 1.04 and 1.02.
    narrowing: float = 0.03
    #: Least part of the first delta: with ``stiffest`` 1e-11 of ||x||^2, beyond which a Cholesky factor loses its
    #: digits. With 1e-5: 20 cells end above 1e-8 in place of 8.
    least: float = 1e-7
    #: Part of the slope that a line search may leave. With 0.9: 1.24 and 1.15; with 0.01, whose longer searches are not
    #: counted: 0.95 and 1.00.
    line_search: float = 0.1
    #: Violation in margins at which steps on pairs of rows hand over to Newton's method, and the part of it at which
    #: they ask again. With 0.01: 0.99 and 1.04; with 0.3: 1.00 and 0.98.
    pair_tolerance: float = 0.1
    #: Part of the work so far that a step of Newton's method may take: where it takes more, steps on pairs of rows go
    #: on. Newton's method at once: 1.02 and 1.48; pairs to the end: 1.33 and 1.88.
    newton_share: float = 0.25
    #: Rows for each column up to which their products are made into a matrix. Never: 2.08. Making it is not counted: at
    #: 2 rows it gains a factor of 3 to 9 in time, at 3.5 nothing, at 5 it loses up to 2.
    rows_per_column: float = 3.0
    #: Products of two numbers in one call, so that it takes about a second at most.
    most_work: float = 2e9
    #: Products that are worth a thread of their own, a tenth of a millisecond.
    thread_work: float = 1e6
