"""The seed of a fit, from what scikit-learn calls a random state."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.utils import check_random_state

_MOST = 2**31 - 1


def seed_of(random_state: Any) -> int:
    """A number from 0 to 2^31 - 2: the integer that was given, or one drawn from a generator.

    An integer is no seed of a generator first: making one takes as long as a small fit.

    >>> seed_of(7)
    7
    """
    if isinstance(random_state, Integral) and 0 <= int(random_state) < _MOST:
        return int(random_state)
    return int(check_random_state(random_state).randint(_MOST))
