"""The checker in JavaScript on documents about two sides."""

from __future__ import annotations

import base64
import gzip
import json
import math
from fractions import Fraction

from javascript_checker import (
    LINEAR,
    TWO,
    XOR,
    XOR_LABELS,
    batch,
    certificate,
    data_line,
    dense,
    expect,
    optimal,
    real,
    separating,
    sign,
    verdict,
)


def test_separating():
    labels = ["1", "-1"]
    expect("proved", separating(), TWO, labels)
    expect("rejected", separating(w=dense([-1], hex)), TWO, labels)
    expect("rejected", separating(b="0x1"), TWO, labels)
    expect("rejected", separating(b="-0x0"), TWO, labels)
    expect("rejected", separating(w=dense([1, 1], hex)), TWO, labels)
    expect("rejected", separating(w={"length": 1, "indices": [0], "values": ["0x0"]}), TWO, labels)
    expect("proved", separating(w={"length": 1, "indices": [0], "values": ["0x1"]}), TWO, labels)
    expect("rejected", separating(), [[1.0], [-2.0]], labels)
    expect("rejected", separating(), TWO, ["-1", "1"])
    expect("rejected", separating(), TWO, labels, text=True)
    expect("rejected", {**separating(), "digest": "0" * 64}, TWO, labels)
    expect("rejected", sign({**separating(), "claim": "Two and two is four."}), TWO, labels)
    expect("rejected", sign({**separating(), "extra": 1}), TWO, labels)
    expect("rejected", sign({**separating(), "version": 1}), TWO, labels)


def test_spelling_of_the_document():
    labels = ["1", "-1"]
    text = json.dumps(separating())
    expect("proved", text.replace("separating", "sep\\u0061rating", 1), TWO, labels)
    expect("proved", " \n\t" + text + "\r\n", TWO, labels)
    expect("rejected", "\ufeff" + text, TWO, labels)
    expect("rejected", text.replace('"version": 2', '"version": 2, "version": 2'), TWO, labels)
    expect("rejected", text.replace('"version": 2', '"version": 2.0'), TWO, labels)
    expect("rejected", "", TWO, labels)
    expect("rejected", "[" * 100000, TWO, labels)


def test_compressed_documents():
    plain = json.dumps(separating()).encode()
    squeezed = gzip.compress(plain)
    bomb = gzip.compress(plain + b" " * (33 << 20))
    cases = [
        (plain, "proved"),
        (squeezed, "proved"),
        (squeezed + squeezed, "rejected"),
        (squeezed + b"\0", "rejected"),
        (squeezed[:-1], "rejected"),
    ]
    cases += [
        (squeezed[:9], "rejected"),
        (squeezed + b"xyz", "rejected"),
        (bomb, "rejected"),
        (b"\x1f\x8b", "rejected"),
        (b"\xff", "rejected"),
        (b"", "rejected"),
    ]
    cases += [(gzip.compress(plain + b" " * (1 << 20)), "proved")]
    lines = [data_line(TWO, ["1", "-1"])]
    lines += [{"use": "d", "certificate_base64": base64.b64encode(blob).decode()} for blob, _ in cases]
    assert [answer["outcome"] for answer in batch(lines)] == [outcome for _, outcome in cases]


def test_margin():
    labels = ["1", "-1"]
    claim = (
        "A hyperplane with a bias strictly separates 1 (1 row) from -1 (1 row), "
        "and the maximum margin lies between 1 and {}; all 2 rows take part."
    )

    def margin(lower, upper, alpha=(1, 1), printed="1", bias="free"):
        text = (
            claim.format(printed)
            if bias == "free"
            else claim.format(printed).replace("with a bias", "through the origin")
        )
        proof = {
            "w": dense([1], hex),
            "b": "0x0",
            "margin": {"lower": real(lower), "upper": real(upper), "alpha": dense(alpha, hex)},
        }
        return certificate("separating", text, {**LINEAR, "bias": bias}, proof, TWO, labels)

    expect("proved", margin(1, 1), TWO, labels)
    expect("proved", margin(1, 1, (3, 2)), TWO, labels)
    expect("proved", margin(1, 1, (3, 0), bias="none"), TWO, labels)
    expect("proved", margin(1, 1.5, printed="1.5"), TWO, labels)
    expect("rejected", margin(1, 0.5, printed="0.5"), TWO, labels)
    expect("rejected", margin(1, -1, printed="-1"), TWO, labels)
    expect("rejected", margin(-1, 1), TWO, labels)
    expect("rejected", margin(1, 1, (1, 0)), TWO, labels)
    expect("rejected", margin(math.nextafter(1, 2), 2, printed="2"), TWO, labels)


def test_inseparable():
    claim = (
        "No hyperplane with a bias separates 1 (2 rows) from -1 (2 rows), not even weakly: "
        "one that has no row on its wrong side has every row on it; all 4 rows take part."
    )

    def make(circuit=(1, 1, 1, 1), cover=(0, 0, 0, 0), q="0x1"):
        proof = {"circuit": dense(circuit, hex), "cover": dense(cover, hex), "denominator": q}
        return certificate("inseparable", claim, LINEAR, proof, XOR, XOR_LABELS)

    expect("proved", make(), XOR, XOR_LABELS)
    expect("proved", make((2, 2, 2, 2), (3, 3, 3, 3), "0x5"), XOR, XOR_LABELS)
    expect("rejected", make((1, 1, 1, 0)), XOR, XOR_LABELS)
    expect("rejected", make((0, 0, 0, 0)), XOR, XOR_LABELS)
    expect("rejected", make((-1, -1, -1, -1)), XOR, XOR_LABELS)
    expect("rejected", make(cover=(1, 0, 0, 0)), XOR, XOR_LABELS)
    expect("rejected", make(cover=(-2, -2, -2, -2)), XOR, XOR_LABELS)
    expect("rejected", make(q="0x0"), XOR, XOR_LABELS)
    expect("rejected", make(q="-0x1"), XOR, XOR_LABELS)


def test_quasi_separable():
    rows = [[0.0], [0.0], [2.5]]
    labels = ["1", "-1", "1"]
    claim = (
        "A hyperplane with a bias separates 1 (2 rows) from -1 (1 row) weakly, and none strictly: "
        "one that has no row on its wrong side has at least "
        "2 rows on it; all 3 rows take part."
    )

    def make(w=1, b="0x0", circuit=(1, 1, 0), cover=(0, 0, 0)):
        proof = {
            "w": dense([w], hex),
            "b": b,
            "circuit": dense(circuit, hex),
            "cover": dense(cover, hex),
            "denominator": "0x1",
        }
        return certificate("quasi-separable", claim, LINEAR, proof, rows, labels)

    expect("proved", make(), rows, labels)
    expect("proved", make(cover=(4, 4, 0)), rows, labels)
    expect("rejected", make(w=0), rows, labels)
    expect("rejected", make(w=-1), rows, labels)
    expect("rejected", make(b="0x1"), rows, labels)
    expect("rejected", make(circuit=(1, 1, 1)), rows, labels)
    expect("rejected", make(cover=(0, 0, 1)), rows, labels)


def test_optimal():
    labels = ["1", "-1"]
    for bias in ("free", "augmented", "none"):
        expect("proved", optimal(bias), TWO, labels)
    expect("proved", optimal(primal=1, gap="0.5"), TWO, labels)
    expect("rejected", optimal(primal=0.25, dual=0.25), TWO, labels)
    expect("rejected", optimal(dual=0.75, primal=0.75), TWO, labels)
    expect("rejected", optimal(primal=1, gap="0.49"), TWO, labels)
    expect("rejected", optimal(alpha=(0.5, 0.25)), TWO, labels)
    expect("rejected", optimal(alpha=(-0.5, -0.5), dual=-1.5, gap="4"), TWO, labels)
    expect(
        "rejected",
        optimal(costs={"positive": real(0.25), "negative": real(0.25)}, costs_text="C = 0.25"),
        TWO,
        labels,
    )
    two_costs = {"positive": real(1), "negative": real(0.5)}
    expect(
        "proved",
        optimal(costs=two_costs, costs_text="C = 1 on the positive side and 0.5 on the negative side"),
        TWO,
        labels,
    )
    expect("proved", optimal(costs={"rows": dense([1, 2])}, costs_text="C from 1 to 2 by row"), TWO, labels)
    expect("rejected", optimal(costs={"rows": dense([1, 0])}, costs_text="C from 0 to 1 by row"), TWO, labels)
    expect("rejected", optimal(costs="hard"), TWO, labels)


def test_optimal_squared_hinge():
    # The optimum is that of w^2 / 2 + 2 (1 - w)^2, at w = 4/5; with w = 3/4 and alpha = 3/8 both bounds are dyadic.
    labels = ["1", "-1"]
    expect(
        "proved",
        optimal(
            loss="squared_hinge", alpha=(0.375, 0.375), w=0.75, primal=0.40625, dual=0.3984375, gap="0.0193"
        ),
        TWO,
        labels,
    )
    expect(
        "rejected",
        optimal(
            loss="squared_hinge", alpha=(0.375, 0.375), w=0.75, primal=0.40625, dual=0.3984376, gap="0.0193"
        ),
        TWO,
        labels,
    )


def test_optimal_with_kernels():
    labels = ["1", "-1"]
    expect("proved", optimal(kernel={"name": "linear"}), TWO, labels)
    hard = optimal(kernel={"name": "linear"})
    hard["problem"]["C"] = "hard"
    hard["claim"] = hard["claim"].replace("soft", "hard").replace("hinge loss, ", "").replace(", C = 1", "")
    expect("proved", sign(hard), TWO, labels)
    expect("rejected", sign({**hard, "problem": {**hard["problem"], "loss": "squared_hinge"}}), TWO, labels)
    expect("rejected", optimal(kernel={"name": "rbf", "gamma": real(-1)}), TWO, labels)

    matrix = [[1.0, -1.0], [-1.0, 1.0]]
    expect("proved", optimal(kernel={"name": "function"}), TWO, labels, matrix=matrix)
    expect("rejected", optimal(kernel={"name": "function"}), TWO, labels)
    expect("rejected", optimal(kernel={"name": "linear"}), TWO, labels, matrix=matrix)
    expect("rejected", optimal(kernel={"name": "function"}), TWO, labels, matrix=[[1.0, -1.0], [-0.5, 1.0]])
    expect("rejected", optimal(kernel={"name": "function"}), TWO, labels, matrix=[[1.0, -2.0], [-2.0, 1.0]])
    expect("rejected", optimal(kernel={"name": "precomputed"}), TWO, labels)

    rest = {"gamma": real(1), "coef0": real(-0.0)}
    poly = optimal(kernel={"name": "poly", "degree": 1, **rest})
    poly["claim"] = poly["claim"].replace("poly", "poly (degree = 1, gamma = 1, coef0 = 0)")
    expect("proved", sign(poly), TWO, labels)
    poly["problem"]["kernel"]["degree"] = 33
    poly["claim"] = poly["claim"].replace("degree = 1", "degree = 33")
    expect("rejected", sign(poly), TWO, labels)


def test_sigmoid_is_conditional():
    value = Fraction(math.tanh(1))
    alpha = 0.5
    quadratic = 4 * Fraction(alpha) ** 2 * value
    primal = float(quadratic / 2 + 2 * (1 - value)) + 2**-20
    dual = float(1 - quadratic / 2) - 2**-20
    document = optimal(
        kernel={"name": "sigmoid", "gamma": real(1), "coef0": real(0)},
        alpha=(alpha, alpha),
        primal=primal,
        dual=dual,
    )
    reason = verdict(document, TWO, ["1", "-1"])["reason"]
    document["claim"] = reason.split("which is: ")[1]
    assert "sigmoid (gamma = 1, coef0 = 0) kernel" in document["claim"]
    expect("conditional", sign(document), TWO, ["1", "-1"])


def test_inseparable_with_kernel():
    rows = [[1.0], [1.0], [2.0]]
    labels = ["1", "-1", "1"]
    name = "({}) * (linear)".format("rbf (gamma = 0.5)")
    claim = (
        f"In the space of the {name} kernel nothing with a bias strictly separates 1 (2 rows) from -1 (1 row): "
        "2 rows contradict each other; "
        "all 3 rows take part."
    )
    kernel = {"name": "product", "parts": [{"name": "rbf", "gamma": real(0.5)}, {"name": "linear"}]}
    problem = {"bias": "free", "kernel": kernel, "classes": "two"}

    def make(circuit):
        return certificate("inseparable", claim, problem, {"circuit": dense(circuit, hex)}, rows, labels)

    expect("proved", make((7, 7, 0)), rows, labels)
    expect("rejected", make((7, 6, 0)), rows, labels)
    expect("rejected", make((1, 2, 1)), rows, labels)
