"""Primal and dual values in rationals, from their definitions, to hold bounds in floating point against.

rbf, laplacian and tanh are rationals within 60 digits; all else is exact.
"""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction
from typing import Any

from separatrix import kernels
from separatrix.proof.sums import Rejected
from separatrix.proof.value_bounds import bounds

DIGITS = decimal.Context(prec=60, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)


def exponential(t: Fraction) -> Fraction:
    """exp(-t) for t >= 0; below 10^-400 it is as good as nothing."""
    if t > 1000:
        return Fraction()
    exponent = DIGITS.divide(Decimal(-t.numerator), Decimal(t.denominator))
    return Fraction(exponent.exp(DIGITS))


def kernel_value(kernel, x, z) -> Fraction:
    if isinstance(kernel, kernels.Scaled):
        return Fraction(kernel.factor) * kernel_value(kernel.kernel, x, z)
    if isinstance(kernel, kernels.Sum):
        return kernel_value(kernel.first, x, z) + kernel_value(kernel.second, x, z)
    if isinstance(kernel, kernels.Product):
        return kernel_value(kernel.first, x, z) * kernel_value(kernel.second, x, z)
    if isinstance(kernel, kernels.Linear):
        return inner(x, z)
    gamma = Fraction(kernel.gamma)
    if isinstance(kernel, kernels.Rbf):
        return exponential(gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True)))
    if isinstance(kernel, kernels.Laplacian):
        return exponential(gamma * sum(abs(a - b) for a, b in zip(x, z, strict=True)))
    t = gamma * inner(x, z) + Fraction(kernel.coef0)
    if isinstance(kernel, kernels.Poly):
        return t**kernel.degree
    assert isinstance(kernel, kernels.Sigmoid)
    if abs(t) < Fraction(1, 10**30):  # where (1 - e) / (1 + e) would lose its digits
        return t - t**3 / 3
    e = exponential(2 * abs(t))
    return (1 - e) / (1 + e) * (1 if t > 0 else -1)


def inner(x, z) -> Fraction:
    return sum((a * b for a, b in zip(x, z, strict=True)), Fraction())


def rationals(values) -> list[Fraction]:
    return [Fraction(float(v)) for v in values]


def losses(problem, f, b) -> Fraction:
    total = Fraction()
    for y, cost, value in zip(rationals(problem.y), rationals(problem.C), f, strict=True):
        slack = max(Fraction(), 1 - y * (value + Fraction(b)))
        total += cost * (slack**2 if problem.loss.squared else slack)
    return total


def row_terms(problem, alpha) -> Fraction:
    """What the rows add to the dual, less the penalty of an augmented bias."""
    total, imbalance = Fraction(), Fraction()
    for y, cost, a in zip(rationals(problem.y), rationals(problem.C), rationals(alpha), strict=True):
        total += a - (a**2 / (4 * cost) if problem.loss.squared and a else 0)
        imbalance += a * y
    return total - (imbalance**2 / 2 if problem.bias == "augmented" else 0)


def linear_values(problem, w, b, alpha) -> tuple[Fraction, Fraction]:
    """(primal, dual) of a `Problem` with dense rows."""
    rows, w = [rationals(row) for row in problem.X], rationals(w)
    primal = inner(w, w) / 2 + losses(problem, [inner(row, w) for row in rows], b)
    if problem.bias == "augmented":
        primal += Fraction(b) ** 2 / 2
    signed = rationals(alpha * problem.y)
    v = [inner(signed, column) for column in zip(*rows, strict=True)]
    return primal, row_terms(problem, alpha) - inner(v, v) / 2


def kernel_objectives(problem, coef, b, alpha) -> tuple[Fraction, Fraction]:
    """(primal, dual) of a `Problem` with dense rows."""
    rows = [rationals(row) for row in problem.X]
    K = [[kernel_value(problem.kernel, x, z) for z in rows] for x in rows]
    signed = rationals(alpha * problem.y)
    dual = row_terms(problem, alpha) - inner(signed, [inner(line, signed) for line in K]) / 2
    c = signed if coef is None else rationals(coef)
    F = [inner(line, c) for line in K]
    primal = inner(c, F) / 2 + losses(problem, F, b)
    if problem.bias == "augmented":
        primal += Fraction(b) ** 2 / 2
    return primal, dual


def is_bounded(*point: Any) -> bool:
    """True if `bounds` does not refuse a point."""
    try:
        bounds(*point)
    except Rejected:
        return False
    return True
