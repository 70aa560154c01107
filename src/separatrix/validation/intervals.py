"""Intervals for an error rate when the failure probability may be as small as exp(-1000).

A model fixed before the n rows were seen makes a Binomial(n, p) number of errors. With failure probability
exp(log_failure), p lies between

    Clopper-Pearson (1934)     the p at which as few (as many) errors would have probability exp(log_failure) / 2
    Chernoff, beyond floats    the p with  n kl(errors / n, p) = -log(exp(log_failure) / 2)

A mean of n values in [0, 1] lies within sqrt(log(2 / failure) / (2 n)) of its expectation (Hoeffding, 1963).
"""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.special import betainccinv, betaincinv

#: Log of the smallest probability for which quantiles of the beta distribution are computed.
_SMALLEST = -600.0


def error_interval(fewest: int, most: int, n: int, log_failure: float) -> tuple[float, float]:
    """The interval for p when between ``fewest`` and ``most`` of n independent rows were errors.

    >>> low, high = error_interval(10, 10, 100, math.log(0.05))
    >>> print(round(low, 4), round(high, 4))
    0.049 0.1762
    """
    half = log_failure - math.log(2.0)
    if half < _SMALLEST:
        return _chernoff(fewest, n, -half, -1), _chernoff(most, n, -half, 1)
    tail = math.exp(half)
    low = 0.0 if fewest == 0 else float(betaincinv(fewest, n - fewest + 1, tail))
    high = 1.0 if most == n else float(betainccinv(most + 1, n - most, tail))
    return low, high


def upper_bound(errors: int, n: int, log_failure: float) -> float:
    """The largest p under which at most ``errors`` errors in n rows still have probability exp(log_failure).

    >>> round(upper_bound(0, 100, math.log(0.05)), 5)
    0.02951
    """
    if n == 0 or errors >= n:
        return 1.0
    if log_failure < _SMALLEST:
        return _chernoff(errors, n, -log_failure, 1)
    return float(betainccinv(errors + 1, n - errors, math.exp(log_failure)))


def hoeffding(n: int, log_failure: float) -> float:
    """Largest distance of a mean of n values in [0, 1] from its expectation, on either side.

    >>> round(hoeffding(1000, math.log(0.05)), 4)
    0.0429
    """
    return math.sqrt((math.log(2.0) - log_failure) / (2.0 * n))


def _chernoff(errors: int, n: int, exponent: float, side: int) -> float:
    """The p above (side 1) or below (side -1) errors / n with n kl(errors / n, p) = exponent."""
    rate = errors / n
    end = 1.0 if side > 0 else 0.0
    if rate == end:
        return end

    def excess(p: float) -> float:
        first = rate * math.log(rate / p) if rate > 0 else 0.0
        second = (1.0 - rate) * math.log((1.0 - rate) / (1.0 - p)) if rate < 1 else 0.0
        return n * (first + second) - exponent

    far = math.nextafter(end, rate)
    if excess(far) <= 0:
        return end
    return float(brentq(excess, rate, far) if rate < far else brentq(excess, far, rate))
