"""Exact checks of all classes at once: the joint SVM of Crammer and Singer, and separability.

    A_im = -beta_im,   A_{i, y_i} = sum_m beta_im <= C_i,   sum_i A_im = 0 for every m if the bias is free
    optimum <= 1/2 ||W||^2 [+ 1/2 ||b||^2] + sum_i C_i max_m ([m != y_i] + f_m(x_i) - f_{y_i}(x_i))
    optimum >= sum_i A_{i, y_i} - 1/2 sum_im A_im F_im [- 1/2 ||s||^2],      F = K A,  s = A^T 1

Classes are separated by linear functions, one for each (Kesler's construction), or, where they are ordered, by one
linear function with thresholds t between them:

    row i of class c    t_c - w.x_i > 0 against class c + 1,     w.x_i - t_(c - 1) > 0 against class c - 1

docs/certificate-format.md, sections 5 and 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from separatrix.checker import kernels
from separatrix.checker.data import Data, integers
from separatrix.checker.kernels import Bounds
from separatrix.checker.linear import (
    Row,
    add,
    check_signs,
    check_tied,
    conclude,
    dot,
    losses,
    read_costs,
    read_fields,
)
from separatrix.checker.numbers import Rejected, fields, integer, real, vector
from separatrix.checker.statement import Claim, Proved, sides, through

Columns = list[dict[int, int]]  # for each class the entries of A, by row
Scores = list[Bounds]  # for each class enclosures of F, by row


def optimal(claim: Claim) -> Proved:
    """Bound the optimum by the values of (W, b) and of A."""
    given = ["W"] if "W" in claim.proof else []
    fields(claim.proof, "proof", "beta", "b", "primal", "dual", *given)
    costs, primal, dual, depends_on = values(claim)
    kernel = kernels.kernel_text(claim.problem["kernel"])
    return replace(conclude(claim, costs, primal, dual, kernel), condition=depends_on)


def values(claim: Claim) -> tuple[list[float], Fraction, Fraction, str]:
    """C_i of every row, at least the primal value, at most the dual value, and what these depend on."""
    _, problem, proof, data = claim
    given = "W" in proof
    k, costs = len(data.positive), read_costs(problem["C"], data)
    if problem["loss"] != "hinge":
        raise Rejected("The joint SVM has the hinge loss.")
    curved = isinstance(problem["kernel"], dict)
    if curved and given:
        raise Rejected("W is a vector of numbers only without a kernel.")
    A, scale, own = _dual_point(proof["beta"], costs, data)
    totals = [sum(column.values()) for column in A]
    b = vector(proof["b"], "b", k, real)
    if (problem["bias"] == "free" and any(totals)) or (problem["bias"] == "none" and b):
        raise Rejected(
            "The bias is free, yet a column of A does not sum to zero; or there is none, yet b is not zero."
        )
    depends_on = ""
    if curved:
        kernel, points = kernels.read_kernel(problem["kernel"]), kernels.points_of(data)
        depends_on = kernels.condition(kernel, data, points)
        value_of, k_scale = kernels.values_of(kernel, data.scale)
        F = [kernels.sums(value_of, points, column) for column in A]
    else:
        F, k_scale = _scores(_weights(A, data), data), 2 * data.scale
    penalty = sum(kernels.square(column, bounds) for column, bounds in zip(A, F, strict=True))
    half = Fraction(penalty, 2 << (2 * scale + k_scale))
    primal, dual, f_scale = half, Fraction(own, 1 << scale) - half, scale + k_scale
    if given:
        W = vector(proof["W"], "W", k * data.d, real)
        numbers, w_scale = integers(list(W.values()))
        planes: Columns = [{} for _ in range(k)]
        for place, each in zip(W, numbers, strict=True):
            planes[place // data.d][place % data.d] = each
        F, f_scale = _scores(planes, data), w_scale + data.scale
        primal = Fraction(sum(each * each for each in numbers), 2 << 2 * w_scale)
    primal += _losses(claim, costs, F, f_scale, [b.get(m, 0.0) for m in range(k)])
    if problem["bias"] == "augmented":
        primal += sum((Fraction(each) ** 2 for each in b.values()), Fraction()) / 2
        dual -= Fraction(sum(total * total for total in totals), 2 << 2 * scale)
    return costs, primal, dual, depends_on


def _dual_point(record: Any, costs: list[float], data: Data) -> tuple[Columns, int, int]:
    """A by columns, its scale, and the sum of its entries A_{i, y_i}."""
    k = len(data.positive)
    beta = vector(record, "beta", data.n * k, real)
    numbers, scale = integers(list(beta.values()))
    A: Columns = [{} for _ in range(k)]
    own: dict[int, int] = {}
    for (place, each), number in zip(beta.items(), numbers, strict=True):
        row, m = divmod(place, k)
        if each < 0 or data.part[row] in (0, m + 1):
            raise Rejected(f"beta of row {row} and class {m} must be zero, or is negative.")
        A[m][row] = -number
        own[row] = own.get(row, 0) + number
    for row, each in own.items():
        if Fraction(each, 1 << scale) > costs[row]:
            raise Rejected(f"The beta of row {row} sum to more than C = {costs[row]}.")
        A[data.part[row] - 1][row] = each
    return A, scale, sum(own.values())


def _weights(A: Columns, data: Data) -> Columns:
    """W = A^T X."""
    W: Columns = [{} for _ in A]
    for i, _, columns, x in data.rows():
        for w, column in zip(W, A, strict=True):
            if i in column:
                add(w, columns, x, column[i])
    return W


def _scores(W: Columns, data: Data) -> Scores:
    """w_m.x_i for every class and row."""
    F: Scores = [{} for _ in W]
    for i, _, columns, x in data.rows():
        for f, w in zip(F, W, strict=True):
            f[i] = (dot(columns, x, w),) * 2
    return F


def _losses(claim: Claim, costs: list[float], F: Scores, scale: int, b: list[float]) -> Fraction:
    """At least the sum of C_i max_m ([m != y_i] + f_m - f_{y_i})."""
    numbers, b_scale = integers(b)
    common, slacks = max(scale, b_scale), []
    shift = [each << (common - b_scale) for each in numbers]
    up, one = common - scale, 1 << common
    for row in F[0]:
        mine = claim.data.part[row] - 1
        lead = (F[mine][row][0] << up) + shift[mine]
        rivals = [(f[row][1] << up) + shift[m] for m, f in enumerate(F) if m != mine]
        slacks.append((row, one + max(rivals) - lead))
    return losses(claim, costs, slacks, common)


def signed(data: Data, bias: bool) -> Iterator[Row]:
    """The rows a_im of Kesler's construction; class m has the columns m d .. and, for the bias, k d + m."""
    k, d, scale = len(data.positive), data.d, data.scale
    for number, part, columns, x in data.rows():
        own = part - 1
        one = [1 << scale] if bias else []
        entries = [*x, *one, *(-each for each in x), *(-each for each in one)]
        mine = [*(own * d + j for j in columns), *([k * d + own] if bias else [])]
        for m in range(k):
            if m != own:
                theirs = [*(m * d + j for j in columns), *([k * d + m] if bias else [])]
                yield number * k + m, [*mine, *theirs], entries


def ordered(data: Data) -> Iterator[Row]:
    """The rows a_im, m next to the class of row i, times 2^scale; column d + m is the threshold after class m."""
    k, d, one = len(data.positive), data.d, 1 << data.scale
    for number, part, columns, x in data.rows():
        own = part - 1
        if own > 0:
            yield number * k + own - 1, [*columns, d + own - 1], [*x, -one]
        if own < k - 1:
            yield number * k + own + 1, [*columns, d + own], [*(-each for each in x), one]


def signed_rows(claim: Claim) -> Iterator[Row]:
    """The signed rows of a claim of separability, each with its place n k."""
    if claim.problem["classes"] == "ordinal":
        return ordered(claim.data)
    return signed(claim.data, claim.problem["bias"] == "free")


def separation(claim: Claim) -> Proved:
    """Check linear functions, one for each class, or one with thresholds; or why there are none."""
    kind, problem, proof, data = claim
    bias, in_order, k = problem["bias"] == "free", problem["classes"] == "ordinal", len(data.positive)
    read_fields(claim)
    if in_order and not bias:
        raise Rejected("Ordered classes have thresholds, which are biases.")
    if in_order and set(data.part) - {0} != set(range(1, k + 1)):
        raise Rejected("Ordered classes must each have a row that takes part.")
    z, D = dict[int, int](), data.d if in_order else k * data.d
    if kind != "inseparable":
        b = vector(proof["b"], "b", k - 1 if in_order else k, integer)
        z = vector(proof["w"], "w", D, integer) | {D + m: each for m, each in b.items()}
    tied = check_signs(kind, signed_rows(claim), z, D + k if bias else D - 1)
    if kind != "separating":
        check_tied(proof, data.n * k, signed_rows(claim), tied)
    return Proved((thresholds_text if in_order else functions)(claim, len(tied)))


def functions(claim: Claim, tied: int) -> str:
    """Statement of a certificate of separability about all classes, with the number of tied pairs."""
    give = f"inear functions {through(claim)}, one for each class, give every row of {sides(claim.data)}"
    highest = f"{give} the highest score at its own class"
    if claim.kind == "separating":
        return f"L{highest}"
    other = "no row a higher score at another class"
    if claim.kind == "inseparable":
        return f"No l{highest}: those that give {other} give every row equal scores at all"
    return f"No l{highest}: some give {other}, and all of those give equal scores at {tied} pairs of classes"


def thresholds_text(claim: Claim, tied: int) -> str:
    """Statement of a certificate of separability about ordered classes, with the number of tied comparisons."""
    put = f"inear function with thresholds puts every row of {sides(claim.data)}"
    between = f"{put} strictly between the thresholds of its class"
    if claim.kind == "separating":
        return f"A l{between}"
    none = f"No l{between}: "
    if claim.kind == "inseparable":
        return f"{none}one that puts no row beyond a threshold of its class puts every row on all of them"
    return f"{none}some put no row beyond a threshold of its class, and all of those have {tied} rows on thresholds"
