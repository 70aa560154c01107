"""Kernel values as integers: exact where the kernel is a polynomial or was given, else enclosed.

A value is (lower, upper), both times 2^-scale, with one scale for all pairs of rows, so that weighted sums of them
are sums of integers. Polynomials of dyadic numbers are dyadic: there lower = upper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from operator import mul
from typing import TypeAlias

from separatrix.checker.dyadic import scale_for, scaled, to_integers
from separatrix.checker.exponential import SCALE, exp_minus, tanh
from separatrix.checker.kernel_claim import KernelSpec
from separatrix.checker.rows import Row

Interval: TypeAlias = tuple[int, int]
_REMEMBERED = 1 << 20  # distinct arguments of exp and tanh: whole-number data have few


@dataclass(frozen=True)
class Point:
    """A row as integers times 2^-scale: its number, all d entries, those other than zero, and its square."""

    number: int
    entries: list[int]
    used: list[tuple[int, int]]
    square: int

    @staticmethod
    def of(number: int, row: Row, n_columns: int, scale: int) -> Point:
        """The row of that number."""
        columns, values = row
        integers = to_integers(values, scale)
        used = [(j, v) for j, v in zip(count() if columns is None else columns, integers, strict=False) if v]
        entries = integers if columns is None else [0] * n_columns
        if columns is not None:
            for j, v in used:
                entries[j] = v
        return Point(number, entries, used, sum(v * v for _, v in used))

    def dot(self, other: Point) -> int:
        """x.z"""
        if 4 * len(other.used) < len(self.entries):
            entries = self.entries
            return sum(v * entries[j] for j, v in other.used)
        return sum(map(mul, self.entries, other.entries))

    def distance(self, other: Point) -> int:
        """||x - z||_1"""
        return sum(abs(a - b) for a, b in zip(self.entries, other.entries, strict=True))


#: The value of a kernel for two rows, and the scale that all its values share.
Values: TypeAlias = tuple[Callable[[Point, Point], Interval], int]


def kernel_values(spec: KernelSpec, x_scale: int) -> Values:
    """The kernel on rows that are integers times 2^-x_scale.

    >>> value, scale = kernel_values(KernelSpec("linear"), 0)
    >>> row = Point.of(0, (None, [3.0]), 1, 0)
    >>> value(row, row), scale
    ((9, 9), 0)
    """
    if spec.parts:
        return _combined(spec, [kernel_values(part, x_scale) for part in spec.parts])
    if spec.name == "precomputed":
        return lambda x, z: (x.entries[z.number], x.entries[z.number]), x_scale
    (gamma,), g_scale = scaled([spec.gamma])
    if spec.name == "rbf":
        near = _remembering(exp_minus, g_scale + 2 * x_scale)
        return lambda x, z: near(gamma * (x.square + z.square - 2 * x.dot(z))), SCALE
    if spec.name == "laplacian":
        near = _remembering(exp_minus, g_scale + x_scale)
        return lambda x, z: near(gamma * x.distance(z)), SCALE
    if spec.name == "linear":
        return lambda x, z: (x.dot(z),) * 2, 2 * x_scale
    return _of_product(spec, gamma, g_scale + 2 * x_scale)


def _of_product(spec: KernelSpec, gamma: int, scale: int) -> Values:
    """A function of gamma x.z + coef0: a power or the hyperbolic tangent."""
    (coef0,), c_scale = scaled([spec.coef0])
    common = max(scale, c_scale)
    up, coef0 = common - scale, coef0 << (common - c_scale)
    if spec.name == "sigmoid":
        near = _remembering(tanh, common)
        return lambda x, z: near(((gamma * x.dot(z)) << up) + coef0), SCALE
    q = spec.degree

    def power(x: Point, z: Point) -> Interval:
        value = (((gamma * x.dot(z)) << up) + coef0) ** q
        return value, value

    return power, q * common


def _combined(spec: KernelSpec, parts: Sequence[Values]) -> Values:
    first, s1 = parts[0]
    if spec.name == "scaled":
        (factor,), scale = scaled([spec.factor])

        def times(x: Point, z: Point) -> Interval:
            lower, upper = first(x, z)
            return factor * lower, factor * upper

        return times, scale + s1
    second, s2 = parts[1]
    if spec.name == "sum":
        common = max(s1, s2)
        up1, up2 = common - s1, common - s2

        def plus(x: Point, z: Point) -> Interval:
            (a, b), (c, d) = first(x, z), second(x, z)
            return (a << up1) + (c << up2), (b << up1) + (d << up2)

        return plus, common

    def product(x: Point, z: Point) -> Interval:
        (a, b), (c, d) = first(x, z), second(x, z)
        ends = a * c, a * d, b * c, b * d
        return min(ends), max(ends)

    return product, s1 + s2


def _remembering(function: Callable[[int, int], Interval], scale: int) -> Callable[[int], Interval]:
    known: dict[int, Interval] = {}

    def value(t: int) -> Interval:
        found = known.get(t)
        if found is None:
            found = function(t, scale)
            if len(known) < _REMEMBERED:
                known[t] = found
        return found

    return value


def scale_of(smallest: float) -> int:
    """The scale at which all entries of the data are integers."""
    return max(0, scale_for(smallest))
