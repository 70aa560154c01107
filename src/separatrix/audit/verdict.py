"""What was measured, in plain language."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.audit.claim import Expansion, Hyperplane, Objective
from separatrix.audit.measured import Measured
from separatrix.types import Vector

_LARGE = 0.01  # an excess from here on is something that "stopped above the optimum"
_LOSSES = {"hinge": "max(0, 1 - y_i f(x_i))", "squared_hinge": "max(0, 1 - y_i f(x_i))^2"}


def percent(part: float) -> str:
    """A fraction in per cent, two digits.

    >>> percent(0.3412), percent(0.0002), percent(3e-11)
    ('34 %', '0.02 %', '3e-09 %')
    """
    value = 100.0 * part
    if value >= 99.5:
        return f"{value:.0f} %" if value < 1e6 else f"{value:.1e} %"
    return f"{value:.2g} %"


def objective_sentence(
    objective: Objective | None,
    surface: Hyperplane | Expansion,
    y: Vector,
    sides: tuple[str, str],
    columns: int,
) -> str:
    """Which problem the model claims to solve."""
    data = f"{sides[0]} against {sides[1]}, {len(y)} rows, {columns} columns"
    if objective is None:
        return f"No objective; {data}."
    kernel = "linear kernel" if isinstance(surface, Hyperplane) else _kernel_words(surface)
    penalty = "1/2 |w|^2"
    bias = {"free": "b is free", "none": "b = 0", "augmented": "b is penalised"}[objective.bias]
    if objective.bias == "augmented":
        penalty += " + 1/2 b^2" if objective.bias_scale == 1 else f" + 1/2 (b / {objective.bias_scale:g})^2"
    cost = _cost_words(objective.cost, y, sides)
    return f"Minimise {penalty} + sum_i C_i {_LOSSES[objective.loss.name]}; {cost}; {bias}; {kernel}; {data}."


def _kernel_words(surface: Expansion) -> str:
    settings = {
        name: value for name, value in vars(surface.kernel).items() if name not in ("name", "function")
    }
    words = ", ".join(f"{name} = {value:.6g}" for name, value in settings.items())
    return f"{surface.kernel.name} kernel" + (f" ({words})" if words else "")


def _cost_words(cost: Vector, y: Vector, sides: tuple[str, str]) -> str:
    plus, minus = np.unique(cost[y > 0]), np.unique(cost[y < 0])
    if len(plus) == len(minus) == 1:
        if plus[0] == minus[0]:
            return f"C = {plus[0]:.6g}"
        return f"C = {plus[0]:.6g} for {sides[0]} and {minus[0]:.6g} for {sides[1]}"
    return f"C_i between {cost.min():.6g} and {cost.max():.6g}"


def verdict_sentence(measured: Measured, errors: int, rows: int, tol: float) -> str:
    """How far the model is from the optimum, or that it has none."""
    if measured.primal is None:
        return f"This model minimises no objective that could be compared; it has {_errors(errors, rows)}."
    if measured.optimum is None or measured.excess is None:
        return f"No bound on the optimum is available for this model; it has {_errors(errors, rows)}."
    least, most = measured.excess
    if most == np.inf:
        return "No useful bound on the optimum was proved within the time; raise max_time."
    if most <= max(tol, 1e-9):
        return f"This model is optimal to within {percent(most)}."
    if most - least <= 0.05 * most:
        if most >= _LARGE:
            return f"This model stopped {percent(most)} above the optimum."
        return f"This model is at most {percent(most)} from the optimum."
    if least > 0:
        return (
            f"This model is between {percent(least)} and {percent(most)} above the optimum; "
            "more time would tell more closely."
        )
    return f"This model is at most {percent(most)} from the optimum."


def _errors(errors: int, rows: int) -> str:
    return f"{errors} training errors on {rows} rows"


def side_words(label: Any, others: list[Any]) -> str:
    """The label of a side, or "the rest"."""
    return repr(label) if label is not None else "the rest" if len(others) > 1 else repr(others[0])
