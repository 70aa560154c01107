"""Errors with a meaning of their own. Each message is a sentence: what was wrong, expected, given; a hint."""

from __future__ import annotations

from typing import Any


class ParameterError(ValueError, TypeError):
    """A parameter of an estimator has a value or a type that it cannot have.

    Both a ValueError and a TypeError, as in scikit-learn, so that either may be caught.
    """


class InseparableError(ValueError):
    """A hard margin was asked for and no hyperplane separates the classes.

    ``separability`` is the exact verdict, ``certificate`` its proof, ``rows`` and ``weights`` the rows that
    contradict each other and the weights with which they cancel.
    """

    def __init__(self, message: str, separability: Any) -> None:
        super().__init__(message)
        self.separability = separability

    @property
    def certificate(self) -> Any:
        """The proof, for `separatrix.verify` and the stand-alone checker."""
        return self.separability.certificate

    @property
    def rows(self) -> Any:
        """The rows that contradict each other."""
        return self.separability.rows

    @property
    def weights(self) -> Any:
        """Positive weights, summing to 1, with sum weights_i y_i (x_i, 1) exactly zero."""
        return self.separability.weights

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.separability)


class ModelFileError(ValueError):
    """A model file cannot be read or written; the message says what is wrong with it. Nothing in it was executed."""


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


class IndefiniteKernelError(ValueError):
    """The kernel matrix is not positive semidefinite: it holds the inner products of no space at all.

    ``rows`` and ``vector`` are the witness u: sum_ij u_i u_j k(x_i, x_j) = ``value`` < 0 over those rows.
    """

    def __init__(
        self, message: str, rows: Any = None, vector: Any = None, value: float = float("nan")
    ) -> None:
        super().__init__(message)
        self.rows, self.vector, self.value = rows, vector, value

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.rows, self.vector, self.value)
