"""The parameters of an estimator, checked: each has a rule and the words that describe it.

The rules of SVC are here, and what a fit needs to know of its parameters (`Settings`); the perceptron has its own.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils import check_random_state

from separatrix.errors import ParameterError, with_hint
from separatrix.fitting.drop_in import FOREIGN_VALUES
from separatrix.problem import HINGE, LOSSES, Loss
from separatrix.problem.kernels import Combines, Kernel, Linear, Precomputed
from separatrix.problem.scaling import KINDS as SCALINGS
from separatrix.solvers.choose import KERNEL_SOLVERS, SOLVERS
from separatrix.types import Bias

#: A test of a value, and the allowed values in words.
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
            sentence = f"{name} must be {words}; got {value!r}."
            known = FOREIGN_VALUES.get((name, value)) if isinstance(value, str | int) else None
            raise ParameterError(sentence) if known is None else with_hint(ParameterError, sentence, known)


LARGEST_C = 1e10  #: beyond this, float64 cannot hold the loss and the penalty in one sum
_SEEDS = 2**31 - 1  # seeds are below this, as scikit-learn draws them


@dataclass(frozen=True)
class Settings:
    """Parameters of SVC as a fit uses them: the problem that is posed, then how it is solved."""

    C: float = 1.0
    loss: Loss = HINGE
    bias: Bias = "free"
    kernel: Kernel | None = None  #: None: linear, with w at hand
    solver: str = "auto"
    tol: float = 1e-3
    max_iter: int | None = None  #: steps for each binary problem
    max_time: float | None = None  #: seconds
    n_threads: int = 1
    cache_mb: float = 500.0


_RULES: dict[str, Rule] = {
    "C": (
        lambda v: is_real(v) and v > 0,
        f"a finite number above 0 and at most {LARGEST_C:g}, or inf for the hard margin",
    ),
    "loss": one_of(*LOSSES),
    "scaling": (
        lambda v: v is None or (isinstance(v, str) and v in SCALINGS),
        "None, " + ", ".join(map(repr, SCALINGS)),
    ),
    "bias": one_of("free", "augmented", "none"),
    "kernel": (
        lambda v: isinstance(v, Combines) or callable(v) or v in KERNEL_NAMES,
        one_of(*KERNEL_NAMES)[1] + ", a kernel object or a function",
    ),
    "degree": DEGREE,
    "gamma": GAMMA,
    "coef0": COEF0,
    "solver": one_of(*dict.fromkeys((*SOLVERS, *KERNEL_SOLVERS))),
    "tol": (positive, "a number above 0 (a relative duality gap, such as 1e-3)"),
    "max_iter": (lambda v: v is None or count(v, 1), "None or an integer of at least 1"),
    "max_time": SECONDS,
    "class_weight": (
        lambda v: v is None or isinstance(v, Mapping) or (isinstance(v, str) and v == "balanced"),
        "None, 'balanced' or a dict from class to weight",
    ),
    "multi_class": one_of("ovr", "ovo", "crammer-singer"),
    "cache_mb": (positive, "a number of megabytes above 0"),
    "n_threads": THREADS,
    "random_state": RANDOM_STATE,
    "warm_start": FLAG,
    "strict": FLAG,
    "verbose": VERBOSE,
}


def check_parameters(parameters: Mapping[str, Any]) -> Settings:
    """Raise a sentence for the first parameter that cannot be; else return the settings of the fit.

    >>> check_parameters({"C": -1.0})
    Traceback (most recent call last):
    separatrix.errors.ParameterError: C must be a finite number above 0 and at most 1e+10, or inf ...; got -1.0.
    """
    check_rules(_RULES, parameters)
    _check_available(parameters)
    max_iter, max_time = parameters["max_iter"], parameters["max_time"]
    return Settings(
        C=float(parameters["C"]),
        loss=LOSSES[parameters["loss"]],
        bias=parameters["bias"],
        solver=parameters["solver"],
        tol=float(parameters["tol"]),
        max_iter=None if max_iter is None else int(max_iter),
        max_time=None if max_time is None else float(max_time),
        n_threads=parameters["n_threads"] or available_threads(),
        cache_mb=float(parameters["cache_mb"]),
    )


def is_linear(kernel: Any) -> bool:
    """True where w is a vector of the space of X itself."""
    return isinstance(kernel, Linear) or (isinstance(kernel, str) and kernel == "linear")


def is_precomputed(kernel: Any) -> bool:
    """True where X holds kernel values."""
    return isinstance(kernel, Precomputed) or (isinstance(kernel, str) and kernel == "precomputed")


def _check_available(parameters: Mapping[str, Any]) -> None:
    """Say plainly which promised values this version does not have yet."""
    C, allowed = parameters["C"], SOLVERS if is_linear(parameters["kernel"]) else KERNEL_SOLVERS
    if math.isinf(C) and parameters["bias"] == "augmented":
        raise with_hint(
            ParameterError,
            "C = inf, the hard margin, is for bias='free' or 'none'; got bias='augmented'.",
            "a penalised bias is a column of ones and bias='none'",
        )
    if LARGEST_C < C < math.inf:
        raise with_hint(
            ParameterError, f"C must be {_RULES['C'][1]}; got {C!r}.", "rescale the columns of X instead"
        )
    if parameters["solver"] not in allowed:
        names = ", ".join(map(repr, allowed))
        raise ParameterError(
            f"With kernel={parameters['kernel']!r} solver must be one of {names}; got {parameters['solver']!r}."
        )
    if parameters.get("scaling") is not None and is_precomputed(parameters["kernel"]):
        raise with_hint(
            ParameterError,
            f"scaling={parameters['scaling']!r} needs columns, and kernel='precomputed' has none.",
            "scale the rows before their kernel values are computed",
        )
    if parameters["multi_class"] == "crammer-singer":
        if parameters["loss"] != "hinge":
            raise ParameterError(
                f"multi_class='crammer-singer' is for loss='hinge'; got loss={parameters['loss']!r}."
            )
        if math.isinf(C):
            raise with_hint(
                ParameterError, "multi_class='crammer-singer' needs a finite C; got inf.", "'ovr' or 'ovo'"
            )


def available_threads() -> int:
    """The processors this process may use, or OMP_NUM_THREADS if that is fewer.

    joblib sets that variable in its workers; obeying it keeps them from crowding each other out.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return min(cores, int(asked)) if asked.isdigit() and int(asked) > 0 else cores


def seed_of(random_state: Any) -> int:
    """Return a number from 0 to 2^31 - 2: the integer that was given, one drawn from a generator, or 0 for None.

    None is a fixed seed, so that two identical fits give identical digits. An integer is not made the seed of a
    generator first: making one takes as long as a small fit.

    >>> seed_of(7), seed_of(None)
    (7, 0)
    """
    if random_state is None:
        return 0
    if isinstance(random_state, Integral) and 0 <= int(random_state) < _SEEDS:
        return int(random_state)
    return int(check_random_state(random_state).randint(_SEEDS))
