"""The checker in JavaScript on documents about all classes, and on mistakes."""

from __future__ import annotations

import pytest
from javascript_checker import TWO, certificate, dense, expect, real, run_problem, sign


def test_joint():
    rows = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]
    labels = ["a", "b", "c"]
    problem = {"bias": "free", "kernel": "linear", "classes": "joint"}
    side = '"a", "b", "c" (3 rows)'
    claim = (
        f"Linear functions with a bias, one for each class, give every row of {side} "
        "the highest score at its own class; all 3 rows take part."
    )
    more = {"positive": ["a", "b", "c"], "negative": [], "text": True}
    proof = {"w": dense([1, 0, 0, 1, -1, -1], hex), "b": dense([0, 0, 0], hex)}
    document = certificate("separating", claim, problem, proof, rows, labels, **more)
    expect("proved", document, rows, labels, text=True)
    wrong = {"w": dense([1, 0, 0, 1, 1, -1], hex), "b": dense([0, 0, 0], hex)}
    document = certificate("separating", claim, problem, wrong, rows, labels, **more)
    expect("rejected", document, rows, labels, text=True)
    # A class without rows: it has the score zero, which is less than that of every row at its own class.
    empty = {**more, "positive": ["a", "b", "c", "\u00e9"]}
    claim = claim.replace('"c"', '"c", "\\u00e9"')
    proof = {
        "w": {"length": 8, "indices": [0, 3, 4, 5], "values": ["0x1", "0x1", "-0x1", "-0x1"]},
        "b": dense([0, 0, 0, 0], hex),
    }
    document = certificate("separating", claim, problem, proof, rows, labels, **empty)
    expect("proved", document, rows, labels, text=True)
    proof["b"] = dense([0, 0, 0, 1], hex)
    document = certificate("separating", claim, problem, proof, rows, labels, **empty)
    expect("rejected", document, rows, labels, text=True)


def test_joint_inseparable():
    rows = [[1.0], [1.0]]
    labels = ["0", "1"]
    problem = {"bias": "free", "kernel": "linear", "classes": "joint"}
    claim = (
        "No linear functions with a bias, one for each class, give every row of 0, 1 (2 rows) "
        "the highest score at its own class: those that give "
        "no row a higher score at another class give every row equal scores at all; all 2 rows take part."
    )
    circuit = {"length": 4, "indices": [1, 2], "values": ["0x1", "0x1"]}
    proof = {"circuit": circuit, "cover": {"length": 4, "indices": [], "values": []}, "denominator": "0x1"}
    more = {"positive": ["0", "1"], "negative": []}
    expect("proved", certificate("inseparable", claim, problem, proof, rows, labels, **more), rows, labels)
    proof["circuit"] = {"length": 4, "indices": [0, 2], "values": ["0x1", "0x1"]}
    expect("rejected", certificate("inseparable", claim, problem, proof, rows, labels, **more), rows, labels)
    # With a third class that has no rows, its pairs do not sum to zero.
    proof["circuit"] = {"length": 6, "indices": [1, 3], "values": ["0x1", "0x1"]}
    proof["cover"] = {"length": 6, "indices": [], "values": []}
    more["positive"] = ["0", "1", "2"]
    expect(
        "rejected",
        certificate("inseparable", claim.replace("0, 1", "0, 1, 2"), problem, proof, rows, labels, **more),
        rows,
        labels,
    )


@pytest.mark.parametrize("kernel", ["linear", {"name": "linear"}])
def test_joint_optimal(kernel):
    # Two classes on the line: w_0 = 1/2 and w_1 = -1/2 give each row the margin 1, and the optimum is 1/4.
    labels = ["0", "1"]
    claim = (
        "The soft-margin SVM of all classes at once (hinge loss, free bias, linear kernel, C = 1) "
        "of 0, 1 (2 rows) has its optimum between "
        "0.25 and {}, and the given point is within a relative gap of {} of it; all 2 rows take part."
    )
    problem = {
        "loss": "hinge",
        "bias": "free",
        "kernel": kernel,
        "C": {"positive": real(1), "negative": real(1)},
        "classes": "joint",
    }
    beta = {"length": 4, "indices": [1, 2], "values": [real(0.25), real(0.25)]}
    proof = {"beta": beta, "b": dense([0, 0]), "primal": real(0.25), "dual": real(0.25)}
    more = {"positive": ["0", "1"], "negative": []}
    document = certificate("optimal", claim.format("0.25", "0"), problem, proof, TWO, labels, **more)
    expect("proved", document, TWO, labels)
    with_w = {**proof, "W": dense([0.5, -0.5])}
    outcome = "proved" if kernel == "linear" else "rejected"
    document = certificate("optimal", claim.format("0.25", "0"), problem, with_w, TWO, labels, **more)
    expect(outcome, document, TWO, labels)
    worse = {**proof, "W": dense([0.0, 0.0]), "primal": real(2)}
    document = certificate("optimal", claim.format("2", "0.875"), problem, worse, TWO, labels, **more)
    expect(outcome, document, TWO, labels)
    for place in (0, 3):
        proof["beta"] = {"length": 4, "indices": [place], "values": [real(0.25)]}
        document = certificate("optimal", claim.format("0.25", "0"), problem, proof, TWO, labels, **more)
        expect("rejected", document, TWO, labels)


def mistakes(bound, step=1.0, start="zero", algorithm="perceptron", gain=0.0, joint=False, **proof):
    words = "row by row" if algorithm == "perceptron" else "all rows at once"
    step_text = {"decreasing": "1/sqrt(t)", "line-search": "by line search"}.get(
        step, f"{step:g}" if isinstance(step, float) else step
    )
    where = "zero" if start == "zero" else "a row"
    counted = ""
    if "updates" in proof:
        total = sum(int(v, 16) for v in proof["updates"]["values"])
        counted = (
            f", and the {total} updates counted here{' from row 0' if start == 'row' else ''} separate them"
        )
    sides = "1, -1 (2 rows)" if joint else "1 (1 row) against -1 (1 row)"
    claim = (
        f"The perceptron{' of all classes at once' if joint else ''} ({words}, "
        f"step {step_text}, from {where}, g = {gain:g}) makes at most {bound} "
        f"updates on {sides}{counted}; all 2 rows take part."
    )
    witness = {"w": dense([0.5, -0.5] if joint else [1.0]), "b": dense([0.0] * (2 if joint else 1))}
    problem = run_problem(algorithm, step, start, gain, joint)
    more = {"positive": ["1", "-1"], "negative": []} if joint else {}
    return certificate(
        "mistakes", claim, problem, {"witness": witness, "bound": bound, **proof}, TWO, ["1", "-1"], **more
    )


def test_mistakes():
    # The rows 1 and -1 with opposite labels: R = 1, M = 1, U = 1 and rho = 1, or rho = 2 with the gain 1.
    labels = ["1", "-1"]
    expect("proved", mistakes(1), TWO, labels)
    expect("rejected", mistakes(0), TWO, labels)
    expect("proved", mistakes(2, gain=1.0), TWO, labels)
    expect("rejected", mistakes(1, gain=1.0), TWO, labels)
    expect("proved", mistakes(1, updates=dense([1, 0], hex)), TWO, labels)
    expect("rejected", mistakes(1, updates=dense([1, 1], hex)), TWO, labels)
    expect("proved", mistakes(1, algorithm="gradient", updates=dense([1, 1], hex)), TWO, labels)
    expect("rejected", mistakes(0, algorithm="gradient", updates=dense([1, 1], hex)), TWO, labels)
    expect("proved", mistakes(1, algorithm="gradient", step="line-search"), TWO, labels)
    expect("rejected", mistakes(1, step="line-search"), TWO, labels)
    expect("rejected", mistakes(1, step="decreasing", updates=dense([1, 0], hex)), TWO, labels)
    expect("proved", mistakes(1, joint=True, updates=dense([0, 1, 0, 0], hex)), TWO, labels)
    expect("rejected", mistakes(1, joint=True, updates=dense([1, 0, 0, 0], hex)), TWO, labels)


def test_mistakes_from_a_row():
    labels = ["1", "-1"]
    document = mistakes(1, start="row", updates=dense([1, 0], hex))
    expect("rejected", document, TWO, labels)
    for start, outcome in ((0, "proved"), (2, "rejected"), ("0", "rejected")):
        document["proof"]["start"] = start
        expect(outcome, sign(document), TWO, labels)


def test_mistakes_with_decreasing_steps():
    # rho = 1 from zero: r = 2 (sqrt(k + 1) - 1) > 1 from k = 2 on; with k = 1 neither inequality holds.
    labels = ["1", "-1"]
    expect("proved", mistakes(1, step="decreasing"), TWO, labels)
    expect("rejected", mistakes(0, step="decreasing"), TWO, labels)


# ---- The bounds are compared exactly: the nearest reals outside are accepted, the next ones are not
