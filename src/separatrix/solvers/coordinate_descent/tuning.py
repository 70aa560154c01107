"""The numbers that steer coordinate descent. None changes what is proved, only how soon."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Tuning:
    """Handed to the compiled core as it is."""

    epochs_per_step: int = 8
    entries_per_step: float = 2e7
    run_length: int = 2
    mapped_run: int = 1 << 20
    shrink: bool = True
    outlier: float = 3.0
    inactive_visits: float = 16.0
    inactive_share: float = 0.01
    moves: int = 5
    epochs_per_acceleration: int = 2
    copy: bool = True
    copy_below: float = 1 / 3
    slow_after: int = 8
    penalty: float = 0.03
    check_factor: float = 0.7
    patience: int = 300

    def in_place(self) -> Tuning:
        """The same without copies of rows."""
        return replace(self, copy=False)
