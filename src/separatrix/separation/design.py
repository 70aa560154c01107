"""The design of a logistic model: columns with their names and terms, the outcome, and the rows behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import with_hint
from separatrix.separability.estimates_table import listed
from separatrix.separability.terms import Term
from separatrix.types import Index

Outcome = Literal["pairs", "joint", "ordinal"]


@dataclass(frozen=True, eq=False)
class Design:
    """A model's columns (n, d) without its intercept, and everything needed to speak of them in its own words.

    ``y`` holds labels (n,), or binomial counts (n, 2), successes and failures; ``rows`` (n,) numbers the rows of the
    data that the rows of the design came from.
    """

    X: NDArray[np.float64]
    names: tuple[str, ...]
    y: Any
    bias: bool
    outcome: Outcome
    terms: tuple[Term, ...]
    rows: Index
    source: str
    outcome_name: str = "y"
    weights: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()

    def frame(self) -> Any:
        """The columns under their names."""
        import pandas as pd

        return pd.DataFrame(self.X, columns=list(self.names))


def without_intercept(
    X: NDArray[np.float64], names: Sequence[str], terms: Sequence[Term]
) -> tuple[NDArray[np.float64], tuple[str, ...], tuple[Term, ...], bool]:
    """Take the first column of ones out of a design (n, d): it is the intercept.

    >>> import numpy as np
    >>> without_intercept(np.array([[1.0, 2.0], [1.0, 3.0]]), ["const", "x"], one_column_terms(["const", "x"]))[1:]
    (('x',), (Term(name='x', columns=(0,), levels=(), reference=None, crossed=False),), True)
    """
    ones = np.flatnonzero(np.all(X == 1.0, axis=0))
    if not len(ones):
        return X, tuple(names), tuple(terms), False
    at = int(ones[0])
    left = [term.without(at) for term in terms]
    kept = tuple(name for place, name in enumerate(names) if place != at)
    return np.delete(X, at, axis=1), kept, tuple(term for term in left if term.columns), True


def one_column_terms(names: Sequence[str]) -> tuple[Term, ...]:
    """Each column a term of its own."""
    return tuple(Term(str(name), (place,)) for place, name in enumerate(names))


def refuse_missing(missing: Any) -> None:
    """Raise a ValueError that names the rows where ``missing`` (n,) holds."""
    rows = np.flatnonzero(np.asarray(missing))
    if not len(rows):
        return
    who = f"{len(rows)} rows of the data have" if len(rows) > 1 else "A row of the data has"
    raise with_hint(
        ValueError,
        f"{who} missing values: {listed(rows)} (counted from 0).",
        "drop or fill them first, as the fit will: a verdict on other rows than those of the fit misleads",
    )
