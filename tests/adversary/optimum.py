"""The optimum of a small support vector machine between two fractions.

The two coincide where the kernel is rational. The dual is solved exactly as a linear complementarity problem.
Nothing rests on that solution: its feasibility is checked, and the two ends are the objectives of the primal
and of the dual point that it gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tests.adversary.kernel_truth import Ends, middle
from tests.adversary.pivoting import Stuck, complementary

ZERO = Fraction(0)


@dataclass
class Machine:
    """One problem: the kernel matrix, the sides (or classes) of the rows that take part, and what is asked of them."""

    K: list[list[Ends]]
    side: list[int]
    classes: int
    bias: str
    squared: bool
    C: list[Fraction] | None  # None: every row must have its margin

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The dual variables: one for each row, or for each row and each class other than its own."""
        if not self.classes:
            return [(i, 0) for i in range(len(self.side))]
        return [(i, m) for i, own in enumerate(self.side) for m in range(self.classes) if m != own]

    def direction(self, pair: tuple[int, int]) -> list[int]:
        """What a dual variable adds to the coefficients of its row: its side, or +1 and -1 at two classes."""
        i, m = pair
        if not self.classes:
            return [self.side[i]]
        return [(c == self.side[i]) - (c == m) for c in range(self.classes)]


def scaled(factor: Fraction, ends: Ends) -> Ends:
    return (factor * ends[0], factor * ends[1]) if factor >= 0 else (factor * ends[1], factor * ends[0])


def total(parts: list[Ends]) -> Ends:
    return sum((p[0] for p in parts), ZERO), sum((p[1] for p in parts), ZERO)


def scores_of(machine: Machine, A: list[list[Fraction]], b: list[Fraction]) -> tuple[list[list[Ends]], Ends]:
    """The scores K A + b of every row and class, and the squared norm A.(K A)."""
    rows, width = range(len(A)), range(len(A[0]))
    F = [[total([scaled(A[j][m], machine.K[i][j]) for j in rows if A[j][m]]) for m in width] for i in rows]
    norm = total([scaled(A[i][m], F[i][m]) for i in rows for m in width if A[i][m]])
    return [[(f[0] + b[m], f[1] + b[m]) for m, f in enumerate(line)] for line in F], norm


def plane_scores(
    rows: list[list[float]], w: list[Fraction], b: list[Fraction]
) -> tuple[list[list[Ends]], Ends]:
    """The scores of rows by the planes w, one after the other, and b; and the squared norm of w."""
    k, d = range(len(b)), len(w) // len(b)
    line = [[sum((Fraction(v) * w[m * d + j] for j, v in enumerate(x)), b[m]) for m in k] for x in rows]
    square = sum((v * v for v in w), ZERO)
    return [[(f, f) for f in scores] for scores in line], (square, square)


def primal(
    machine: Machine, scores: list[list[Ends]], norm: Ends, b: list[Fraction]
) -> tuple[Fraction, Fraction | None]:
    """The primal objective between two ends; the upper one is None where a margin that is demanded may be missing.

    A lower end of -1 stands for a demanded margin that is surely missing: the point is no candidate at all.
    """
    low, high = norm[0] / 2, norm[1] / 2
    if machine.bias == "augmented":
        square = sum((v * v for v in b), ZERO) / 2
        low, high = low + square, high + square
    sure = True
    for i, own in enumerate(machine.side):
        if machine.classes:
            loss = _joint_loss(scores[i], own)
        else:
            margin = scaled(Fraction(own), scores[i][0])
            loss = max(ZERO, 1 - margin[1]), max(ZERO, 1 - margin[0])
        if machine.C is None:
            if loss[0] > 0:
                return Fraction(-1), None
            sure = sure and loss[1] == 0
            continue
        power = 2 if machine.squared else 1
        low, high = low + machine.C[i] * loss[0] ** power, high + machine.C[i] * loss[1] ** power
    return low, high if sure else None


def _joint_loss(scores: list[Ends], own: int) -> Ends:
    others = [
        (1 + f[0] - scores[own][1], 1 + f[1] - scores[own][0]) for m, f in enumerate(scores) if m != own
    ]
    return max([ZERO, *(o[0] for o in others)]), max([ZERO, *(o[1] for o in others)])


def dual(machine: Machine, z: list[Fraction]) -> Fraction | None:
    """A lower bound of the dual objective at z, or None where z is not feasible."""
    pairs = machine.pairs
    A = coefficients(machine, z)
    if any(v < 0 for v in z):
        return None
    sums = [sum((row[m] for row in A), ZERO) for m in range(len(A[0]))]
    if machine.bias == "free" and any(sums):
        return None
    value = sum(z, ZERO)
    if machine.C is not None:
        for i, cost in enumerate(machine.C):
            own = sum((v for v, pair in zip(z, pairs, strict=True) if pair[0] == i), ZERO)
            if machine.squared:
                value -= own * own / (4 * cost)
            elif own > cost:
                return None
    _, norm = scores_of(machine, A, [ZERO] * len(A[0]))
    value -= norm[1] / 2
    if machine.bias == "augmented":
        value -= sum((s * s for s in sums), ZERO) / 2
    return value


def coefficients(machine: Machine, z: list[Fraction]) -> list[list[Fraction]]:
    A = [[ZERO] * max(machine.classes, 1) for _ in machine.side]
    for v, pair in zip(z, machine.pairs, strict=True):
        if v:
            A[pair[0]] = [a + v * u for a, u in zip(A[pair[0]], machine.direction(pair), strict=True)]
    return A


def _unit(largest: Fraction) -> Fraction:
    """A power of two near the inverse of a number above zero, else 1."""
    if largest <= 0:
        return Fraction(1)
    return Fraction(2) ** (largest.denominator.bit_length() - largest.numerator.bit_length())


@dataclass
class Solution:
    """Both ends of the optimum, and the dual and the primal point that prove them."""

    lower: Fraction
    upper: Fraction
    z: list[Fraction]
    A: list[list[Fraction]]
    b: list[Fraction]


def solve(machine: Machine) -> Solution:
    """The optimum between two ends; `Stuck` where none was found (a hard margin that no point has)."""
    pairs = machine.pairs
    directions = [machine.direction(pair) for pair in pairs]
    width = len(directions[0])
    n = len(pairs)
    exact = all(e[0] == e[1] for row in machine.K for e in row)
    ridge = ZERO if exact else Fraction(1, 2**120)
    K = [[middle(e) + (ridge if i == j else 0) for j, e in enumerate(row)] for i, row in enumerate(machine.K)]
    plus = 1 if machine.bias == "augmented" else 0
    Q = [
        [
            sum(u * v for u, v in zip(directions[p], directions[r], strict=True))
            * (K[pairs[p][0]][pairs[r][0]] + plus)
            for r in range(n)
        ]
        for p in range(n)
    ]
    limits: list[tuple[list[int], Fraction]] = []
    if machine.C is not None:
        for i, cost in enumerate(machine.C):
            if machine.squared:
                for p in range(n):
                    Q[p][p] += 1 / (2 * cost) if pairs[p][0] == i else 0
            else:
                limits.append(([int(pair[0] == i) for pair in pairs], cost))
    equal = (
        [[direction[m] for direction in directions] for m in range(width)] if machine.bias == "free" else []
    )
    blocks = [[-v for v in line] for line, _ in limits] + [[-v for v in line] for line in equal] + equal
    size = n + len(blocks)
    M = [[ZERO] * size for _ in range(size)]
    unit = _unit(max((Q[p][p] for p in range(n)), default=ZERO))  # of the z; it keeps the integers short
    for p in range(n):
        M[p][:n] = [v * unit for v in Q[p]]
    for place, line in enumerate(blocks):
        for p, v in enumerate(line):
            M[n + place][p], M[p][n + place] = v * unit, Fraction(-v)
    right = [Fraction(-1)] * n + [cost for _, cost in limits] + [ZERO] * (2 * len(equal))
    answer = complementary(M, right)
    z = [v * unit for v in answer[:n]]
    A = coefficients(machine, z)
    start = n + len(limits)
    if machine.bias == "free":
        b = [answer[start + m] - answer[start + width + m] for m in range(width)]
    elif machine.bias == "augmented":
        b = [sum((row[m] for row in A), ZERO) for m in range(width)]
    else:
        b = [ZERO] * width
    lower = dual(machine, z)
    scores, norm = scores_of(machine, A, b)
    _, upper = primal(machine, scores, norm, b)
    if upper is None and machine.C is None:  # the margin misses a little: a slightly longer candidate has it
        factor = 1 + Fraction(1, 2**60)
        A, b = [[factor * a for a in row] for row in A], [factor * v for v in b]
        scores, norm = scores_of(machine, A, b)
        _, upper = primal(machine, scores, norm, b)
    if lower is None or upper is None:
        raise Stuck("the solution is not feasible")
    return Solution(max(lower, ZERO), upper, z, A, b)
