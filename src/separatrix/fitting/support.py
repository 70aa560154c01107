"""The support vectors of a fitted model as scikit-learn lays them out, found when they are first asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from separatrix.fitting.deferred import Deferred
from separatrix.types import Vector


@dataclass(frozen=True, eq=False)
class Support:
    """The rows with an alpha above zero in some problem, grouped by class."""

    rows: NDArray[np.intp]  #: (n_support,)
    counts: NDArray[np.int32]  #: of each class
    coefficients: Vector  #: (lines of alpha, n_support) y * alpha
    kinds: NDArray[np.str_]  #: "margin" or "slack"; "" where a row supports another problem only


class HasSupport:
    """The attributes that list support vectors."""

    _support: Deferred[Support]

    def _found_support(self) -> Support:
        check_is_fitted(self, "_support")
        return self._support.get()

    @property
    def support_(self) -> NDArray[np.intp]:
        """The training rows with an alpha above zero, grouped by class."""
        return self._found_support().rows

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """How many support vectors each class has."""
        return self._found_support().counts

    @property
    def dual_coef_(self) -> Vector:
        """y * alpha of the support vectors."""
        return self._found_support().coefficients

    @property
    def support_kind_(self) -> NDArray[np.str_]:
        """Which of the two kinds each support vector is: "margin" or "slack"."""
        return self._found_support().kinds
