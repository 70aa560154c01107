"""Logistic regression of scikit-learn: the classifier alone, or at the end of a pipeline with encoders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix.errors import with_hint
from separatrix.memory import require_memory
from separatrix.separability.terms import Term
from separatrix.separation.design import Design, one_column_terms, refuse_missing
from separatrix.separation.formulas import outcome_labels

_CLASSIFIERS = ("LogisticRegression", "LogisticRegressionCV")


def is_sklearn(model: Any) -> bool:
    """True if the object is an estimator of scikit-learn."""
    return any(kind.__module__.startswith("sklearn.") for kind in type(model).__mro__)


def sklearn_design(model: Any, data: Any) -> Design:
    """Build the design that the classifier of a model sees on data (X, y).

    The steps before it are used as they were fitted; where they were not, copies of them are fitted on X.
    """
    classifier = _last_step(model)
    if not (isinstance(data, tuple) and len(data) == 2):
        raise with_hint(
            ValueError,
            "A model of scikit-learn keeps no data, so they are needed too.",
            "pass them as a pair: check_separation(model, (X, y))",
        )
    X, y = data
    _refuse_missing_values(X)
    steps = _steps_before(model)
    table, names = _transformed(steps, X, y)
    terms = _terms(steps[-1] if steps else None, names)
    labels, kind, notes = outcome_labels(y)
    return Design(
        np.asarray(table, dtype=np.float64),
        names,
        labels,
        bool(classifier.fit_intercept),
        kind,
        terms,
        np.arange(len(table)),
        f"scikit-learn {type(classifier).__name__}",
        str(getattr(y, "name", None) or "y"),
        None,
        (*notes, *_notes(classifier, steps)),
    )


def _last_step(model: Any) -> Any:
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if type(last).__name__ in _CLASSIFIERS:
        return last
    raise with_hint(
        TypeError,
        f"Separation concerns logistic regression; got {type(last).__name__}.",
        f"known are {', '.join(_CLASSIFIERS)}, also at the end of a Pipeline",
    )


def _steps_before(model: Any) -> list[Any]:
    if not hasattr(model, "steps"):
        return []
    return [step for _, step in model.steps[:-1] if step is not None and step != "passthrough"]


def _transformed(steps: list[Any], X: Any, y: Any) -> tuple[Any, tuple[str, ...]]:
    """X as the classifier sees it, dense, and the names of its columns. Unfitted ``steps`` are replaced in place."""
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    given = getattr(X, "columns", None)
    names = [str(c) for c in given] if given is not None else None
    for place, step in enumerate(steps):
        try:
            check_is_fitted(step)
            X = step.transform(X)
        except NotFittedError:
            steps[place] = step = clone(step)
            X = step.fit(X, y).transform(X)
        names = _names_out(step, names)
    if hasattr(X, "toarray"):
        require_memory(2.0 * 8 * X.shape[0] * X.shape[1], "The columns of the pipeline as a dense array")
    table = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    if table.dtype.kind not in "iufb":
        raise with_hint(
            ValueError,
            "The classifier would get columns that are not numbers.",
            "put an encoder before it, as in make_pipeline(OneHotEncoder(drop='first'), LogisticRegression())",
        )
    if names is None or len(names) != table.shape[1]:
        names = [f"x{k}" for k in range(table.shape[1])]
    return table, tuple(names)


def _names_out(step: Any, names: list[str] | None) -> list[str] | None:
    try:
        fitted_on = getattr(step, "feature_names_in_", None)
        return [str(name) for name in step.get_feature_names_out(names if fitted_on is None else None)]
    except (AttributeError, ValueError, NotImplementedError):
        return None


def _terms(step: Any, names: tuple[str, ...]) -> tuple[Term, ...]:
    """The categories of an encoder that is the last step before the classifier, and every other column alone."""
    found: list[Term] = []
    for encoder, columns in _encoders(step, len(names)):
        at = 0
        for k, levels in enumerate(encoder.categories_):
            dropped = None if encoder.drop_idx_ is None else encoder.drop_idx_[k]
            kept = [str(level) for j, level in enumerate(levels) if j != dropped]
            place = tuple(columns[at : at + len(kept)])
            reference = None if dropped is None else str(levels[dropped])
            found.append(Term(_category_name(encoder, k), place, tuple(kept), reference))
            at += len(kept)
        if at != len(columns):  # infrequent levels were put together: the columns stay terms of their own
            return one_column_terms(names)
    taken = {c for term in found for c in term.columns}
    alone = [term for term in one_column_terms(names) if term.columns[0] not in taken]
    return tuple(sorted([*found, *alone], key=lambda term: term.columns))


def _encoders(step: Any, width: int) -> Iterator[tuple[Any, list[int]]]:
    if type(step).__name__ == "OneHotEncoder":
        yield step, list(range(width))
    elif type(step).__name__ == "ColumnTransformer":
        for name, part, _ in step.transformers_:
            columns = range(width)[step.output_indices_[name]]
            last = part.steps[-1][1] if hasattr(part, "steps") else part
            if type(last).__name__ == "OneHotEncoder":
                yield last, list(columns)


def _category_name(encoder: Any, k: int) -> str:
    names = getattr(encoder, "feature_names_in_", None)
    return f"x{k}" if names is None else str(names[k])


def _notes(classifier: Any, steps: list[Any]) -> Iterator[str]:
    penalised = getattr(classifier, "penalty", "l2") is not None
    if getattr(classifier, "C", 1.0) == np.inf:
        penalised = False
    if penalised:
        yield (
            f"{type(classifier).__name__} has a penalty, which keeps its estimates finite; the table is about "
            "maximum likelihood without one, which is where they go as the penalty is made weaker."
        )
    if getattr(classifier, "class_weight", None):
        yield "Class weights do not matter here: every row keeps a positive weight."
    if any(type(step).__name__ != "OneHotEncoder" for step in steps):
        yield "The verdict is exact for the numbers that the classifier sees, rounded by the steps before it."


def _refuse_missing_values(X: Any) -> None:
    if hasattr(X, "isna"):
        refuse_missing(X.isna().any(axis=1).to_numpy())
    elif isinstance(X, np.ndarray) and X.dtype.kind == "f":
        refuse_missing(np.isnan(X).any(axis=1))
