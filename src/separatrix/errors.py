"""Errors with a meaning of their own. Each message is a sentence: what was wrong, expected, given; then a hint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Error = TypeVar("Error", bound=BaseException)


def with_hint(kind: Callable[..., Error], sentence: str, hint: str, *rest: object) -> Error:
    """Return ``kind(sentence, *rest)`` with advice: ``error.hint`` holds it, and the message ends with it.

    >>> error = with_hint(ValueError, "The kernel gives infinity.", "scale the columns of X")
    >>> str(error), error.hint
    ('The kernel gives infinity. Hint: scale the columns of X.', 'scale the columns of X')
    """
    error = kind(sentence, *rest)
    whole = str(error)
    error.args = (f"{whole} Hint: {hint}.", *error.args[1:])
    vars(error).update(sentence=whole, hint=hint)
    return error


def sentence_and_hint(error: BaseException) -> tuple[str, str | None]:
    """Return the message of any error in two parts, the second None where nobody gave a hint."""
    own = vars(error)
    return own.get("sentence", str(error)), own.get("hint")


class Hinted(Exception):
    """An error that may carry advice; `with_hint` gives it."""

    hint: str | None = None


class ParameterError(Hinted, ValueError, TypeError):
    """A parameter of an estimator has a value or a type that it cannot have.

    Both a ValueError and a TypeError, as in scikit-learn, so that either may be caught.
    """


class InseparableError(Hinted, ValueError):
    """A hard margin was asked for and no hyperplane separates the classes.

    ``separability`` is the exact verdict, ``certificate`` its proof, ``rows`` and ``weights`` the rows that
    contradict each other and the weights with which they cancel.
    """

    def __init__(self, message: str, separability: Any = None) -> None:
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


class ModelFileError(Hinted, ValueError):
    """A model file cannot be read or written; the message says what is wrong with it. Nothing in it was executed."""


class NotConvergedError(Hinted, RuntimeError):
    """The requested gap was not reached and ``strict=True`` asked for an error.

    ``problems`` maps each binary problem to its result as far as it came, with its certificate;
    ``gap`` is the worst relative gap among them.
    """

    def __init__(self, message: str, problems: Any = None, gap: float = float("nan")) -> None:
        super().__init__(message)
        self.problems = problems
        self.gap = gap


class IndefiniteKernelError(Hinted, ValueError):
    """The kernel matrix is not positive semidefinite: it holds the inner products of no space at all.

    ``rows`` and ``vector`` are the witness u: sum_ij u_i u_j k(x_i, x_j) = ``value`` < 0 over those rows.
    """

    def __init__(
        self, message: str, rows: Any = None, vector: Any = None, value: float = float("nan")
    ) -> None:
        super().__init__(message)
        self.rows, self.vector, self.value = rows, vector, value
