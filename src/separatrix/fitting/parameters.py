"""The parameters of SVC, checked: each has a rule and the words that describe it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from separatrix.errors import ParameterError
from separatrix.fitting import parameter_checks as rules
from separatrix.fitting.parameter_checks import (
    KERNEL_NAMES,
    Rule,
    check_rules,
    count,
    is_real,
    one_of,
    positive,
)
from separatrix.problem import LOSSES, Loss
from separatrix.problem.kernels import Combines, Kernel, Linear
from separatrix.solvers.choose import KERNEL_SOLVERS, SOLVERS
from separatrix.types import Bias

#: Beyond this, float64 cannot hold the loss and the penalty in one sum.
LARGEST_C = 1e10


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


_RULES: dict[str, Rule] = {
    "C": (
        lambda v: is_real(v) and v > 0,
        f"a finite number above 0 and at most {LARGEST_C:g}, or inf for the hard margin",
    ),
    "loss": one_of(*LOSSES),
    "bias": one_of("free", "augmented", "none"),
    "kernel": (
        lambda v: isinstance(v, Combines) or callable(v) or v in KERNEL_NAMES,
        one_of(*KERNEL_NAMES)[1] + ", a kernel object or a function",
    ),
    "degree": rules.DEGREE,
    "gamma": rules.GAMMA,
    "coef0": rules.COEF0,
    "solver": one_of(*dict.fromkeys((*SOLVERS, *KERNEL_SOLVERS))),
    "tol": (positive, "a number above 0 (a relative duality gap, such as 1e-3)"),
    "max_iter": (lambda v: v is None or count(v, 1), "None or an integer of at least 1"),
    "max_time": rules.SECONDS,
    "class_weight": (
        lambda v: v is None or isinstance(v, Mapping) or (isinstance(v, str) and v == "balanced"),
        "None, 'balanced' or a dict from class to weight",
    ),
    "multi_class": one_of("ovr", "ovo", "crammer-singer"),
    "cache_mb": (positive, "a number of megabytes above 0"),
    "n_threads": rules.THREADS,
    "random_state": rules.RANDOM_STATE,
    "warm_start": rules.FLAG,
    "strict": rules.FLAG,
    "verbose": rules.VERBOSE,
}


def check_parameters(parameters: Mapping[str, Any]) -> Settings:
    """Raise a sentence for the first parameter that cannot be; else what a fit needs to know.

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
