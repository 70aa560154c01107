"""The regularisation path: the same classifier for many C, each fit starting where the last one ended.

C_1 < C_2 < ...      alpha_i <- min(alpha_i C_(k+1) / C_k, C_(k+1))      a certificate at every point
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from separatrix.errors import ParameterError
from separatrix.svm.svc import SVC, fit_observed


@dataclass(frozen=True, eq=False)
class Path(Sequence[SVC]):
    """Fitted models, one for each C, in the order in which the C were given.

    ``path[k]`` is a whole `SVC` with its certificate; the arrays below have one entry for each.
    """

    models: tuple[SVC, ...]

    def __getitem__(self, index: Any) -> Any:
        return self.models[index]

    def __len__(self) -> int:
        return len(self.models)

    def __iter__(self) -> Iterator[SVC]:
        return iter(self.models)

    def __repr__(self) -> str:
        return f"Path({len(self)} models, C from {self.Cs.min():g} to {self.Cs.max():g})"

    @property
    def Cs(self) -> NDArray[np.float64]:  # noqa: N802  # C is the name of the subject
        """(m,)"""
        return np.array([float(model.C) for model in self.models])

    @property
    def coefs(self) -> NDArray[np.float64]:
        """coef_ of every model, (m, ..., d); only for kernel="linear"."""
        return np.stack([model.coef_ for model in self.models])

    @property
    def gaps(self) -> NDArray[np.float64]:
        """Relative duality gaps, (m,)."""
        return np.array([model.gap_ for model in self.models])

    @property
    def n_support(self) -> NDArray[np.int64]:
        """Support vectors, (m,)."""
        return np.array([len(model.support_) for model in self.models])

    @property
    def certificates(self) -> list[Any]:
        """certificate_ of every model."""
        return [model.certificate_ for model in self.models]

    def scores(self, X: Any, y: Any) -> NDArray[np.float64]:
        """Accuracy of every model on X and y, (m,)."""
        return np.array([model.score(X, y) for model in self.models])


def path(X: Any, y: Any, Cs: Iterable[float], *, sample_weight: Any = None, **parameters: Any) -> Path:
    """Fit `SVC` for every C, from the smallest up, each warm-started from the one before.

    Parameters
    ----------
    X, y, sample_weight
        As for `SVC.fit`.
    Cs
        Finite numbers above 0, in any order.
    parameters
        Of `SVC`, other than C and warm_start.

    >>> import numpy as np
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1]
    >>> found = path(X, y, [0.1, 1.0, 10.0])
    >>> found, [round(float(w), 3) for w in found.coefs.ravel()], bool(np.all(found.gaps <= 1e-3))
    (Path(3 models, C from 0.1 to 10), [0.4, 1.0, 2.0], True)

    Reference: T. Hastie, S. Rosset, R. Tibshirani, J. Zhu, The entire regularization path for the support vector
    machine, JMLR 5 (2004), for the shape of the path; here it is followed point by point.
    """
    costs = [float(C) for C in Cs]
    if not costs or not all(np.isfinite(C) and C > 0 for C in costs):
        raise ParameterError(f"Cs must hold finite numbers above 0, at least one; got {costs}.")
    for name in ("C", "warm_start"):
        if name in parameters:
            raise ParameterError(f"{name} is set by the path itself; leave it out.")
    found: dict[float, SVC] = {}
    previous: SVC | None = None
    for C in sorted(set(costs)):
        model = SVC(C, **parameters) if previous is None else clone(previous).set_params(C=C)
        fit_observed(model, X, y, sample_weight, start=None if previous is None else previous.problems_)
        found[C] = previous = model
    return Path(tuple(found[C] for C in costs))
