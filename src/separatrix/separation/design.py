"""The design of a logistic model: columns with their names and terms, the outcome, and the rows behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from separatrix.separability.terms import Term
from separatrix.types import Index

Outcome = Literal["pairs", "joint", "ordinal"]


@dataclass(frozen=True, eq=False)
class Design:
    """A model's columns (n, d) without its intercept, and everything needed to speak of them in its own words.

    ``rows`` (n,) numbers the rows of the data that the design rows came from: a row of binomial counts with
    successes and failures is there twice.
    """

    X: NDArray[np.float64]
    names: tuple[str, ...]
    y: NDArray[Any]
    bias: bool
    outcome: Outcome
    terms: tuple[Term, ...]
    rows: Index
    source: str
    outcome_name: str = "y"
    weights: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()


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


def binomial_rows(
    successes: NDArray[np.float64], failures: NDArray[np.float64]
) -> tuple[Index, NDArray[np.int64]]:
    """Rows and labels of binomial counts: a row with successes counts once as 1, one with failures once as 0.

    How many there are does not matter: a repeated row changes no direction of recession.

    >>> import numpy as np
    >>> rows, labels = binomial_rows(np.array([3.0, 0.0, 2.0]), np.array([1.0, 5.0, 0.0]))
    >>> rows.tolist(), labels.tolist()
    ([0, 0, 1, 2], [1, 0, 0, 1])
    """
    some, none = np.flatnonzero(successes > 0), np.flatnonzero(failures > 0)
    rows = np.concatenate([some, none])
    labels = np.concatenate([np.ones(len(some), dtype=np.int64), np.zeros(len(none), dtype=np.int64)])
    order = np.lexsort((-labels, rows))
    return rows[order], labels[order]


def refuse_missing(missing: NDArray[np.bool_], labels: Sequence[Any] | None = None) -> None:
    """Raise a ValueError that names the rows where ``missing`` (n,) holds."""
    rows = np.flatnonzero(missing)
    if not len(rows):
        return
    from separatrix.errors import with_hint

    shown = [rows[k] if labels is None else labels[rows[k]] for k in range(min(8, len(rows)))]
    listed = ", ".join(map(str, shown)) + (", ..." if len(rows) > 8 else "")
    several = f"{len(rows)} rows" if len(rows) > 1 else "A row"
    raise with_hint(
        ValueError,
        f"{several} of the data {'have' if len(rows) > 1 else 'has'} missing values: {listed} (counted from 0).",
        "drop or fill them first, as the fit will: a verdict on other rows than those of the fit misleads",
    )
