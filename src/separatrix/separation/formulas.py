"""Formulas: a design from ``"outcome ~ terms"`` and a data frame, by formulaic or patsy, whichever is there.

``"outcome ~ ."`` takes all other columns and needs neither: numbers as they are, everything else as a category with
its first level as reference. Names of columns that come from a file are never evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import with_hint
from separatrix.separability.terms import Term
from separatrix.separation.design import (
    Design,
    Outcome,
    one_column_terms,
    refuse_missing,
    without_intercept,
)

#: Names that a formula may use besides the columns and the functions of its engine.
_NAMES = {"np": np}
_LEVEL = re.compile(r"\[(?:T\.)?([^\[\]]*)\]$")


def formula_design(formula: str, data: Any) -> Design:
    """Build the design of a formula on a data frame."""
    if data is None:
        raise with_hint(
            ValueError, "A formula needs data.", "pass the data frame: check_separation(formula, data)"
        )
    left, tilde, right = (part.strip() for part in formula.partition("~"))
    if not (left and tilde and right):
        raise with_hint(
            ValueError,
            f"A formula has an outcome and terms, as in 'died ~ age + group'; got {formula!r}.",
            "'died ~ .' takes all other columns",
        )
    frame = as_pandas(data)
    if right == ".":
        return frame_design(frame, left)
    table, spec = _model_matrix(f"{left} ~ {right}" if left not in frame.columns else right, frame)
    y, X = (None, table) if left in frame.columns else table
    outcome = frame[left] if y is None else y
    kept = X.index.to_numpy()
    absent = np.ones(len(frame), dtype=bool)
    absent[kept] = False
    if y is None:
        absent |= frame[left].isna().to_numpy()
    refuse_missing(absent)
    terms = terms_of_spec(spec, list(X.columns))
    return assembled(
        np.asarray(X, dtype=np.float64), list(map(str, X.columns)), terms, outcome, left, "formula"
    )


def as_pandas(data: Any) -> Any:
    """The data as a pandas frame with numbered rows, texts as objects; frames of polars and Arrow are converted."""
    import pandas as pd

    frame = data.to_pandas() if hasattr(data, "to_pandas") else pd.DataFrame(data)
    texts = [name for name, kind in frame.dtypes.items() if isinstance(kind, pd.StringDtype)]
    return (frame.astype(dict.fromkeys(texts, object)) if texts else frame).reset_index(drop=True)


def frame_design(frame: Any, outcome: str) -> Design:
    """Build the design of all columns but the outcome: numbers as they are, categories against their first level."""
    import pandas as pd

    if outcome not in frame.columns:
        raise with_hint(
            ValueError,
            f"The data have no column {outcome!r}.",
            f"their columns are {', '.join(map(str, frame.columns[:12]))}",
        )
    refuse_missing(frame.isna().any(axis=1).to_numpy())
    blocks: list[NDArray[np.float64]] = []
    names: list[str] = []
    terms: list[Term] = []
    for column in frame.columns:
        if column == outcome:
            continue
        values, start = frame[column], len(names)
        if pd.api.types.is_numeric_dtype(values.dtype):
            blocks.append(values.to_numpy(dtype=np.float64)[:, None])
            names.append(str(column))
            terms.append(Term(str(column), (start,)))
            continue
        category = values.astype("category").cat
        levels = [str(level) for level in category.categories]
        codes = category.codes.to_numpy()
        blocks.append((codes[:, None] == np.arange(1, len(levels))).astype(np.float64))
        names += [f"{column}[T.{level}]" for level in levels[1:]]
        terms.append(Term(str(column), tuple(range(start, len(names))), tuple(levels[1:]), levels[0]))
    X = np.hstack(blocks) if blocks else np.zeros((len(frame), 0))
    X, names, terms = np.column_stack([np.ones(len(frame)), X]), ["(intercept)", *names], _shifted(terms)
    return assembled(X, names, tuple(terms), frame[outcome], outcome, "data frame")


def array_design(X: Any, outcome: Any) -> Design:
    """Build the design of columns (n, d) with an intercept: a data frame with categories, or numbers."""
    import pandas as pd

    frame = as_pandas(X)
    if not hasattr(X, "columns"):
        frame.columns = [f"x{k + 1}" for k in range(frame.shape[1])]
    name = str(getattr(outcome, "name", None) or "y")
    inside = "(outcome)"  # a name that the frame does not have
    frame[inside] = outcome if np.ndim(outcome) == 1 else 0
    design = frame_design(frame, inside)
    labels, kind, notes = outcome_labels(outcome if np.ndim(outcome) == 1 else pd.DataFrame(outcome))
    return replace(design, y=labels, outcome=kind, outcome_name=name, source="columns", notes=notes)


def _shifted(terms: list[Term]) -> list[Term]:
    return [
        Term(term.name, tuple(c + 1 for c in term.columns), term.levels, term.reference) for term in terms
    ]


def assembled(
    X: NDArray[np.float64],
    names: list[str],
    terms: tuple[Term, ...],
    outcome: Any,
    outcome_name: str,
    source: str,
) -> Design:
    """Put a design together from a matrix with its intercept and an outcome: a column, or two of counts."""
    labels, kind, notes = outcome_labels(outcome)
    X, kept, left, bias = without_intercept(X, names, terms)
    rows = np.arange(len(X))
    return Design(X, kept, labels, bias, kind, left, rows, source, outcome_name, None, notes)


def outcome_labels(outcome: Any) -> tuple[Any, Outcome, tuple[str, ...]]:
    """Labels (n,) or counts (n, 2), their kind, and what is to be said about them."""
    import pandas as pd

    if getattr(outcome, "ndim", 1) == 2 and outcome.shape[1] == 1:
        outcome = outcome.iloc[:, 0]
    if getattr(outcome, "ndim", 1) == 2:
        table = np.asarray(outcome, dtype=np.float64)
        levels = [match[1] for name in outcome.columns if (match := _LEVEL.search(str(name)))]
        if len(levels) == table.shape[1]:  # a category that the engine coded by indicators
            labels = np.array(levels)[table.argmax(axis=1)]
            return labels, "pairs" if len(np.unique(labels)) == 2 else "joint", ()
        if table.shape[1] != 2 or np.any(table < 0):
            raise ValueError("An outcome of counts has two columns, successes and failures, none below zero.")
        return table, "pairs", ()
    series = pd.Series(outcome).reset_index(drop=True)
    if isinstance(series.dtype, pd.CategoricalDtype):
        used = series.cat.remove_unused_categories()
        levels = list(map(str, used.cat.categories))
        if series.cat.ordered and len(levels) > 2:
            return used, "ordinal", ()
        kind: Outcome = "pairs" if len(levels) <= 2 else "joint"
        # The order of the levels counts, and labels are taken in sorted order: numbers where the two differ.
        if levels == sorted(levels):
            return np.asarray(used.astype(str)), kind, ()
        numbered = ", ".join(f"{code} is {level}" for code, level in enumerate(levels))
        return (
            np.asarray(used.cat.codes),
            kind,
            (f"Classes are numbered in the order of their levels: {numbered}.",),
        )
    values = series.to_numpy()
    if values.dtype.kind == "b":
        values = values.astype(np.int64)
    if (
        values.dtype.kind == "f"
        and np.any((values > 0) & (values < 1))
        and values.min() >= 0
        and values.max() <= 1
    ):
        return np.column_stack([values, 1.0 - values]), "pairs", ()  # proportions
    if values.dtype.kind not in "iuf":
        values = values.astype(str)
    return values, "pairs" if len(np.unique(values)) <= 2 else "joint", ()


def _model_matrix(formula: str, frame: Any) -> tuple[Any, Any]:
    """The design of a formula, or (outcome, design) where it has two sides, on numbered rows; and its specification."""
    two_sides = "~" in formula
    try:
        from formulaic import model_matrix
    except ImportError:
        return _by_patsy(formula, frame, two_sides)
    made = model_matrix(formula, frame, context=_NAMES, na_action="drop")
    if two_sides:
        return (made.lhs, made.rhs), made.rhs.model_spec
    return made, made.model_spec


def _by_patsy(formula: str, frame: Any, two_sides: bool) -> tuple[Any, Any]:
    try:
        import patsy
    except ImportError:
        raise with_hint(
            ImportError,
            "A formula needs formulaic or patsy, and neither is installed.",
            "pip install 'separatrix[statistics]'; 'outcome ~ .' needs neither",
        ) from None
    names = patsy.EvalEnvironment([_NAMES])
    if two_sides:
        y, X = patsy.dmatrices(formula, frame, names, return_type="dataframe")
        return (y, X), X.design_info
    X = patsy.dmatrix(formula, frame, names, return_type="dataframe")
    return X, X.design_info


def terms_of_spec(spec: Any, names: Sequence[str]) -> tuple[Term, ...]:
    """Terms of a specification of formulaic or patsy; each column its own term where there is none."""
    if spec is None:
        return one_column_terms(names)
    if hasattr(spec, "term_name_slices"):
        found = [
            (term.name(), range(*spec.slice(term).indices(len(names))), [f.name() for f in term.factors])
            for term in spec.terms
        ]
        categories = {
            factor.name(): list(map(str, info.categories))
            for factor, info in spec.factor_infos.items()
            if info.type == "categorical"
        }
    else:
        found = [
            (str(term), where, list(map(str, term.factors))) for term, where in spec.term_indices.items()
        ]
        categories = {
            str(factor): [str(level) for level in contrasts.levels]
            for factor, contrasts in spec.factor_contrasts.items()
        }
    return tuple(
        _term(name, list(where), factors, categories, found, names) for name, where, factors in found
    )


def _term(
    name: str,
    columns: list[int],
    factors: list[str],
    categories: dict[str, list[str]],
    everything: list[tuple[str, Any, list[str]]],
    names: Sequence[str],
) -> Term:
    if len(factors) != 1 or factors[0] not in categories:
        return Term(name, tuple(columns))
    found = [_LEVEL.search(str(names[c])) for c in columns]
    levels = [match[1] if match else "" for match in found]
    known = categories[factors[0]]
    if not all(level in known for level in levels):
        return Term(name, tuple(columns))  # coded otherwise than by indicators
    others = [level for level in known if level not in levels]
    crossed = any(factors[0] in used and len(used) > 1 for _, _, used in everything)
    return Term(name, tuple(columns), tuple(levels), others[0] if len(others) == 1 else None, crossed)
