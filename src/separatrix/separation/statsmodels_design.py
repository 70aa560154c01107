"""Models of statsmodels, fitted or not: Logit, Probit, MNLogit, GLM with a binomial family, OrderedModel.

An offset or an exposure changes no direction of recession: along beta + t z the linear predictor grows by t x.z
whatever is added to it, so it is accepted and said so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import with_hint
from separatrix.separability.estimates_table import listed
from separatrix.separability.terms import Term
from separatrix.separation.design import Design, refuse_missing, without_intercept
from separatrix.separation.formulas import terms_of_spec

#: Links whose distribution function runs from 0 to 1 over all numbers: separation decides for them as for the logit.
_LINKS = ("Logit", "Probit", "CLogLog", "LogLog", "Cauchy")
_OFFSET = "The offset does not matter here: it changes no direction in which the likelihood keeps growing."


def is_statsmodels(model: Any) -> bool:
    """True if the object comes from statsmodels: a model, or the results of a fit."""
    return any(kind.__module__.startswith("statsmodels.") for kind in type(model).__mro__)


def statsmodels_design(model: Any) -> Design:
    """Build the design of a statsmodels model, or of the model behind its results."""
    model = getattr(model, "model", model)
    for kind in type(model).__mro__:
        build = _BUILDERS.get(kind.__name__)
        if build is not None and kind.__module__.startswith("statsmodels."):
            return build(model)
    raise with_hint(
        TypeError,
        f"Separation concerns models of categories; statsmodels' {type(model).__name__} is none that is known here.",
        "Logit, Probit, MNLogit, GLM with family Binomial, and OrderedModel are",
    )


def _binary(model: Any) -> Design:
    X, names, terms, bias = _columns(model)
    y = np.asarray(model.endog, dtype=np.float64)
    refuse_missing(np.isnan(y))
    labels = y.astype(np.int64)
    return Design(
        X,
        names,
        labels if np.array_equal(labels, y) else np.column_stack([y, 1.0 - y]),  # or proportions
        bias,
        "pairs",
        terms,
        _rows_of_data(model, len(X)),
        f"statsmodels {type(model).__name__}",
        _name(model.endog_names),
        _weights(model),
        _notes(model),
    )


def _glm(model: Any) -> Design:
    family, link = type(model.family).__name__, type(model.family.link).__name__
    if family != "Binomial":
        raise with_hint(
            ValueError,
            f"Separation concerns outcomes that are categories; this GLM has family {family}.",
            "a Poisson model can have infinite estimates too, but for another reason, not decided here",
        )
    if link not in _LINKS:
        raise with_hint(
            ValueError,
            f"With the link {link} separated data may still have finite estimates, so separation does not decide.",
            "links that do: Logit, Probit, CLogLog, LogLog, Cauchy",
        )
    return _binary(model)


def _many(model: Any) -> Design:
    X, names, terms, bias = _columns(model)
    codes = np.asarray(model.endog).astype(np.intp)
    if codes.ndim == 2:
        codes = codes.argmax(axis=1)
    found = getattr(model, "_ynames_map", {})
    labels = np.array([str(found.get(k, k)) for k in range(int(codes.max()) + 1)])
    y: NDArray[Any] = _as_numbers(labels)[codes]
    rows = _rows_of_data(model, len(X))
    name = _name(model.endog_names)
    return Design(
        X, names, y, bias, "joint", terms, rows, "statsmodels MNLogit", name, None,
        _notes(model),
    )  # fmt: skip


def _ordered(model: Any) -> Design:
    X, names, terms = _columns_and_constant(model)
    codes: Any = np.asarray(model.endog).astype(np.int64)
    labels = getattr(model, "labels", None)
    if labels is not None:
        import pandas as pd

        codes = pd.Series(pd.Categorical.from_codes(codes, categories=list(labels), ordered=True))
    rows = _rows_of_data(model, len(X))
    return Design(
        X, names, codes, True, "ordinal", terms, rows, "statsmodels OrderedModel",
        _name(model.endog_names), None, _notes(model),
    )  # fmt: skip


_BUILDERS: dict[str, Callable[[Any], Design]] = {
    "Logit": _binary,
    "Probit": _binary,
    "GLM": _glm,
    "MNLogit": _many,
    "OrderedModel": _ordered,
}


def _columns(model: Any) -> tuple[NDArray[np.float64], tuple[str, ...], tuple[Term, ...], bool]:
    return without_intercept(*_columns_and_constant(model))


def _columns_and_constant(model: Any) -> tuple[NDArray[np.float64], tuple[str, ...], tuple[Term, ...]]:
    X = np.asarray(model.exog, dtype=np.float64)
    refuse_missing(np.isnan(X).any(axis=1))
    names = tuple(map(str, model.exog_names))[: X.shape[1]]
    spec = getattr(model.data, "model_spec", None) or getattr(model.data, "design_info", None)
    matches = spec is not None and len(getattr(spec, "column_names", ())) == X.shape[1]
    return X, names, terms_of_spec(spec if matches else None, names)


def _rows_of_data(model: Any, n: int) -> NDArray[np.intp]:
    """Numbers of the model's rows in the data it was given: rows with missing values may have been dropped."""
    dropped = np.asarray(getattr(model.data, "missing_row_idx", None) or (), dtype=np.intp)
    everything = np.arange(n + len(dropped))
    return np.setdiff1d(everything, dropped)


def _weights(model: Any) -> NDArray[np.float64] | None:
    """Weights that are not all positive; None where every row counts."""
    out = None
    for name in ("freq_weights", "var_weights"):
        given = getattr(model, name, None)
        if given is not None and np.any(np.asarray(given) == 0):
            out = np.asarray(given, dtype=np.float64) * (1.0 if out is None else out)
    return out


def _notes(model: Any) -> tuple[str, ...]:
    out = []
    for name in ("offset", "exposure"):
        given = getattr(model, name, None)
        if given is not None and np.any(np.asarray(given, dtype=np.float64) != 0):
            out.append(_OFFSET)
            break
    dropped = getattr(model.data, "missing_row_idx", None)
    if dropped:
        rows = "row" if len(dropped) == 1 else "rows"
        out.append(f"statsmodels left out {len(dropped)} {rows} with missing values: {listed(dropped)}.")
    return tuple(out)


def _name(names: Any) -> str:
    return names if isinstance(names, str) else "y"


def _as_numbers(labels: NDArray[Any]) -> NDArray[Any]:
    """Labels as whole numbers where all of them are: '10' then comes after '9'."""
    try:
        return labels.astype(np.float64).astype(np.int64)
    except ValueError:
        return labels
