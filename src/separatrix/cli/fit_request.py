"""What `separatrix fit` was asked for: its options as a record."""

from __future__ import annotations

from dataclasses import dataclass, fields

from separatrix.cli.inputs import Reading


@dataclass(frozen=True)
class Request:
    """The options of `separatrix fit`, by name."""

    data: str
    model: str | None
    cost: float | None
    kernel: str | None
    gamma: str | None
    degree: int | None
    coef0: float | None
    weights: list[str] | None
    loss: str | None
    bias: str | None
    pairs: bool
    multi_class: str | None
    perceptron: bool
    tol: float | None
    solver: str | None
    max_time: float | None
    max_iter: int | None
    folds: int | None
    test: str | None
    holdout: float | None
    checkpoint: str | None
    checkpoint_every: float
    verdict_time: float
    certificate: str | None
    folder: str | None
    save: bool
    force: bool
    label: str | None
    format: str | None
    missing: str
    seed: int
    threads: int | None
    as_json: bool
    quiet: bool

    @property
    def reading(self) -> Reading:
        """How to read its files."""
        return Reading(self.label, self.format, self.missing, quiet=self.quiet)

    @classmethod
    def names(cls) -> list[str]:
        """The names of the options."""
        return [each.name for each in fields(cls)]
