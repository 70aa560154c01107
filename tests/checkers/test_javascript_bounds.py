"""The bounds that the checker in JavaScript proves are the exact ones."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random

import pytest
from javascript_checker import certificate, dense, expect, real, run_problem, sign, verdict


def outward(value, up):
    near = float(value)
    if (Fraction(near) < value) if up else (Fraction(near) > value):
        near = math.nextafter(near, math.inf if up else -math.inf)
    return near


def with_own_claim(document, rows, labels):
    """The document with the claim that the checker says it should have."""
    reason = verdict(sign(document), rows, labels)["reason"]
    assert "which is: " in reason, reason
    return sign({**document, "claim": reason.split("which is: ")[1].split(" This holds")[0]})


def expect_tight(kind, problem, proof, above, below, rows, labels, good="proved", **more):
    primal, dual = outward(above, True), outward(below, False)
    for p, d, outcome in (
        (primal, dual, good),
        (math.nextafter(primal, -math.inf), dual, "rejected"),
        (primal, math.nextafter(dual, math.inf), "rejected"),
    ):
        document = certificate(
            kind, "", problem, {**proof, "primal": real(p), "dual": real(d)}, rows, labels, **more
        )
        expect(outcome, with_own_claim(document, rows, labels) if outcome == good else document, rows, labels)
        if outcome == "rejected":
            assert "step" in verdict(document, rows, labels)["reason"]


def fractions_of(values):
    return [Fraction(v) for v in values]


def inner(x, z):
    return sum((a * b for a, b in zip(x, z, strict=True)), Fraction(0))


def decimal_function(name, value):
    """exp or tanh of a fraction to 60 digits."""
    with localcontext() as context:
        context.prec = 80
        x = Decimal(value.numerator) / Decimal(value.denominator)
        if name == "exp":
            return Fraction(x.exp())
        return Fraction((1 - (-2 * x).exp()) / (1 + (-2 * x).exp()))


def kernel_value(kernel, x, z):
    """k(x, z), with exp and tanh to 60 digits."""
    name = kernel["name"]
    values = {
        key: Fraction(float.fromhex(kernel[key])) for key in ("gamma", "coef0", "factor") if key in kernel
    }
    if name == "linear":
        return inner(x, z)
    if name == "poly":
        return (values["gamma"] * inner(x, z) + values["coef0"]) ** kernel["degree"]
    if name == "rbf":
        return decimal_function(
            "exp", -values["gamma"] * sum((a - b) ** 2 for a, b in zip(x, z, strict=True))
        )
    if name == "laplacian":
        return decimal_function("exp", -values["gamma"] * sum(abs(a - b) for a, b in zip(x, z, strict=True)))
    if name == "sigmoid":
        return decimal_function("tanh", values["gamma"] * inner(x, z) + values["coef0"])
    parts = [kernel_value(part, x, z) for part in kernel["parts"]]
    if name == "scaled":
        return values["factor"] * parts[0]
    return parts[0] + parts[1] if name == "sum" else parts[0] * parts[1]


POLY = {"name": "poly", "degree": 3, "gamma": real(0.7), "coef0": real(0.9)}
RBF = {"name": "rbf", "gamma": real(0.4)}
LAPLACIAN = {"name": "laplacian", "gamma": real(1.3)}
SIGMOID = {"name": "sigmoid", "gamma": real(0.3), "coef0": real(-0.2)}
KERNELS = {
    "poly": {"name": "scaled", "factor": real(0.3), "parts": [POLY]},
    "rbf": RBF,
    "laplacian": LAPLACIAN,
    "sigmoid": SIGMOID,
    "sum": {"name": "sum", "parts": [RBF, {"name": "product", "parts": [LAPLACIAN, POLY]}]},
    "product": {
        "name": "product",
        "parts": [{"name": "linear"}, {"name": "scaled", "factor": real(3), "parts": [RBF]}],
    },
}


@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("kernel", ["linear", *KERNELS])
def test_bounds_are_tight(bias, loss, kernel):
    random = Random(f"{bias} {loss} {kernel}")
    n, d = 6, 3
    rows = [[random.choice([0.0, random.gauss(0, 1), 0.1]) for _ in range(d)] for _ in range(n)]
    y = [1, -1, 1, -1, -1, 1]
    labels = [str(side) for side in y]
    costs = [random.uniform(1, 3) for _ in range(n)]
    alpha = [random.random() for _ in range(n)]
    if bias == "free":
        alpha = [0.25, 0.5, 0.125, 0.25, 0.125, 0.5]
    b = 0.0 if bias == "none" else random.gauss(0, 1)
    C, a, B = fractions_of(costs), fractions_of(alpha), Fraction(b)
    x = [fractions_of(row) for row in rows]
    signed = [s * v for s, v in zip(y, a, strict=True)]
    problem = {"loss": loss, "bias": bias, "C": {"rows": dense(costs)}, "classes": "two"}
    proof = {"b": real(b), "alpha": dense(alpha)}
    if kernel == "linear":
        w = [random.gauss(0, 1) for _ in range(d)]
        proof["w"], problem["kernel"] = dense(w), "linear"
        scores = [inner(fractions_of(w), row) for row in x]
        square = inner(fractions_of(w), fractions_of(w))
        gram = [[inner(p, q) for q in x] for p in x]
    else:
        problem["kernel"] = KERNELS[kernel]
        coef = [random.gauss(0, 1) for _ in range(n)]
        proof["coef"] = dense(coef)
        gram = [[kernel_value(KERNELS[kernel], p, q) for q in x] for p in x]
        scores = [inner(fractions_of(coef), row) for row in gram]
        square = inner(fractions_of(coef), scores)
    losses = [max(Fraction(0), 1 - s * (f + B)) for s, f in zip(y, scores, strict=True)]
    power = 2 if loss == "squared_hinge" else 1
    above = square / 2 + sum(c * v**power for c, v in zip(C, losses, strict=True))
    below = sum(a) - inner(signed, [inner(row, signed) for row in gram]) / 2
    if bias == "augmented":
        above += B * B / 2
        below -= sum(signed) ** 2 / 2
    if power == 2:
        unit = Fraction(1, 2**2200)
        below -= sum(math.ceil(v * v / (4 * c) / unit) * unit for v, c in zip(a, C, strict=True))
    outcome = "conditional" if kernel == "sigmoid" else "proved"
    expect_tight("optimal", problem, proof, above, below, rows, labels, outcome)


@pytest.mark.parametrize("kernel", ["linear", "without W", "poly", "sum"])
@pytest.mark.parametrize("bias", ["augmented", "none"])
def test_bounds_of_all_classes_are_tight(kernel, bias):
    random = Random(f"{bias} {kernel}")
    n, d, k = 6, 2, 4
    rows = [[random.gauss(0, 1) for _ in range(d)] for _ in range(n)]
    classes = [0, 1, 2, 0, 1, 2]
    labels = [str(10 + c) for c in classes]
    x = [fractions_of(row) for row in rows]
    beta = [[0.0 if m == classes[i] else random.random() / 8 for m in range(k)] for i in range(n)]
    A = [fractions_of([-v for v in row]) for row in beta]
    for i in range(n):
        A[i][classes[i]] = sum(fractions_of(beta[i]))
    b = [random.gauss(0, 1) if bias == "augmented" else 0.0 for _ in range(k)]
    cost = 0.75
    proof = {"beta": dense([v for row in beta for v in row]), "b": dense(b)}
    problem = {
        "loss": "hinge",
        "bias": bias,
        "kernel": "linear",
        "C": {"positive": real(cost), "negative": real(cost)},
        "classes": "joint",
    }
    gram = [[inner(p, q) for q in x] for p in x]
    if kernel in KERNELS:
        problem["kernel"] = KERNELS[kernel]
        gram = [[kernel_value(KERNELS[kernel], p, q) for q in x] for p in x]
    F = [[sum(gram[i][j] * A[j][m] for j in range(n)) for m in range(k)] for i in range(n)]
    dual_square = square = sum(A[i][m] * F[i][m] for i in range(n) for m in range(k))
    if kernel == "linear":
        W = [[random.gauss(0, 1) for _ in range(d)] for _ in range(k)]
        proof["W"] = dense([v for row in W for v in row])
        F = [[inner(fractions_of(W[m]), x[i]) for m in range(k)] for i in range(n)]
        square = sum(inner(fractions_of(row), fractions_of(row)) for row in W)
    f = [[F[i][m] + Fraction(b[m]) for m in range(k)] for i in range(n)]
    above = square / 2 + Fraction(cost) * sum(
        max((m != c) + f[i][m] - f[i][c] for m in range(k)) for i, c in enumerate(classes)
    )
    below = sum(A[i][classes[i]] for i in range(n)) - dual_square / 2
    if bias == "augmented":
        above += sum(Fraction(v) ** 2 for v in b) / 2
        below -= sum(sum(A[i][m] for i in range(n)) ** 2 for m in range(k)) / 2
    expect_tight(
        "optimal", problem, proof, above, below, rows, labels, positive=["10", "11", "12", "13"], negative=[]
    )


def excluded(algorithm, step, start, rho, k, size):
    """The table of section 7, once more."""
    e = 1 if start == "row" else 0
    if step == "decreasing":
        most = size if algorithm == "gradient" else 1
        t = Fraction(math.isqrt((k + 1) << 128), 2**64)
        j = k.bit_length() - 1
        r = 2 * (t - 1) + e
        q = most**2 * (Fraction("0.6931471806") * j + Fraction(k, 2**j)) + e
        return r > 0 and (r > most * rho or r * r > rho * q)
    s = Fraction(step) if isinstance(step, float) else Fraction(1)
    if algorithm == "gradient":
        low, high = (min(Fraction(1), s), max(Fraction(1), size * s)) if e else (s, size * s)
        return 4 * low * high * (k + e) > (low + high) ** 2 * rho
    if not e:
        return k > rho
    return 2 * (1 + s * k) >= rho * s and (1 + s * k) ** 2 > rho * (1 + s * s * k)


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("gain", [0.0, 0.3])
@pytest.mark.parametrize("start", ["zero", "row"])
@pytest.mark.parametrize(
    ("algorithm", "step"),
    [
        ("perceptron", 0.3),
        ("perceptron", "decreasing"),
        ("gradient", 3.7),
        ("gradient", "line-search"),
        ("gradient", "decreasing"),
    ],
)
def test_mistakes_exclude_just_what_the_page_says(algorithm, step, start, gain, joint):
    rows = [[1.1, 0.2], [0.9, -0.3], [-1.0, 0.4], [-0.7, 0.1]]
    labels = ["1", "1", "-1", "-1"]
    w, b = [1.3, 0.1], 0.1 if gain else 0.0
    x, W, B, g = [fractions_of(row) for row in rows], fractions_of(w), Fraction(b), Fraction(gain)
    margins = [side * (inner(W, row) + B) for side, row in zip((1, 1, -1, -1), x, strict=True)]
    R, U, M = max(inner(row, row) for row in x) + g, inner(W, W) + (B * B / g if g else 0), min(margins)
    witness = {"w": dense(w), "b": dense([b])}
    more = {}
    if joint:
        # The class of 1 has (w, b), that of -1 the negative of it.
        witness = {"w": dense([*w, *(-v for v in w)]), "b": dense([b, -b])}
        more = {"positive": ["1", "-1"], "negative": []}
        R, U, M = 2 * R, 2 * U, 2 * M
    rho = R * U / M**2
    k = next(k for k in range(1, 10**6) if excluded(algorithm, step, start, rho, k, 4))
    problem = run_problem(algorithm, step, start, gain, joint)
    for bound, outcome in ((k - 1, "proved"), (k - 2, "rejected")):
        if bound < 0:
            continue
        document = certificate(
            "mistakes", "", problem, {"witness": witness, "bound": bound}, rows, labels, **more
        )
        expect(
            outcome, with_own_claim(document, rows, labels) if outcome == "proved" else document, rows, labels
        )
        if outcome == "rejected":
            assert "exclude" in verdict(document, rows, labels)["reason"]


# ---- The command line
