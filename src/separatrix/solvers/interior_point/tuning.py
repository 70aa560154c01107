"""Numbers of the interior point."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tuning:
    """Each with its unit, why it is there, and what it gains."""

    few_rows: int = 3000
    checks: int = 4
    few_free: int = 600
    loose: tuple[float, ...] = (1e-2, 1e-3, 1e-5)
    stall_steps: int = 10
