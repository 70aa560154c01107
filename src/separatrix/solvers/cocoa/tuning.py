"""The numbers with which a block runs the compiled coordinate descent, which reads them by name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tuning:
    """Plain descent with shrinking: blocks share what copies and acceleration would need (`subspace`)."""

    #: Rows that lie together in memory and are visited one after the other, as in `coordinate_descent`.
    run_length: int = 2
    shrink: bool = True
    #: Multiple of their root mean square beyond which gradients are outliers, as in `coordinate_descent`.
    outlier: float = 3.0
    moves: int = 0
    epochs_per_acceleration: int = 1
    copy: bool = False
    copy_below: float = 0.0
    slow_after: int = 0
