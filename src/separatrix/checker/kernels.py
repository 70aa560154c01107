"""Exact checks with a kernel: their values in integers, optimal claims, contradictions, definiteness.

A kernel value is a pair (lower, upper), both times 2^-scale with one scale for all pairs of rows: equal for polynomials
and given matrices, an enclosure for exp and tanh (`exponential`). Each sum takes the ends that make the check stricter.
docs/certificate-format.md, sections 5, 6 and 9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from separatrix.checker.data import Data, integers
from separatrix.checker.exponential import SCALE, exp_minus, tanh
from separatrix.checker.linear import conclude, dot, dual_value, losses, read_alpha, read_costs, with_bias
from separatrix.checker.numbers import Rejected, count, fields, real, vector, weights, word
from separatrix.checker.statement import Claim, Proved, sides, through, value

_FIELDS: dict[str, tuple[str, ...]] = {
    "linear": (),
    "poly": ("degree", "gamma", "coef0"),
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
    "precomputed": (),
    "function": (),
    "sum": ("parts",),
    "product": ("parts",),
    "scaled": ("factor", "parts"),
}
_PARTS = {"sum": 2, "product": 2, "scaled": 1}
_MOST_PARTS, _LARGEST_ORDER = 16, 16  # within these, extreme numbers on 150 rows take six seconds at most
DECIDED_ROWS = 64  # up to so many rows a given matrix is found definite or not by elimination
_REMEMBERED = 1 << 20  # distinct arguments of exp and tanh: whole-number data have few
CONDITION = "the kernel matrix is positive semidefinite, which no theorem says of this kernel"

Interval = tuple[int, int]
Bounds = dict[int, Interval]


@dataclass(frozen=True)
class Kernel:
    """A kernel by its numbers."""

    name: str
    degree: int = 1
    gamma: float = 1.0
    coef0: float = 0.0
    factor: float = 1.0
    parts: tuple[Kernel, ...] = ()

    @property
    def given(self) -> bool:
        """True if its values are a matrix that the caller gives."""
        return self.name in ("precomputed", "function")

    @property
    def exact(self) -> bool:
        """True if its values are rational numbers."""
        return self.name not in ("rbf", "laplacian", "sigmoid") and all(part.exact for part in self.parts)

    @property
    def definite(self) -> bool:
        """True if a theorem says that it is positive semidefinite, whatever the rows."""
        if self.parts:
            return all(part.definite for part in self.parts)
        return self.name in ("linear", "rbf", "laplacian") or (self.name == "poly" and self.coef0 >= 0)

    @property
    def size(self) -> int:
        """Number of kernels it is made of, itself included."""
        return 1 + sum(part.size for part in self.parts)

    @property
    def order(self) -> int:
        """The degree in the values of its parts: what their bits are multiplied by."""
        orders = [part.order for part in self.parts] or [self.degree]
        return sum(orders) if self.name == "product" else max(orders)


def read_kernel(record: Any, depth: int = 0) -> Kernel:
    """The kernel of a certificate.

    >>> read_kernel({"name": "rbf", "gamma": "0x1.0000000000000p-1"}).gamma
    0.5
    """
    name = word(record.get("name") if isinstance(record, dict) else None, "The kernel", *_FIELDS)
    fields(record, f"kernel {name}", "name", *_FIELDS[name])
    numbers: dict[str, Any] = {
        each: real(record[each], each) for each in ("gamma", "coef0", "factor") if each in record
    }
    if "degree" in record:
        numbers["degree"] = count(record["degree"], "degree")
    parts = record.get("parts", [])
    if not isinstance(parts, list) or len(parts) != _PARTS.get(name, 0) or depth > _MOST_PARTS:
        raise Rejected(f"The kernel {name} must have {_PARTS.get(name, 0)} parts, and not too many in all.")
    kernel = Kernel(name, parts=tuple(read_kernel(part, depth + 1) for part in parts), **numbers)
    if kernel.gamma < 0 or kernel.factor <= 0 or any(part.given for part in kernel.parts):
        raise Rejected("gamma must be at least 0, a factor above 0, and no part of a kernel a given matrix.")
    if kernel.size > _MOST_PARTS or kernel.order > _LARGEST_ORDER:
        raise Rejected(
            f"A kernel of a certificate has at most {_MOST_PARTS} parts, and degrees that come to {_LARGEST_ORDER}; "
            f"this one has {kernel.size} and {kernel.order}."
        )
    return kernel


def kernel_text(record: Any) -> str:
    """A kernel that was checked, as a statement names it.

    >>> kernel_text({"name": "rbf", "gamma": "0x1.0000000000000p-1"})
    'rbf (gamma = 0.5)'
    """
    if not isinstance(record, dict):
        return "linear"
    parts = [f"({kernel_text(part)})" for part in record.get("parts", [])]
    if parts:
        factor = [value(float.fromhex(record["factor"]))] if "factor" in record else []
        return (" + " if record["name"] == "sum" else " * ").join(factor + parts)
    found = [
        f"{name} = {record[name] if name == 'degree' else value(float.fromhex(record[name]))}"
        for name in ("degree", "gamma", "coef0")
        if name in record
    ]
    return f"{record['name']} ({', '.join(found)})" if found else str(record["name"])


@dataclass(frozen=True)
class Point:
    """A row in integers: its number, places, entries, entries by place, square and sum of magnitudes."""

    number: int
    columns: Sequence[int]
    entries: list[int]
    at: dict[int, int]
    square: int
    size: int

    def distance(self, other: Point) -> int:
        """||x - z||_1, from the entries of x and the sum of magnitudes of z."""
        get = other.at.get
        return other.size + sum(
            abs(a - get(j, 0)) - abs(get(j, 0)) for j, a in zip(self.columns, self.entries, strict=True)
        )


#: The value of a kernel for two rows, and the scale that all its values share.
Values = tuple[Callable[[Point, Point], Interval], int]


def points_of(data: Data) -> list[Point]:
    """The rows that take part."""
    return [
        Point(i, columns, x, dict(zip(columns, x, strict=True)), sum(a * a for a in x), sum(map(abs, x)))
        for i, _, columns, x in data.rows()
    ]


def values_of(kernel: Kernel, x_scale: int) -> Values:
    """The kernel on rows that are integers times 2^-x_scale."""
    if kernel.parts:
        return _combined(kernel, [values_of(part, x_scale) for part in kernel.parts])
    if kernel.given:
        return lambda x, z: (x.at.get(z.number, 0),) * 2, x_scale
    (gamma, coef0, _), scale = integers([kernel.gamma, kernel.coef0, 1.0])
    if kernel.name == "rbf":
        near = _remembering(exp_minus, scale + 2 * x_scale)
        return lambda x, z: near(gamma * (x.square + z.square - 2 * dot(x.columns, x.entries, z.at))), SCALE
    if kernel.name == "laplacian":
        near = _remembering(exp_minus, scale + x_scale)
        return lambda x, z: near(gamma * x.distance(z)), SCALE
    if kernel.name == "linear":
        return lambda x, z: (dot(x.columns, x.entries, z.at),) * 2, 2 * x_scale
    shifted, common, q = coef0 << 2 * x_scale, scale + 2 * x_scale, kernel.degree
    if kernel.name == "sigmoid":
        near = _remembering(tanh, common)
        return lambda x, z: near(gamma * dot(x.columns, x.entries, z.at) + shifted), SCALE
    return lambda x, z: ((gamma * dot(x.columns, x.entries, z.at) + shifted) ** q,) * 2, q * common


def _combined(kernel: Kernel, parts: Sequence[Values]) -> Values:
    first, s1 = parts[0]
    if kernel.name == "scaled":
        (factor,), scale = integers([kernel.factor])

        def times(x: Point, z: Point) -> Interval:
            lower, upper = first(x, z)
            return factor * lower, factor * upper

        return times, scale + s1
    second, s2 = parts[1]
    if kernel.name == "sum":
        common = max(s1, s2)

        def plus(x: Point, z: Point) -> Interval:
            (a, b), (c, d) = first(x, z), second(x, z)
            return (a << (common - s1)) + (c << (common - s2)), (b << (common - s1)) + (d << (common - s2))

        return plus, common

    def product(x: Point, z: Point) -> Interval:
        (a, b), (c, d) = first(x, z), second(x, z)
        ends = a * c, a * d, b * c, b * d
        return min(ends), max(ends)

    return product, s1 + s2


def _remembering(function: Callable[[int, int], Interval], scale: int) -> Callable[[int], Interval]:
    known: dict[int, Interval] = {}

    def remembered(t: int) -> Interval:
        found = known.get(t)
        if found is None:
            found = function(t, scale)
            if len(known) < _REMEMBERED:
                known[t] = found
        return found

    return remembered


def sums(value_of: Callable[[Point, Point], Interval], points: list[Point], c: dict[int, int]) -> Bounds:
    """Enclosures of (K c)_i for every row."""
    support = [(z, c[z.number]) for z in points if z.number in c]
    out: Bounds = {}
    for x in points:
        low = high = 0
        for z, cj in support:
            near, far = value_of(x, z)
            low += cj * (near if cj > 0 else far)
            high += cj * (far if cj > 0 else near)
        out[x.number] = low, high
    return out


def square(c: dict[int, int], bounds: Bounds) -> int:
    """At least c.(K c)."""
    return sum(each * bounds[row][each > 0] for row, each in c.items())


def condition(kernel: Kernel, data: Data, points: list[Point]) -> str:
    """Return the condition of a proof about this kernel; rejects a given matrix that is not a kernel matrix."""
    if kernel.given:
        check_symmetric(data, points)
        if len(points) <= DECIDED_ROWS:
            check_definite(matrix_of(points))
            return ""
    return "" if kernel.definite else CONDITION


def matrix_of(points: list[Point]) -> list[list[int]]:
    """A given matrix on the rows that take part."""
    return [[x.at.get(z.number, 0) for z in points] for x in points]


def check_symmetric(data: Data, points: list[Point]) -> None:
    """Reject a given matrix that is not square, or not symmetric on the rows that take part."""
    if data.n != data.d:
        raise Rejected(f"A kernel matrix must be square; got {data.n} rows and {data.d} columns.")
    for place, x in enumerate(points):
        if any(x.at.get(z.number, 0) != z.at.get(x.number, 0) for z in points[:place]):
            raise Rejected(f"The kernel matrix is not symmetric in row {x.number}.")


def check_definite(K: list[list[int]]) -> None:
    """Reject a symmetric matrix that is not positive semidefinite, by elimination without fractions (Bareiss).

    >>> check_definite([[1, 1], [1, 1]])
    """
    before = 1
    for k, row in enumerate(K):
        pivot = row[k]
        if pivot < 0 or (not pivot and any(row[k:])):
            raise Rejected("The kernel matrix is not positive semidefinite.")
        if pivot:
            for i in range(k + 1, len(K)):
                factor = K[i][k]
                for j in range(k, len(K)):
                    K[i][j] = (pivot * K[i][j] - factor * row[j]) // before
            before = pivot


def optimal(claim: Claim) -> Proved:
    """Bound the optimum by the values of w = sum_j c_j phi(x_j), b and of alpha."""
    given = ["coef"] if "coef" in claim.proof else []
    fields(claim.proof, "proof", "b", "alpha", "primal", "dual", *given)
    costs, primal, dual, depends_on = values(claim)
    proved = conclude(claim, costs, primal, dual, kernel_text(claim.problem["kernel"]))
    return replace(proved, condition=depends_on)


def values(claim: Claim) -> tuple[list[float], Fraction, Fraction, str]:
    """C_i of every row, at least the primal value, at most the dual value, and what these depend on."""
    _, problem, proof, data = claim
    kernel, b, hard = read_kernel(problem["kernel"]), real(proof["b"], "b"), problem["C"] == "hard"
    if hard and problem["loss"] != "hinge":
        raise Rejected("A hard margin has no losses; its loss is written as hinge.")
    costs = [float("inf")] * data.n if hard else read_costs(problem["C"], data)
    a, a_scale = read_alpha(claim, costs)
    points = points_of(data)
    depends_on = condition(kernel, data, points)
    value_of, k_scale = values_of(kernel, data.scale)
    c, c_scale = {row: data.part[row] * each for row, each in a.items()}, a_scale
    bounds = sums(value_of, points, c)
    dual_square = Fraction(square(c, bounds), 1 << (2 * a_scale + k_scale))
    if "coef" in proof:
        coef = vector(proof["coef"], "coef", data.n, real)
        if not all(data.part[row] for row in coef):
            raise Rejected("coef is not zero on a row that takes no part.")
        numbers, c_scale = integers(list(coef.values()))
        c = dict(zip(coef, numbers, strict=True))
        bounds = sums(value_of, points, c)
    scale = c_scale + k_scale
    primal = Fraction(square(c, bounds), 2 << (c_scale + scale))
    slacks, scale = _slacks(data, bounds, scale, b)
    if hard and any(slack > 0 for _, slack in slacks):
        raise Rejected("A row lies inside the slab: y f is not proved to be at least 1.")
    primal += Fraction(0) if hard else losses(claim, costs, slacks, scale)
    dual = dual_value(claim, costs, a, a_scale) - dual_square / 2
    return costs, *with_bias(claim, primal, dual, b, a, a_scale), depends_on


def _slacks(data: Data, bounds: Bounds, scale: int, b: float) -> tuple[list[tuple[int, int]], int]:
    """At least 1 - y_i (F_i + b) for each row, F within the bounds times 2^-scale; and the scale of the answers."""
    (number,), b_scale = integers([b])
    common = max(scale, b_scale)
    shift, bias = common - scale, number << (common - b_scale)
    slacks = []
    for row, ends in bounds.items():
        y = data.part[row]
        slacks.append((row, (1 << common) - y * ((ends[y < 0] << shift) + bias)))
    return slacks, common


def contradiction(claim: Claim) -> Proved:
    """Prove that weighted rows cancel in the space of the kernel, so that nothing separates the two sides strictly."""
    kind, problem, proof, data = claim
    if kind != "inseparable" or data.joint:
        raise Rejected("In the space of a kernel only inseparable claims about two sides are known.")
    circuit = weights(fields(proof, "proof", "circuit")[0], "circuit", data.n)
    kernel, points = read_kernel(problem["kernel"]), points_of(data)
    depends_on = condition(kernel, data, points)
    if not all(data.part[row] for row in circuit):
        raise Rejected("The circuit uses a row that takes no part.")
    signed = {row: data.part[row] * weight for row, weight in circuit.items()}
    if problem["bias"] == "free" and sum(signed.values()):
        raise Rejected("The weights of the circuit do not balance the two sides.")
    # Equal rows are one point: weights that cancel there need no kernel value at all.
    merged: dict[tuple[tuple[int, int], ...], tuple[Point, int]] = {}
    for x in points:
        if x.number in signed:
            key = tuple((column, entry) for column, entry in x.at.items() if entry)
            first, total = merged.get(key, (x, 0))
            merged[key] = first, total + signed[x.number]
    value_of, _ = values_of(kernel, data.scale)
    left = {x.number: total for x, total in merged.values() if total}
    ends = sums(value_of, [x for x, total in merged.values() if total], left)
    low = sum(each * ends[row][each < 0] for row, each in left.items())
    if low or square(left, ends):
        raise Rejected("The weights of the circuit do not cancel the images of its rows.")
    return Proved(contradicting(claim, len(circuit)), condition=depends_on)


def contradicting(claim: Claim, rows: int) -> str:
    """Statement of a contradiction among so many rows."""
    space = f"In the space of the {kernel_text(claim.problem['kernel'])} kernel nothing {through(claim)}"
    return f"{space} strictly separates {sides(claim.data, 'from')}: {rows} rows contradict each other"
