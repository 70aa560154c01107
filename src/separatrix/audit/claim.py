"""The claims of a model as plain records: its rows, its objective, its surface.

A reader (for scikit-learn, LIBSVM files, ...) turns a model into `ModelClaims`; everything after it uses only these
records. A surface is f(x) = w.x + b, or f(x) = sum_j coef_j k(z_j, x) + b.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problem import Loss
from separatrix.problem.kernels import Kernel
from separatrix.types import Bias, Index, Matrix, Vector


class Unauditable(ValueError):
    """A model that cannot be audited; the message says why, and what to do instead."""


@dataclass(frozen=True, eq=False)
class AuditData:
    """The data of an audit: rows X (n, d), the classes of y (k,), codes (n,) into them, weights (n,)."""

    X: Matrix
    classes: NDArray[Any]
    codes: Index
    weights: Vector

    @cached_property
    def names(self) -> list[Any]:
        """The classes as plain Python values."""
        return list(self.classes.tolist())

    @property
    def labels(self) -> NDArray[Any]:
        """y, shape (n,)."""
        return np.asarray(self.classes[self.codes])

    def code(self, label: Any) -> int:
        """The code of a class that a model knows."""
        label = label.item() if isinstance(label, np.generic) else label
        if label not in self.names:
            raise ValueError(
                f"The model knows the class {label!r}, but y holds only {self.names}; "
                "an audit needs the X and y that the model was trained on."
            )
        return self.names.index(label)

    def check_classes(self, known: list[Any]) -> None:
        """Raise a sentence if y holds a class that the model does not know, or lacks one that it knows."""
        for label in known:
            self.code(label)
        unknown = [name for name in self.names if name not in known]
        if unknown:
            raise ValueError(
                f"y holds {unknown}, which the model does not know; its classes are {known}. "
                "An audit needs the X and y that the model was trained on."
            )


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """f(x) = w.x + b."""

    w: Vector
    b: float


@dataclass(frozen=True, eq=False)
class Expansion:
    """f(x) = sum_j coef_j k(z_j, x) + b. With a precomputed kernel z_j is the training row rows[j]."""

    kernel: Kernel
    vectors: Any
    rows: Index | None
    coef: Vector
    b: float


@dataclass(frozen=True, eq=False)
class Objective:
    """Function that the model minimises: 1/2 ||w||^2 [+ 1/2 (b / bias_scale)^2] + sum_i cost_i loss(y_i f(x_i)).

    cost (n,) runs over all rows that were given; rows of other classes are left out later. The square bracket
    counts if the bias is augmented: it is then the weight of a column that holds ``bias_scale``.
    """

    loss: Loss
    bias: Bias
    cost: Vector
    bias_scale: float = 1.0


@dataclass(frozen=True, eq=False)
class Claim:
    """One binary problem of a model: class ``positive`` against ``negative`` (None: all the rest)."""

    key: Any
    positive: Any
    negative: Any
    surface: Hyperplane | Expansion
    objective: Objective | None  #: None: the algorithm minimises no fixed objective
    alpha: Vector | None = None  #: (n,) the model's own dual variables, where it has them


@dataclass(frozen=True, eq=False)
class ModelClaims:
    """The binary problems of a model, as its reader understood them."""

    name: str
    claims: list[Claim]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class CallerOptions:
    """Settings that the caller states for a model that does not store them; None: not stated."""

    C: float | None = None
    loss: str | None = None
    bias: str | None = None
    class_weight: Any = None

    def refuse(self, name: str) -> None:
        """Raise a sentence if a setting was stated that the model stores itself."""
        stated = [key for key, value in vars(self).items() if value is not None]
        if stated:
            raise ValueError(
                f"{', '.join(stated)} must not be passed for {name}, which holds its own; "
                "they are for (w, b) and for model files."
            )


def class_weights(class_weight: Any, data: AuditData, *, weighted: bool) -> Vector:
    """The weight of each class (k,), as scikit-learn computes it; "balanced" is n / (k count).

    ``weighted``: the balance counts sample weights rather than rows.
    """
    k = len(data.classes)
    if class_weight is None:
        return np.ones(k)
    if isinstance(class_weight, Mapping):
        return np.array([float(class_weight.get(name, 1.0)) for name in data.names])
    if class_weight != "balanced":
        raise ValueError(f"class_weight must be None, 'balanced' or a dict; got {class_weight!r}.")
    counts = np.bincount(data.codes, data.weights if weighted else None, minlength=k).astype(np.float64)
    return np.asarray(counts.sum() / (k * counts))


def one_against_rest(C: float, by_class: Vector, data: AuditData, positive: int) -> Vector:
    """C_i (n,) as LIBLINEAR and SGDClassifier weigh one class against the rest.

    With two classes each has its weight. With more, only the class against the rest has it; the rest has weight 1.
    """
    weight = by_class[data.codes]
    if len(by_class) > 2:
        weight = np.where(data.codes == positive, weight, 1.0)
    return np.asarray(C * data.weights * weight)
