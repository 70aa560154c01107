"""Kernel matrices in rationals: each entry between two fractions, which are equal where the kernel is rational."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from tests.adversary.document import Data, Malformed, read_count, read_real

Ends = tuple[Fraction, Fraction]
_context = Context(prec=90, Emax=10**9, Emin=-(10**9))
FIELDS = {
    "linear": {"name"}, "poly": {"name", "degree", "gamma", "coef0"}, "rbf": {"name", "gamma"},
    "laplacian": {"name", "gamma"}, "sigmoid": {"name", "gamma", "coef0"}, "precomputed": {"name"},
    "function": {"name"},
    "sum": {"name", "parts"}, "product": {"name", "parts"}, "scaled": {"name", "factor", "parts"},
}  # fmt: skip
TINY = Fraction(1, 2**300)


@lru_cache(maxsize=50_000)
def exponential(x: Fraction) -> Ends:
    """Two fractions with exp(x), x <= 0, between them, some 60 digits apart from each other."""
    if x == 0:
        return Fraction(1), Fraction(1)
    if x < -1000:
        return Fraction(0), TINY  # exp(-1000) is below 2^-1442
    numerator = _context.divide(Decimal(x.numerator), Decimal(x.denominator))
    middle = Fraction(_context.exp(numerator))
    error = Fraction(1, 10**60)
    return max(Fraction(0), middle * (1 - error)), middle * (1 + error)


def _tanh(x: Fraction) -> Ends:
    if x == 0:
        return Fraction(0), Fraction(0)
    low, high = exponential(-2 * abs(x))
    ends = (1 - high) / (1 + high), (1 - low) / (1 + low)
    return ends if x > 0 else (-ends[1], -ends[0])


def _times(a: Ends, b: Ends) -> Ends:
    products = [u * v for u in a for v in b]
    return min(products), max(products)


def value(kernel: Any, x: list[Fraction], z: list[Fraction]) -> Ends:
    """k(x, z) between two fractions, for a kernel of rows."""
    name = "linear" if kernel == "linear" else kernel["name"]
    if name == "sum":
        a, b = (value(part, x, z) for part in kernel["parts"])
        return a[0] + b[0], a[1] + b[1]
    if name == "product":
        a, b = (value(part, x, z) for part in kernel["parts"])
        return _times(a, b)
    if name == "scaled":
        a, factor = value(kernel["parts"][0], x, z), read_real(kernel["factor"])
        return factor * a[0], factor * a[1]
    if name in ("rbf", "laplacian"):
        power = (lambda v: v * v) if name == "rbf" else abs
        return exponential(
            -read_real(kernel["gamma"]) * sum((power(u - v) for u, v in zip(x, z, strict=True)), Fraction(0))
        )
    product = sum((u * v for u, v in zip(x, z, strict=True)), Fraction(0))
    if name == "linear":
        return product, product
    inner = read_real(kernel["gamma"]) * product + read_real(kernel["coef0"])
    if name == "sigmoid":
        return _tanh(inner)
    power = inner ** read_count(kernel["degree"])
    return power, power


def check_kernel(kernel: Any, inside: bool = False) -> tuple[int, int]:
    """The number of objects and the order of a kernel, or `Malformed` where it is none of the page."""
    if (
        not isinstance(kernel, dict)
        or kernel.get("name") not in FIELDS
        or set(kernel) != FIELDS[kernel["name"]]
    ):
        raise Malformed("no kernel of the page")
    name = kernel["name"]
    if inside and name in ("precomputed", "function"):
        raise Malformed("a matrix is no part of another kernel")
    if "gamma" in kernel and read_real(kernel["gamma"]) < 0:
        raise Malformed("gamma is below zero")
    if "coef0" in kernel:
        read_real(kernel["coef0"])
    if "factor" in kernel and read_real(kernel["factor"]) <= 0:
        raise Malformed("a factor is above zero")
    size, order = 1, read_count(kernel["degree"]) if name == "poly" else 1
    if "parts" in kernel:
        parts = kernel["parts"]
        if not isinstance(parts, list) or len(parts) != (1 if name == "scaled" else 2):
            raise Malformed("the parts of a kernel")
        each = [check_kernel(part, True) for part in parts]
        size += sum(s for s, _ in each)
        orders = [o for _, o in each]
        order = sum(orders) if name == "product" else max(orders)
    if size > 16 or order > 16:
        raise Malformed("a kernel beyond its budget")
    return size, order


def by_theorem(kernel: Any) -> bool:
    """Whether a theorem makes the kernel positive semidefinite on all rows."""
    if kernel == "linear":
        return True
    name = kernel["name"]
    if name in ("sum", "product", "scaled"):
        return all(by_theorem(part) for part in kernel["parts"])
    return name in ("linear", "rbf", "laplacian") or (name == "poly" and read_real(kernel["coef0"]) >= 0)


def matrix(kernel: Any, data: Data, rows: tuple[int, ...]) -> list[list[Ends]]:
    """The kernel matrix of the rows that take part."""
    if kernel != "linear" and kernel["name"] in ("precomputed", "function"):
        K = data.X if kernel["name"] == "precomputed" else data.K
        if K is None or len(K) != len(data.X) or any(len(row) != len(K) for row in K):
            raise Malformed("K is not square")
        exact = [[Fraction(K[i][j]) for j in rows] for i in rows]
        if any(exact[i][j] != exact[j][i] for i in range(len(rows)) for j in range(i)):
            raise Malformed("K is not symmetric")
        return [[(v, v) for v in row] for row in exact]
    points = [[Fraction(v) for v in data.X[i]] for i in rows]
    full: list[list[Ends]] = [[(Fraction(0), Fraction(0))] * len(rows) for _ in rows]
    for i in range(len(rows)):
        for j in range(i + 1):
            full[i][j] = full[j][i] = value(kernel, points[i], points[j])
    return full


def semidefinite(K: list[list[Fraction]]) -> bool:
    """Whether a symmetric rational matrix is positive semidefinite, by elimination."""
    A = [row[:] for row in K]
    n = len(A)
    for k in range(n):
        if A[k][k] < 0 or (A[k][k] == 0 and any(A[k][j] for j in range(k, n))):
            return False
        if A[k][k]:
            for i in range(k + 1, n):
                factor = A[i][k] / A[k][k]
                if factor:
                    A[i] = [v - factor * u for v, u in zip(A[i], A[k], strict=True)]
    return True


def middle(ends: Ends) -> Fraction:
    """A short number between the ends: the fraction itself where they are equal."""
    if ends[0] == ends[1]:
        return ends[0]
    return Fraction(math.floor((ends[0] + ends[1]) / 2 * 2**150), 2**150)
