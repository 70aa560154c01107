"""A switch: while it is on, every statsmodels fit of a model of categories is checked for separation first."""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable
from typing import Any

from separatrix.separability.estimates_table import listed
from separatrix.separation.check import check_separation


class SeparationWarning(UserWarning):
    """The data of a model that is about to be fitted are separated: some of its estimates are infinite."""


class warn_on_separation:  # noqa: N801  # used as a function
    """Check every statsmodels fit for separation first, and warn where there is one.

    Works as a context manager, or as a switch with `start` and `stop`. While it is on, ``fit`` of Logit, Probit,
    MNLogit, GLM and OrderedModel is wrapped, for all threads; afterwards they are as before. A model that cannot be
    checked, such as a Poisson GLM, is fitted without a word.

    Example
    -------
    >>> import warnings
    >>> import statsmodels.api as sm
    >>> with warnings.catch_warnings(record=True) as caught, warn_on_separation():
    ...     warnings.simplefilter("always")
    ...     fit = sm.GLM([0, 0, 1, 1], [[1, 1], [1, 2], [1, 3], [1, 4]], family=sm.families.Binomial()).fit(maxiter=3)
    >>> [str(each.message) for each in caught if each.category is SeparationWarning]
    ['Complete separation: the estimates of (intercept), x1 are infinite. ...']
    """

    def __init__(self) -> None:
        self._on = False

    def start(self) -> None:
        """Switch the check on."""
        if not self._on:
            self._on = True
            _SWITCHES.add(1)

    def stop(self) -> None:
        """Switch the check off again, unless another switch is on."""
        if self._on:
            self._on = False
            _SWITCHES.add(-1)

    def __enter__(self) -> warn_on_separation:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


class _Switches:
    """The switches that are on: the first wraps the fits, the last puts them back."""

    def __init__(self) -> None:
        self.lock, self.count = threading.Lock(), 0
        self.originals: list[tuple[type, Callable[..., Any] | None]] = []

    def add(self, change: int) -> None:
        with self.lock:
            self.count += change
            if self.count and not self.originals:
                for kind in _fitted_kinds():
                    self.originals.append((kind, vars(kind).get("fit")))
                    setattr(kind, "fit", _checked(getattr(kind, "fit")))  # noqa: B009, B010  # types of statsmodels
            elif not self.count:
                while self.originals:
                    kind, own = self.originals.pop()
                    if own is None:
                        delattr(kind, "fit")  # inherited before
                    else:
                        setattr(kind, "fit", own)  # noqa: B010


_SWITCHES = _Switches()


def _fitted_kinds() -> list[type]:
    from statsmodels.discrete.discrete_model import Logit, MNLogit, Probit
    from statsmodels.genmod.generalized_linear_model import GLM
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    return [Logit, Probit, MNLogit, GLM, OrderedModel]


def _checked(fit: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fit)
    def fit_with_check(model: Any, *args: Any, **options: Any) -> Any:
        try:
            found = check_separation(model)
        except (TypeError, ValueError, MemoryError):
            found = None
        if found is not None and found.verdict != "inseparable":
            word = "Complete" if found.verdict == "separable" else "Quasi-complete"
            warnings.warn(
                f"{word} separation: the estimates of {listed(found.infinite)} are infinite. "
                "print(separatrix.check_separation(model).summary()) says why, and what to do.",
                SeparationWarning,
                stacklevel=2,
            )
        return fit(model, *args, **options)

    return fit_with_check
