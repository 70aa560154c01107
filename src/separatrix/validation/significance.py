"""Is the difference between two models more than chance?

corrected resampled t   t = mean(d) / sqrt((1 / k + n_test / n_train) var(d)),  k - 1 degrees of freedom, for the
                        differences d of k paired train/test splits that share rows (Nadeau, Bengio, 2003; for
                        repeated cross-validation Bouckaert, Frank, 2004)
McNemar, exact          of the rows on which exactly one of two models is right, each is as likely to be right
                        (McNemar, 1947): a sign test
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats


@dataclass(frozen=True)
class Difference:
    """Model A minus model B."""

    mean: float  #: difference of accuracies
    interval: tuple[float, float]
    p_value: float
    confidence: float


def corrected_t(differences: Any, n_train: float, n_test: float, confidence: float = 0.95) -> Difference:
    """The corrected resampled t-test on differences (k,) of paired splits with n_train and n_test rows.

    >>> corrected_t([0.02, 0.01, 0.03, 0.02], n_train=90, n_test=10).p_value < 0.05
    True
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1 or len(d) < 2:
        raise ValueError(f"differences must hold at least two numbers; got an array of shape {d.shape}.")
    mean = float(d.mean())
    spread = math.sqrt((1.0 / len(d) + n_test / n_train) * float(d.var(ddof=1)))
    if spread == 0.0:
        return Difference(mean, (mean, mean), 1.0 if mean == 0.0 else 0.0, confidence)
    half = float(stats.t.ppf(0.5 + confidence / 2.0, len(d) - 1)) * spread
    p_value = 2.0 * float(stats.t.sf(abs(mean) / spread, len(d) - 1))
    return Difference(mean, (mean - half, mean + half), p_value, confidence)


@dataclass(frozen=True)
class McNemar:
    """Rows on which only A, only B was right, and the exact two-sided p-value."""

    only_first: int
    only_second: int
    p_value: float


def mcnemar(y: Any, first: Any, second: Any) -> McNemar:
    """McNemar's exact test on two vectors of predictions of the same rows.

    >>> mcnemar([1, 1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 0])
    McNemar(only_first=6, only_second=0, p_value=0.03125)
    """
    truth, a, b = (np.asarray(values) for values in (y, first, second))
    if not truth.shape == a.shape == b.shape:
        raise ValueError(
            f"y and both predictions must have one shape; got {truth.shape}, {a.shape} and {b.shape}."
        )
    ahead = int(np.count_nonzero((a == truth) & (b != truth)))
    behind = int(np.count_nonzero((a != truth) & (b == truth)))
    p_value = float(stats.binomtest(ahead, ahead + behind).pvalue) if ahead + behind else 1.0
    return McNemar(ahead, behind, p_value)
