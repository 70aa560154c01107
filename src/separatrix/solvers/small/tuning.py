"""The numbers of the solver for small problems, each with its unit, why it is there, and what it gains."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tuning:
    """Handed to the compiled core as it is."""

    first_width: float = 3.0
    softest: float = 0.03
    stiffest: float = 1e-4
    narrowing: float = 0.03
    least: float = 1e-7
    line_search: float = 0.1
    pair_tolerance: float = 0.1
    newton_share: float = 0.25
    rows_per_column: float = 3.0
    most_work: float = 2e9
    thread_work: float = 1e6
