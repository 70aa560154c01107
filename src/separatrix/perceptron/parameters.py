"""The parameters of Perceptron, checked: each has a rule and the words that describe it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.errors import ParameterError, with_hint
from separatrix.fitting import parameters as rules
from separatrix.fitting.parameters import (
    KERNEL_NAMES,
    Rule,
    available_threads,
    check_rules,
    count,
    one_of,
    positive,
)
from separatrix.types import Vector


@dataclass(frozen=True)
class Settings:
    """A perceptron run as the parameters describe it; see `Perceptron` for what each value means."""

    algorithm: str = "perceptron"
    bias: str = "unit"
    dual: bool = False
    multi_class: str = "kesler"
    step: float | str = 1.0
    shuffle: bool = False
    seed: int = 0
    start: int | None = None  #: None is zero, j the row whose y_j x_j the run starts at
    output: str = "last"
    budget: int | None = None
    max_epochs: int = 1000
    max_time: float | None = None
    n_threads: int = 1

    @property
    def size(self) -> float:
        """The fixed step, or the first of a decreasing schedule."""
        return 1.0 if isinstance(self.step, str) else self.step

    @property
    def decreasing(self) -> bool:
        """True if the step of update t is 1 / sqrt(t)."""
        return self.step == "decreasing"

    @property
    def one_vs_rest(self) -> bool:
        """True if each of many classes learns against the rest."""
        return self.multi_class == "ovr"

    def sizes(self, first: int, count: int) -> Vector:
        """The steps of the updates first, first + 1, ... (counted from 0), shape (count,)."""
        steps = np.full(count, self.size)
        return steps / np.sqrt(np.arange(first + 1, first + count + 1)) if self.decreasing else steps


_RULES: dict[str, Rule] = {
    "algorithm": one_of("perceptron", "gradient"),
    "bias": one_of("unit", "radius", "none"),
    "step": (
        lambda v: positive(v) or (isinstance(v, str) and v in ("decreasing", "line-search")),
        "a number above 0, 'decreasing' or 'line-search'",
    ),
    "start": (
        lambda v: (isinstance(v, str) and v == "zero") or count(v, 0),
        "'zero' or the number of the row j whose y_j x_j the run starts at",
    ),
    "kernel": (
        lambda v: callable(v) or (isinstance(v, str) and v in KERNEL_NAMES),
        one_of(*KERNEL_NAMES)[1] + " or a function",
    ),
    "degree": rules.DEGREE,
    "gamma": rules.GAMMA,
    "coef0": rules.COEF0,
    "form": one_of("auto", "primal", "dual"),
    "output": one_of("last", "averaged", "voted", "pocket"),
    "order": one_of("cyclic", "shuffle"),
    "multi_class": one_of("auto", "kesler", "ovr"),
    "budget": (lambda v: v is None or count(v, 1), "None (no limit) or an integer of at least 1"),
    "max_epochs": (lambda v: count(v, 1), "an integer of at least 1"),
    "max_time": rules.SECONDS,
    "n_threads": rules.THREADS,
    "random_state": rules.RANDOM_STATE,
    "warm_start": rules.FLAG,
    "verbose": rules.VERBOSE,
}


def check_parameters(parameters: Mapping[str, Any]) -> Settings:
    """Raise a sentence for the first parameter that cannot be; else the settings, but for the seed.

    >>> check_parameters({"algorithm": "sgd"})
    Traceback (most recent call last):
    separatrix.errors.ParameterError: algorithm must be one of 'perceptron', 'gradient'; got 'sgd'.
    """
    check_rules(_RULES, parameters)
    _check_together(parameters)
    p, gradient = parameters, parameters["algorithm"] == "gradient"
    return Settings(
        algorithm=p["algorithm"],
        bias=p["bias"],
        dual=p["form"] == "dual" or p["kernel"] != "linear",
        multi_class="ovr" if gradient or p["multi_class"] == "ovr" else "kesler",
        step=p["step"] if isinstance(p["step"], str) else float(p["step"]),
        shuffle=p["order"] == "shuffle",
        start=None if p["start"] == "zero" else int(p["start"]),
        output=p["output"],
        budget=None if p.get("budget") is None else int(p["budget"]),
        max_epochs=int(p["max_epochs"]),
        max_time=None if p["max_time"] is None else float(p["max_time"]),
        n_threads=p["n_threads"] or available_threads(),
    )


def _check_together(p: Mapping[str, Any]) -> None:
    """Raise a sentence where two values exclude each other."""
    gradient = p["algorithm"] == "gradient"
    if p["step"] == "line-search" and not gradient:
        raise with_hint(
            ParameterError,
            "step='line-search' looks for the lowest risk along the gradient; the perceptron algorithm has one row "
            "at a time and no such search.",
            "algorithm='gradient'",
        )
    if p["form"] == "primal" and p["kernel"] != "linear":
        raise with_hint(
            ParameterError,
            f"form='primal' keeps the weights w, which only kernel='linear' has; got kernel={p['kernel']!r}.",
            "form='auto'",
        )
    if gradient and p["output"] == "voted":
        raise with_hint(
            ParameterError,
            "output='voted' counts how long each weight vector survives row after row; gradient descent sees all "
            "rows at once.",
            "output='averaged'",
        )
    if gradient and p["multi_class"] == "kesler":
        raise ParameterError(
            "multi_class='kesler' belongs to algorithm='perceptron'; gradient descent has 'ovr'."
        )
    if p["warm_start"] and (gradient or p["form"] == "dual" or p["kernel"] != "linear"):
        raise ParameterError(
            "warm_start=True goes on from the weights w; it needs algorithm='perceptron' and form='primal'."
        )
    if p.get("budget") is not None:
        _check_budget(p)


def _check_budget(p: Mapping[str, Any]) -> None:
    """The theorem of the budget speaks of the plain perceptron on dual coefficients."""
    if p["form"] != "dual" and isinstance(p["kernel"], str) and p["kernel"] == "linear":
        raise with_hint(
            ParameterError,
            "budget limits the support vectors of a kernel; kernel='linear' keeps the weights w instead.",
            "leave budget=None, or form='dual'",
        )
    for name, only in (
        ("algorithm", ("perceptron",)),
        ("start", ("zero",)),
        ("output", ("last",)),
        ("multi_class", ("auto", "kesler")),
    ):
        if p[name] not in only:
            raise ParameterError(
                f"budget belongs to {name}={only[-1]!r}: the rule that forgets support vectors has a theorem there; "
                f"got {name}={p[name]!r}."
            )
    if isinstance(p["step"], str):
        raise ParameterError(
            f"budget belongs to a fixed step, which its theorem needs; got step={p['step']!r}."
        )
