"""The exact check of an `optimal` certificate of the joint multi-class SVM (Crammer and Singer).

    problem   loss "hinge", multi_class "crammer-singer", bias, kernel, C
    proof     beta_im >= 0 for the classes m other than a row's own, b (k,), primal, dual, gap;
              W (k, d) as one list where it is not that of beta (linear only)

    A_im = -beta_im,   A_{i, y_i} = sum_m beta_im <= C_i,   sum_i A_im = 0 for every m if the bias is free
    optimum <= 1/2 ||W||^2 [+ 1/2 ||b||^2] + sum_i C_i max_m ([m != y_i] + F_im + b_m - F_{i, y_i} - b_{y_i})
    optimum >= sum_i A_{i, y_i} - 1/2 sum A_im F_im [- 1/2 ||s||^2],      F = K A,  s = A^T 1;  F_im = w_m.x_i with W

Both values are computed in integers from the data. Kernel values are exact or enclosed (`kernel_values`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from separatrix.checker.certificate import Certificate
from separatrix.checker.claim import BIASES, OptimalClaim, check_gap, exact_names, read_costs
from separatrix.checker.codec import SparseVector, read_real, read_vector, read_word
from separatrix.checker.dyadic import fraction, round_up, scaled, to_integers
from separatrix.checker.kernel_claim import KernelSpec, condition, read_kernel
from separatrix.checker.kernel_values import Point, kernel_values, scale_of
from separatrix.checker.optimal import conclude
from separatrix.checker.rows import Rows
from separatrix.checker.verdict import Proved, Rejected

MULTI_CLASS = "crammer-singer"


@dataclass(frozen=True)
class JointClaim:
    """What the certificate says; ``optimal`` holds the numbers that a binary claim has too."""

    kernel: KernelSpec | None
    n_classes: int
    beta: SparseVector
    b: tuple[float, ...]
    W: SparseVector | None  #: k d entries, class by class; None: A^T X
    optimal: OptimalClaim


def is_joint(certificate: Certificate) -> bool:
    """Whether the claim is about all classes at once."""
    return certificate.problem.get("multi_class") == MULTI_CLASS


def read_joint(certificate: Certificate) -> JointClaim:
    """Read and check everything that does not need the data."""
    n, k = certificate.data.rows, len(certificate.data.positive)
    problem, proof = certificate.problem, certificate.proof
    exact_names("problem", problem, {"loss", "bias", "kernel", "C", "multi_class"})
    given = {"W"} if "W" in proof else set[str]()
    exact_names("proof", proof, {"beta", "b", "primal", "dual", "gap"} | given)
    if certificate.data.negative or k < 2:
        raise Rejected("A joint certificate names all its classes on the positive side.")
    kernel = None if problem["kernel"] == "linear" else read_kernel(problem["kernel"])
    b = read_vector(proof["b"], "b", k)
    claim = OptimalClaim(
        loss=read_word(problem["loss"], "loss", ("hinge",)),
        bias=read_word(problem["bias"], "bias", BIASES),
        C=read_costs(problem["C"], n),
        w=SparseVector(0, (), ()),
        b=0.0,
        alpha=SparseVector(n, (), ()),
        primal=read_real(proof["primal"], "primal"),
        dual=read_real(proof["dual"], "dual"),
        gap=read_real(proof["gap"], "gap"),
    )
    if claim.bias == "none" and any(b.values):
        raise Rejected("The problem has no bias, yet b is not zero.")
    check_gap(claim)
    beta = read_vector(proof["beta"], "beta", n * k)
    if min(beta.values, default=0.0) < 0:
        raise Rejected("Some beta is negative.")
    if given and kernel is not None:
        raise Rejected("W is a vector of numbers only without a kernel.")
    W = read_vector(proof["W"], "W", k * certificate.data.columns) if given else None
    return JointClaim(kernel, k, beta, tuple(b.dense()), W, claim)


def check(certificate: Certificate, rows: Rows, places: Sequence[int]) -> Proved:
    """Prove the claimed bounds, or raise `Rejected`; ``places[i]`` is 1 + the class of row i, or 0."""
    claim = read_joint(certificate)
    proved = conclude(claim.optimal, *values(claim, rows, places))
    note = "" if claim.kernel is None else condition(claim.kernel)
    return Proved(proved.sentence + note, proved.primal, proved.dual, proved.gap)


def values(claim: JointClaim, rows: Rows, places: Sequence[int]) -> tuple[Fraction, Fraction]:
    """At least the primal value of the point, at most its dual value."""
    k, x_scale, costs = claim.n_classes, 0, claim.optimal.costs([1 if place else 0 for place in places])
    A, scale = _dual_point(claim, places, costs)
    sums = [sum(row[m] for row in A.values()) for m in range(k)]
    if claim.optimal.bias == "free" and any(sums):
        worst = max(sums, key=abs)
        raise Rejected(f"The bias is free, yet a column of A sums to {round_up(fraction(worst, scale))}.")
    if claim.kernel is None:
        x_scale = scale_of(rows.smallest())
        F, f_scale = _scores(rows, _weights(rows, A, k, x_scale), x_scale), scale + 2 * x_scale
    else:
        F, f_scale = _kernel_scores(claim.kernel, rows, places, A, k, scale)
    penalty = sum(
        a * (high if a > 0 else low)
        for i, row in A.items()
        for a, (low, high) in zip(row, F[i], strict=True)
        if a
    )
    half = fraction(penalty, scale + f_scale) / 2
    own = sum(row[places[i] - 1] for i, row in A.items())
    dual, norm = fraction(own, scale) - half, half
    if claim.W is not None:
        entries, w_scale = scaled(claim.W.dense())
        W = [entries[m * rows.n_columns : (m + 1) * rows.n_columns] for m in range(k)]
        F, f_scale = _scores(rows, W, x_scale), w_scale + x_scale
        norm = fraction(sum(value * value for value in entries), 2 * w_scale) / 2
    primal = norm + _losses(claim, places, costs, F, f_scale)
    if claim.optimal.bias == "augmented":
        primal += sum((Fraction(value) * Fraction(value) for value in claim.b), Fraction()) / 2
        dual -= fraction(sum(s * s for s in sums), 2 * scale) / 2
    return primal, dual


def _dual_point(
    claim: JointClaim, places: Sequence[int], costs: Sequence[float]
) -> tuple[dict[int, list[int]], int]:
    """A as integers times 2^-scale, for the rows where it is not zero; bounds are checked."""
    k = claim.n_classes
    integers, scale = scaled(claim.beta.values)
    A: dict[int, list[int]] = {}
    for index, value in zip(claim.beta.indices, integers, strict=True):
        row, m = divmod(index, k)
        if not value:
            continue
        if not places[row] or places[row] - 1 == m:
            raise Rejected(f"beta of row {row} and class {m} must be zero.")
        A.setdefault(row, [0] * k)[m] = -value
    for row, entries in A.items():
        own = -sum(entries)
        if fraction(own, scale) > Fraction(costs[row]):
            raise Rejected(f"The beta of row {row} sum to more than its bound C = {costs[row]}.")
        entries[places[row] - 1] = own
    return A, scale


Scores = list[list[tuple[int, int]]]


def _weights(rows: Rows, A: dict[int, list[int]], k: int, x_scale: int) -> list[list[int]]:
    """W = A^T X, one list of d integers for each class."""
    W = [[0] * rows.n_columns for _ in range(k)]
    for i, (columns, entries) in enumerate(rows.rows()):
        if i not in A:
            continue
        x = to_integers(entries, x_scale)
        places = range(len(x)) if columns is None else columns
        for w, a in zip(W, A[i], strict=True):
            if a:
                for column, entry in zip(places, x, strict=True):
                    w[column] += a * entry
    return W


def _scores(rows: Rows, W: list[list[int]], x_scale: int) -> Scores:
    """w_m.x_i for every row and class."""
    F: Scores = []
    for columns, entries in rows.rows():
        x = to_integers(entries, x_scale)
        places = range(len(x)) if columns is None else columns
        used = [(column, entry) for column, entry in zip(places, x, strict=True) if entry]
        F.append([(f, f) for f in (sum(w[column] * entry for column, entry in used) for w in W)])
    return F


def _kernel_scores(
    kernel: KernelSpec, rows: Rows, places: Sequence[int], A: dict[int, list[int]], k: int, scale: int
) -> tuple[Scores, int]:
    if kernel.name == "function":
        if rows.n_columns != rows.n_rows:
            raise Rejected("The kernel is a function that the certificate does not hold.")
        kernel = KernelSpec("precomputed")
    x_scale = scale_of(rows.smallest())
    value, k_scale = kernel_values(kernel, x_scale)
    points = [Point.of(i, row, rows.n_columns, x_scale) for i, row in enumerate(rows.rows())]
    F: Scores = []
    for i, x in enumerate(points):
        low, high = [0] * k, [0] * k
        for j, entries in A.items() if places[i] else ():
            near, far = value(x, points[j])
            for m, a in enumerate(entries):
                if a:
                    low[m] += a * (near if a > 0 else far)
                    high[m] += a * (far if a > 0 else near)
        F.append(list(zip(low, high, strict=True)))
    return F, scale + k_scale


def _losses(
    claim: JointClaim, places: Sequence[int], costs: Sequence[float], F: Scores, scale: int
) -> Fraction:
    """At least the sum of C_i max_m ([m != y_i] + f_m - f_{y_i})."""
    b, b_scale = scaled(claim.b)
    common = max(0, scale, b_scale)
    up, one = common - scale, 1 << common
    shift = [value << (common - b_scale) for value in b]
    cost, cost_scale = scaled(costs)
    total = 0
    for place, c, row in zip(places, cost, F, strict=True):
        if not place or not c:
            continue
        mine = (row[place - 1][0] << up) + shift[place - 1]
        worst = max((high << up) + shift[m] + one - mine for m, (_, high) in enumerate(row) if m != place - 1)
        total += c * max(0, worst)
    return fraction(total, cost_scale + common)
