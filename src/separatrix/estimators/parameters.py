"""The parameters of SVC, checked: each has a rule and the words that describe it."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from separatrix.errors import ParameterError
from separatrix.problem import LOSSES, Bias, Loss
from separatrix.problem.kernels import Combines, Kernel, Linear
from separatrix.solvers.choose import SOLVERS
from separatrix.solvers.choose_kernel import KERNEL_SOLVERS

#: Beyond this, float64 cannot hold the loss and the penalty in one sum.
LARGEST_C = 1e10

_KERNELS = ("linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed")


@dataclass(frozen=True)
class Settings:
    """What a fit needs to know of the parameters of SVC."""

    C: float
    loss: Loss
    bias: Bias
    solver: str
    tol: float
    max_iter: int | None
    max_time: float | None
    n_threads: int
    cache_mb: float = 500.0
    kernel: Kernel | None = None  #: None: linear, with w at hand


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not _is_bool(value)


def _positive(value: Any) -> bool:
    return _is_real(value) and 0 < value < math.inf


def _count(value: Any, least: int) -> bool:
    return isinstance(value, Integral) and not _is_bool(value) and int(value) >= least


def _one_of(*names: str) -> tuple[Callable[[Any], bool], str]:
    return (
        lambda value: isinstance(value, str) and value in names,
        "one of " + ", ".join(repr(name) for name in names),
    )


_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "C": (
        lambda v: _is_real(v) and v > 0,
        f"a finite number above 0 and at most {LARGEST_C:g}, or inf for the hard margin",
    ),
    "loss": _one_of(*LOSSES),
    "bias": _one_of("free", "augmented", "none"),
    "kernel": (
        lambda v: isinstance(v, Combines) or callable(v) or v in _KERNELS,
        _one_of(*_KERNELS)[1] + ", a kernel object or a function",
    ),
    "degree": (lambda v: _count(v, 0), "an integer of at least 0"),
    "gamma": (lambda v: v in ("scale", "auto") or _positive(v), "'scale', 'auto' or a number above 0"),
    "coef0": (lambda v: _is_real(v) and math.isfinite(v), "a finite number"),
    "solver": _one_of(*dict.fromkeys((*SOLVERS, *KERNEL_SOLVERS))),
    "tol": (_positive, "a number above 0 (a relative duality gap, such as 1e-3)"),
    "max_iter": (lambda v: v is None or _count(v, 1), "None or an integer of at least 1"),
    "max_time": (lambda v: v is None or _positive(v), "None or a number of seconds above 0"),
    "class_weight": (
        lambda v: v is None or isinstance(v, Mapping) or (isinstance(v, str) and v == "balanced"),
        "None, 'balanced' or a dict from class to weight",
    ),
    "multi_class": _one_of("ovr", "ovo", "crammer-singer"),
    "cache_mb": (_positive, "a number of megabytes above 0"),
    "n_threads": (lambda v: v is None or _count(v, 1), "None (all that are available) or an integer above 0"),
    "random_state": (
        lambda v: v is None or _count(v, 0) or isinstance(v, np.random.RandomState),
        "None, an integer of at least 0 or a numpy RandomState",
    ),
    "warm_start": (_is_bool, "True or False"),
    "strict": (_is_bool, "True or False"),
    "verbose": (lambda v: _is_bool(v) or _count(v, 0), "True or False"),
}


def check_parameters(parameters: Mapping[str, Any]) -> Settings:
    """Raise a sentence for the first parameter that cannot be; else what a fit needs to know.

    >>> check_parameters({"C": -1.0})
    Traceback (most recent call last):
    separatrix.errors.ParameterError: C must be a finite number above 0 and at most 1e+10, or inf ...; got -1.0.
    """
    for name, value in parameters.items():
        allowed, words = _RULES[name]
        try:
            fits = bool(allowed(value))
        except (TypeError, ValueError):  # a value that cannot even be compared, such as an array
            fits = False
        if not fits:
            raise ParameterError(f"{name} must be {words}; got {value!r}.")
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
    """Whether w is a vector of the space of X itself."""
    return isinstance(kernel, Linear) or (isinstance(kernel, str) and kernel == "linear")


def _check_available(parameters: Mapping[str, Any]) -> None:
    """Say plainly which promised values this version does not have yet."""
    C, allowed = parameters["C"], SOLVERS if is_linear(parameters["kernel"]) else KERNEL_SOLVERS
    if math.isinf(C) and parameters["bias"] == "augmented":
        raise ParameterError(
            "C = inf, the hard margin, is for bias='free' or 'none'; got bias='augmented'. Hint: a penalised bias "
            "is a column of ones and bias='none'."
        )
    if LARGEST_C < C < math.inf:
        raise ParameterError(
            f"C must be {_RULES['C'][1]}; got {C!r}. Hint: rescale the columns of X instead."
        )
    if parameters["solver"] not in allowed:
        names = ", ".join(map(repr, allowed))
        raise ParameterError(
            f"With kernel={parameters['kernel']!r} solver must be one of {names}; got {parameters['solver']!r}."
        )
    if parameters["multi_class"] == "crammer-singer":
        if parameters["loss"] != "hinge":
            raise ParameterError(
                f"multi_class='crammer-singer' is for loss='hinge'; got loss={parameters['loss']!r}."
            )
        if math.isinf(C):
            raise ParameterError(
                "multi_class='crammer-singer' needs a finite C; got inf. Hint: 'ovr' or 'ovo'."
            )


def available_threads() -> int:
    """The processors this process may use, or OMP_NUM_THREADS if that is fewer.

    joblib sets that variable in its workers; obeying it keeps them from crowding each other out.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return min(cores, int(asked)) if asked.isdigit() and int(asked) > 0 else cores
