"""The public function `check_separation`: from a model or a formula to the verdict on its design."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.errors import with_hint
from separatrix.separability import Separability, separability
from separatrix.separability.terms import ModelFacts
from separatrix.separation.design import Design
from separatrix.separation.formulas import array_design, formula_design
from separatrix.separation.sklearn_design import is_sklearn, sklearn_design
from separatrix.separation.statsmodels_design import is_statsmodels, statsmodels_design


def check_separation(model: Any, data: Any = None) -> Separability:
    """Decide whether the data of a logistic model are separated, and which of its estimates are infinite.

    Parameters
    ----------
    model
        A statsmodels model or the results of its fit (Logit, Probit, MNLogit, OrderedModel, binomial GLM); a
        LogisticRegression of scikit-learn, fitted or not, alone or at the end of a pipeline; a formula
        ``"outcome ~ terms"``, where ``"outcome ~ ."`` means all other columns; or the columns themselves, (n, d).
    data
        None for statsmodels, (X, y) for scikit-learn, the data frame for a formula, the outcome for columns.

    The answer is about maximum likelihood: a penalty keeps estimates finite and hides the question. Missing values
    are refused, with their rows. Offsets and positive weights change nothing; rows of weight zero take no part.

    Example
    -------
    >>> import pandas as pd
    >>> trial = pd.DataFrame({"dose": [1, 2, 3, 4, 5, 6], "arm": list("aaabbb"), "died": [0, 1, 0, 1, 1, 1]})
    >>> answer = check_separation("died ~ dose + arm", trial)
    >>> answer.verdict, answer.estimates
    ('quasi-separable', {'(intercept)': 'finite', 'dose': 'finite', 'arm[T.b]': '+inf'})
    >>> answer.causes.sets
    (('arm',),)

    References
    ----------
    A. Albert, J. A. Anderson, On the existence of maximum likelihood estimates in logistic regression models,
    Biometrika 71 (1984). K. Konis, Linear programming algorithms for detecting separated data in binary logistic
    regression models, DPhil thesis, Oxford (2007).
    """
    return verdict_of(design_of(model, data), model if isinstance(model, str) else None)


def design_of(model: Any, data: Any) -> Design:
    """Find out what kind of thing ``model`` is, and build its design."""
    if isinstance(model, str):
        return formula_design(model, data)
    if is_statsmodels(model):
        if data is not None:
            raise ValueError("A statsmodels model holds its data; got other data beside it.")
        return statsmodels_design(model)
    if is_sklearn(model):
        return sklearn_design(model, data)
    if data is not None and getattr(model, "ndim", 0) == 2:
        return array_design(model, data)
    raise with_hint(
        TypeError,
        f"Expected a statsmodels or scikit-learn model, a formula, or columns (n, d); got {type(model).__name__}.",
        "check_separation('died ~ dose + arm', data)",
    )


def verdict_of(design: Design, formula: str | None = None) -> Separability:
    """Decide on a design."""
    if not design.X.shape[1]:
        raise ValueError("The model has no columns beside its intercept, so nothing can separate.")
    found = separability(
        design.frame(), design.y, design.bias, classes=design.outcome, sample_weight=design.weights
    )
    counts = np.ndim(design.y) == 2
    rows = np.concatenate([design.rows, design.rows]) if counts else design.rows
    facts = ModelFacts(design.source, design.outcome_name, design.terms, formula, rows, design.notes, counts)
    return replace(found, model=facts)
