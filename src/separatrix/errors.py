"""Errors with a meaning of their own. Each message is a sentence: what was wrong, expected, given; a hint."""

from __future__ import annotations

from typing import Any


class ParameterError(ValueError, TypeError):
    """A parameter of an estimator has a value or a type that it cannot have.

    Both a ValueError and a TypeError, as in scikit-learn, so that either may be caught.
    """


class NotConvergedError(RuntimeError):
    """The requested gap was not reached and ``strict=True`` asked for an error.

    ``problems`` maps each binary problem to its result as far as it came, with its certificate;
    ``gap`` is the worst relative gap among them.
    """

    def __init__(self, message: str, problems: Any = None, gap: float = float("nan")) -> None:
        super().__init__(message)
        self.problems = problems
        self.gap = gap

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.problems, self.gap)
