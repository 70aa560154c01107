"""What a parameter may be: a rule for each, and the words that describe it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

from separatrix.errors import ParameterError

#: Whether a value is allowed, and what is allowed in words.
Rule: TypeAlias = tuple[Callable[[Any], bool], str]

KERNEL_NAMES = ("linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed")


def is_bool(value: Any) -> bool:
    """True or False, of Python or of NumPy."""
    return type(value) is bool or isinstance(value, np.bool_)


def is_real(value: Any) -> bool:
    """A real number, which True is not."""
    return type(value) is float or (isinstance(value, Real) and not is_bool(value))


def positive(value: Any) -> bool:
    """A finite number above 0."""
    return is_real(value) and 0 < value < math.inf


def count(value: Any, least: int) -> bool:
    """An integer of at least ``least``."""
    return isinstance(value, Integral) and not is_bool(value) and int(value) >= least


def one_of(*names: str) -> Rule:
    """One of some words."""
    words = "one of " + ", ".join(repr(name) for name in names)
    return (lambda value: isinstance(value, str) and value in names), words


FLAG: Rule = (is_bool, "True or False")
VERBOSE: Rule = (lambda v: is_bool(v) or count(v, 0), "True or False")
SECONDS: Rule = (lambda v: v is None or positive(v), "None or a number of seconds above 0")
THREADS: Rule = (
    lambda v: v is None or count(v, 1),
    "None (all that are available) or an integer above 0",
)
RANDOM_STATE: Rule = (
    lambda v: v is None or count(v, 0) or isinstance(v, np.random.RandomState),
    "None, an integer of at least 0 or a numpy RandomState",
)
DEGREE: Rule = (lambda v: count(v, 0), "an integer of at least 0")
GAMMA: Rule = (
    lambda v: (isinstance(v, str) and v in ("scale", "auto")) or positive(v),
    "'scale', 'auto' or a number above 0",
)
COEF0: Rule = (lambda v: is_real(v) and math.isfinite(v), "a finite number")


def check_rules(rules: Mapping[str, Rule], parameters: Mapping[str, Any]) -> None:
    """Raise a sentence for the first parameter that its rule does not allow.

    >>> check_rules({"degree": DEGREE}, {"degree": -1})
    Traceback (most recent call last):
    separatrix.errors.ParameterError: degree must be an integer of at least 0; got -1.
    """
    for name, value in parameters.items():
        allowed, words = rules[name]
        try:
            fits = bool(allowed(value))
        except (TypeError, ValueError):  # a value that cannot even be compared, such as an array
            fits = False
        if not fits:
            raise ParameterError(f"{name} must be {words}; got {value!r}.")
