"""The answer of an audit: one record for each binary problem, and its sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Any

import numpy as np

from separatrix.audit.claim import Expansion, Hyperplane, Objective
from separatrix.audit.measure import Measured
from separatrix.fitting.results import Deferred
from separatrix.proof.certificate import Certificate
from separatrix.types import Vector

#: Relative excess from which a model is said to have stopped above the optimum.
_LARGE_EXCESS = 0.01
_LOSSES = {"hinge": "max(0, 1 - y_i f(x_i))", "squared_hinge": "max(0, 1 - y_i f(x_i))^2"}


@dataclass(frozen=True, eq=False)
class Audit:
    """Distance of a fitted model from the optimum of the problem it claims to solve. ``print`` shows it in words."""

    model: str  #: its library and class, or its file
    positive: Any  #: the class where f(x) > 0
    negative: Any  #: the other one; None: all the rest
    problem: str  #: the problem that the model claims to solve, as a sentence
    verdict: str  #: its distance from the optimum, as a sentence
    rows: int
    primal: float | None  #: the objective at the model's own point; None: it has no objective
    dual: float | None  #: a proved lower bound on the optimum; None: there is none
    best_primal: float | None  #: the least objective that was found: the optimum is at most this
    gap: float | None  #: (primal - dual) / primal
    excess: tuple[float, float] | None  #: bounds on (primal - optimum) / optimum
    margin: float  #: least y_i f(x_i) / ||w||, the geometric margin; negative where rows are misclassified
    functional_margin: float  #: least y_i f(x_i)
    slab: float  #: 2 / ||w||, the width between f = -1 and f = +1
    errors: int  #: rows with y_i f(x_i) <= 0
    separability: str | None  #: "separable", "quasi-separable", "inseparable"; None: not decided
    seconds: float
    notes: tuple[str, ...]
    _certificate: Deferred[Certificate | None] = field(repr=False)
    _optimum_certificate: Deferred[Certificate | None] = field(repr=False)

    @property
    def certificate(self) -> Certificate | None:
        """The proof that the optimum lies between ``dual`` and ``primal``, at the model's own (w, b)."""
        return self._certificate.get()

    @property
    def optimum_certificate(self) -> Certificate | None:
        """The proof that the optimum lies between ``dual`` and ``best_primal``."""
        return self._optimum_certificate.get()

    def to_dict(self) -> dict[str, Any]:
        """All values as JSON can hold them, without the certificates; a number that is not finite becomes None."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self) if not f.name.startswith("_")}

    def __str__(self) -> str:
        lines = [self.verdict, "", f"  model          {self.model}", f"  problem        {self.problem}"]
        if self.primal is not None:
            lines.append(f"  its objective  {self.primal:.12g}")
        if self.dual is not None and self.best_primal is not None and self.gap is not None:
            lines.append(f"  the optimum    between {self.dual:.12g} and {self.best_primal:.12g}")
            lines.append(f"  relative gap   {self.gap:.3g}")
        side = "on its own side" if self.margin > 0 else "not on its own side"
        lines += [
            f"  margin         {self.slab / 2:.6g} = 1 / |w|, half the width of the slab between f = -1 and f = 1",
            f"  worst row      {abs(self.margin):.6g} from the boundary, {side} (y f = {self.functional_margin:.6g})",
        ]
        lines.append(f"  errors         {self.errors} of {self.rows} training rows")
        lines.append(f"  the classes    {self.separability or 'separability not decided'}")
        lines.append(f"  time           {self.seconds:.3g} s")
        return "\n".join(lines + [f"  note           {note}" for note in self.notes])


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


class Audits(Mapping[Any, Audit]):
    """One audit for each binary problem of a model of many classes, by class or by pair of classes."""

    def __init__(self, audits: Mapping[Any, Audit]) -> None:
        self._audits: dict[Any, Audit] = dict(audits)

    def __getitem__(self, key: Any) -> Audit:
        return self._audits[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._audits)

    def __len__(self) -> int:
        return len(self._audits)

    @property
    def gap(self) -> float | None:
        """The largest of the gaps; None if one of them is not known."""
        gaps = [audit.gap for audit in self.values()]
        return None if any(gap is None for gap in gaps) else max(gap for gap in gaps if gap is not None)

    @property
    def worst(self) -> Any:
        """The key of the audit with the largest gap; of the first where the gaps are not known."""
        return max(self, key=lambda key: -1.0 if (gap := self[key].gap) is None else gap)

    @property
    def verdict(self) -> str:
        """The verdict of the worst problem."""
        return f"{len(self)} binary problems; the worst is {self.worst!r}: {self[self.worst].verdict}"

    def to_dict(self) -> dict[str, Any]:
        """Each audit as a dictionary, by the text of its key."""
        return {str(key): audit.to_dict() for key, audit in self.items()}

    def __str__(self) -> str:
        return "\n\n".join([self.verdict, *(f"[{key!r}] {audit}" for key, audit in self.items())])

    def __repr__(self) -> str:
        return f"Audits({list(self)})"


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
    """Name the problem that the model claims to solve."""
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
    """Say how far the model is from the optimum, or that it has none."""
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
        if most >= _LARGE_EXCESS:
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
