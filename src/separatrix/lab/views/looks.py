"""Ten looks at a hold-out: where there is nothing to learn, the best of k models seems to have learnt something.

Labels are tosses of a coin, and so are the answers of each model. On fresh data every model is right half of the time;
the one that was best on the hold-out was best by chance. Simulated with a fixed seed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from separatrix.lab.encode import numbers
from separatrix.lab.scene import SceneError
from separatrix.validation import Holdout

SIZES = (20, 60, 200, 1000)  #: held-out points that the page offers
LOOKS = 20  #: the most models that one hold-out is shown to
_TEN = 10
_TIMES = 2000  # hold-outs that are simulated: a mean is then within 0.3 % of its expectation
_FRESH = 500  # fresh points for each of them
_SEED = 1958


def check_size(size: Any) -> int:
    """The number of held-out points from outside."""
    if size is None:
        return SIZES[1]
    if isinstance(size, bool) or size not in SIZES:
        raise SceneError(f"size must be one of {', '.join(map(str, SIZES))}; got {str(size)[:20]}.")
    return int(size)


@lru_cache(maxsize=len(SIZES))
def looks_view(size: int) -> dict[str, Any]:
    """Accuracy in per cent of the best of k models on ``size`` held-out points, and on fresh ones, for each k."""
    rng = np.random.default_rng([_SEED, size])
    # A model that tosses coins is right on a point with probability 1/2, whatever the point's label is.
    right = rng.binomial(size, 0.5, (_TIMES, LOOKS))
    fresh = rng.binomial(_FRESH, 0.5, (_TIMES, LOOKS))
    best = np.maximum.accumulate(right, axis=1) / size
    chosen = [np.argmax(right[:, :k], axis=1) for k in range(1, LOOKS + 1)]  # the best of the first k
    later = np.array([fresh[np.arange(_TIMES), best_of_k].mean() for best_of_k in chosen]) / _FRESH
    mean, low, high = best.mean(axis=0), *np.quantile(best, [0.05, 0.95], axis=0)
    return {
        "size": size,
        "sizes": list(SIZES),
        "looks": list(range(1, LOOKS + 1)),
        "ten": _TEN,
        "best": numbers(100.0 * mean),
        "low": numbers(100.0 * low),
        "high": numbers(100.0 * high),
        "fresh": numbers(100.0 * later),
        "says": [
            f"Labels by the toss of a coin: there is nothing to learn. Of {_TEN} models that toss coins as well, the "
            f"best on {size} held-out points is chosen. The hold-out says that it is right on "
            f"{percent(mean[_TEN - 1])} of the points (the mean of {_TIMES} trials), "
            f"fresh points say {percent(later[_TEN - 1])}.",
            _counted(size),
        ],
    }


def _counted(size: int) -> str:
    """One such hold-out as the library keeps it: it counts the models that it was shown."""
    rng = np.random.default_rng([_SEED, size, 1])
    labels = rng.integers(0, 2, size)
    holdout = Holdout(np.zeros((size, 1)), labels, budget=_TEN, resolution=0.0)
    best = max(holdout.score_all(list(rng.integers(0, 2, (_TEN, size)))), key=lambda look: look.accuracy)
    low, high = best.interval
    holds = "50 % lies in it" if low <= 0.5 <= high else "50 % does not lie in it"
    return (
        f"The library's Holdout counts its looks: in one such trial the best of {_TEN} is right on "
        f"{percent(best.accuracy)}, and an interval that holds for all {_TEN} (95 %) is "
        f"{round(100.0 * low, 1):g} to {percent(high)}: {holds}."
    )


def percent(share: float) -> str:
    """A share in per cent, with one digit behind the point where there is one; no line breaks before the sign.

    >>> percent(0.125), percent(0.5)
    ('12.5\\xa0%', '50\\xa0%')
    """
    return f"{round(100.0 * share, 1):g}\N{NO-BREAK SPACE}%"
