"""The answers of a fit: one for each binary problem, or one for all classes at once.

Expensive parts, such as certificates, are built when they are first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, ValuesView
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import Result, Solution
from separatrix.proof.certificate import Certificate
from separatrix.types import Index, Vector

Value = TypeVar("Value")


class Deferred(Generic[Value]):
    """Holds a recipe until `get` is called, then only what it made.

    A fitted model refers to its training arrays through recipes, so that expensive parts (the SHA-256 of
    the data, a copy of the support vectors) cost nothing unless they are wanted. Pickling and deep copying
    build the value first: the data stay behind. A recipe that fails then is kept as its error, raised by
    `get`, so that a model can always be saved.

    >>> made = Deferred(lambda: 6 * 7)
    >>> made.get()
    42
    """

    def __init__(self, recipe: Callable[[], Value]) -> None:
        self._recipe: Callable[[], Value] | None = recipe
        self._value: Value | None = None
        self._error: Exception | None = None

    def get(self) -> Value:
        """The value; built once."""
        if self._error is not None:
            raise self._error
        recipe = self._recipe
        if recipe is not None:
            self._value = recipe()
            self._recipe = None
        return self._value  # type: ignore[return-value]  # set once the recipe is gone

    def __getstate__(self) -> dict[str, Any]:
        try:
            return {"_recipe": None, "_value": self.get(), "_error": None}
        except Exception as error:
            return {"_recipe": None, "_value": None, "_error": error}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


@dataclass(frozen=True, eq=False, kw_only=True)
class ProvedResult(Result):
    """The answer to one problem of a fit, with its proof. Arrays run over the m rows of that problem."""

    rows: Index  #: (m,) training rows that take part, in order
    cost: Vector  #: (m,) C_i
    slack: Vector  #: (m,) max(0, 1 - y_i (w.x_i + b)), or its like in a joint problem
    deferred: Deferred[Certificate] = field(repr=False)

    @property
    def certificate(self) -> Certificate:
        """The proof of ``gap``; built when first asked for."""
        return self.deferred.get()


@dataclass(frozen=True, eq=False, kw_only=True)
class BinaryFit(ProvedResult):
    """The whole answer to one binary problem.

    ``positive`` is the class on the side where ``x.coef + intercept > 0``, ``negative`` the other one (None:
    all the rest).
    """

    positive: Any
    negative: Any
    coef: Vector  #: (d,); empty with a kernel, where w is a sum over ``support``
    intercept: float
    intercept_interval: tuple[float, float]  #: every best bias for this coef
    alpha: Vector  #: (m,)
    squared: bool  #: True for the squared hinge (of no account in a hard margin)
    C_hard: Deferred[float] | None = field(default=None, repr=False)  #: with C = inf, see `least_cost`
    kernel_norm: float | None = None  #: ||w|| in the space of the kernel; None: w is ``coef``

    @staticmethod
    def of(solution: Solution, sides: tuple[Any, Any], **known: Any) -> BinaryFit:
        """The answer of a solution; ``sides`` are the positive and the negative class, ``known`` all other fields."""
        return BinaryFit(
            positive=sides[0],
            negative=sides[1],
            coef=np.empty(0) if solution.w is None else solution.w,
            intercept=solution.b,
            intercept_interval=solution.interval or (solution.b, solution.b),
            alpha=solution.alpha,
            **solution.outcome(),
            **known,
        )

    @property
    def support(self) -> NDArray[np.intp]:
        """The training rows with alpha > 0."""
        return self.rows[self.alpha > 0]

    @property
    def support_kind(self) -> NDArray[np.str_]:
        """For each of ``support``: "slack" if alpha_i = C_i, else "margin".

        The squared hinge has alpha_i = 2 C_i slack_i at the optimum: every support vector uses slack.
        """
        slack = self.squared | (self.alpha >= self.cost)
        return np.where(slack, "slack", "margin")[self.alpha > 0]

    @property
    def margin(self) -> float:
        """Geometric margin 1 / ||w||."""
        norm = float(np.linalg.norm(self.coef)) if self.kernel_norm is None else self.kernel_norm
        return 1.0 / norm if norm > 0 else float("inf")

    @property
    def slab_width(self) -> float:
        """Width 2 / ||w|| of the slab between the two margins."""
        return 2.0 * self.margin


class Problems(Mapping[Any, BinaryFit]):
    """The result of each binary problem: ``problems["a"]``, or ``problems["a", "b"]`` for pairs."""

    def __init__(self, results: Mapping[Any, BinaryFit]) -> None:
        self._results: dict[Any, BinaryFit] = dict(results)

    def __getitem__(self, key: Any) -> BinaryFit:
        try:
            return self._results[key]
        except KeyError:
            names = ", ".join(map(repr, self._results))
            raise KeyError(f"{key!r} names no problem of this model; it has {names}.") from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def values(self) -> ValuesView[BinaryFit]:
        """The results, in order; that of `Mapping` finds each of them by its key."""
        return self._results.values()

    def __repr__(self) -> str:
        return f"Problems({list(self._results)})"

    def __getstate__(self) -> dict[str, Any]:
        """Names and results in two lists: some formats cannot hold a pair of classes as the key of a dictionary."""
        return {"names": list(self._results), "results": list(self._results.values())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._results = dict(zip(state["names"], state["results"], strict=True))


@dataclass(frozen=True, eq=False, kw_only=True)
class JointFit(ProvedResult):
    """The whole answer to one joint problem of k classes; its certificate speaks of all of them."""

    classes: tuple[Any, ...]
    A: Vector  #: (m, k)
    coef: Vector  #: (k, d); (k, 0) with a kernel
    intercept: Vector  #: (k,)
    norms: Vector  #: (k,) ||w_m||

    @property
    def margin(self) -> Vector:
        """Geometric margins 1 / ||w_m||, (k,)."""
        with np.errstate(divide="ignore"):
            return 1.0 / self.norms


@dataclass(frozen=True, eq=False)
class ClassResult:
    """Share of one class in a joint problem; everything else is in ``joint``."""

    positive: Any
    intercept: float
    alpha: Vector  #: (m,) |A| of this class
    joint: JointFit = field(repr=False)

    @property
    def certificate(self) -> Certificate:
        """The proof, which speaks of all classes."""
        return self.joint.certificate


class JointProblems(Mapping[Any, ClassResult]):
    """``problems["a"]`` is the share of class "a" in the joint problem; ``problems.joint`` is the problem itself."""

    def __init__(self, joint: JointFit) -> None:
        self.joint = joint

    def __getitem__(self, key: Any) -> ClassResult:
        if key not in self.joint.classes:
            raise KeyError(f"{key!r} is no class of this model; it has {', '.join(map(repr, self))}.")
        m = self.joint.classes.index(key)
        return ClassResult(key, float(self.joint.intercept[m]), np.abs(self.joint.A[:, m]), self.joint)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.joint.classes)

    def __len__(self) -> int:
        return len(self.joint.classes)
