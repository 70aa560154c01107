"""The answer of an audit: one record for each binary problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Any

from separatrix.fitting.deferred import Deferred
from separatrix.proof.certificate import Certificate


@dataclass(frozen=True, eq=False)
class Audit:
    """How good a fitted model is at the problem it claims to solve. ``print`` shows it in words."""

    model: str  #: where it comes from
    positive: Any  #: the class where f(x) > 0
    negative: Any  #: the other one; None: all the rest
    problem: str  #: which problem the model claims to solve, as a sentence
    verdict: str  #: how far it is from the optimum, as a sentence
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
        """All values as JSON can hold them, without the certificates; what is not finite becomes None."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self) if not f.name.startswith("_")}

    def __str__(self) -> str:
        lines = [self.verdict, "", f"  model          {self.model}", f"  problem        {self.problem}"]
        if self.primal is not None:
            lines.append(f"  its objective  {self.primal:.12g}")
        if self.dual is not None and self.best_primal is not None and self.gap is not None:
            lines.append(f"  the optimum    between {self.dual:.12g} and {self.best_primal:.12g}")
            lines.append(f"  relative gap   {self.gap:.3g}")
        lines.append(
            f"  margin         {self.margin:.6g} geometric, {self.functional_margin:.6g} functional; "
            f"slab {self.slab:.6g} wide"
        )
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
