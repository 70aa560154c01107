"""Holes that a checker had or could have, each with the document or the data that went through it."""

from __future__ import annotations

import dataclasses
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from forged_documents import (
    BOTH,
    ONE,
    PAIR,
    PAIR_LABELS,
    XOR,
    XOR_LABELS,
    ZERO,
    at_zero,
    refused,
    run,
    separating,
    stated,
    write_libsvm,
)
from scipy import sparse

from separatrix import Perceptron, verify
from separatrix.proof.certificate import Certificate
from separatrix.proof.fingerprint import fingerprint
from separatrix.proof.writing import write_integer, write_real
from separatrix.separability import separability
from tests.proof.small_problems import STALE, certified, changed, judge

# S4: a kernel that is given for a certificate which has none


@BOTH
def test_a_kernel_given_for_a_linear_certificate_is_rejected(exact):
    problem, labels, _, certificate = certified()
    assert verify(certificate, problem.X, labels, exact)
    given = verify(certificate, problem.X, labels, exact, kernel=lambda A, B: A @ B.T)
    assert "only where, the kernel is a function" in refused(given)
    for kernel in (lambda A, B: A, lambda A, B: problem.X):
        refused(verify(certificate, problem.X, labels, exact, kernel=kernel))


@BOTH
def test_the_matrix_of_a_kernel_is_not_taken_for_the_rows(exact):
    """What is inseparable must not become separable because a matrix of the caller's is."""
    certificate = separating(XOR, XOR_LABELS, [0, 0, 1, 1], 0)
    certificate = dataclasses.replace(certificate, proof={**certificate.proof, "b": write_integer(0)})
    refused(judge(certificate, XOR, XOR_LABELS, exact, kernel=lambda A, B: np.diag([-1.0, -1.0, 1.0, 1.0])))


# S5: a claim about less than it says


@BOTH
def test_excluded_rows_are_in_the_statement(exact):
    certificate = stated(separating(XOR, XOR_LABELS, [-2, 2], -1, excluded=[3]), XOR, XOR_LABELS)
    assert "1 (1 row) from -1 (2 rows); 3 of 4 rows take part, not the excluded 3." in certificate.claim
    assert verify(certificate, XOR, XOR_LABELS, exact)
    for lie in ("1 (2 rows) from -1 (2 rows); all 4 rows take part.", "XOR is separable."):
        text = certificate.claim.split(" separates ")[0] + " separates " + lie
        assert refused(
            verify(dataclasses.replace(certificate, claim=text), XOR, XOR_LABELS, exact)
        ).startswith(STALE)
    whole = dataclasses.replace(certificate.data, excluded=())
    assert "not on its side" in refused(
        verify(dataclasses.replace(certificate, data=whole), XOR, XOR_LABELS, exact)
    )


@BOTH
def test_costs_of_zero_for_every_row_are_rejected(exact):
    problem, labels, _, certificate = certified(n=6, d=2)
    nothing = {"length": 6, "indices": [], "values": []}
    proof = {
        "primal": ZERO,
        "dual": ZERO,
        "alpha": nothing,
        "w": {"length": 2, "indices": [], "values": []},
        "b": ZERO,
    }
    for C in ({"rows": nothing}, {"positive": ZERO, "negative": ZERO}, {"positive": ONE, "negative": ZERO}):
        lie = changed(changed(certificate, "proof", **proof), "problem", C=C)
        assert "C must be above 0" in refused(judge(lie, problem.X, labels, exact))


@BOTH
def test_labels_that_are_left_out_are_in_the_statement(exact):
    X, y = np.array([[1.0], [-1.0], [0.0], [0.0]]), np.array(["a", "b", "c", "d"])
    certificate = stated(separating(X, y, [1], 0, ["a"], ["b"]), X, y)
    assert verify(certificate, X, y, exact)
    assert certificate.claim.endswith(
        'strictly separates "a" (1 row) from "b" (1 row); 2 of 4 rows take part.'
    )
    lie = certificate.claim.replace('"b" (1 row); 2 of 4', "every other label (3 rows); all 4")
    refused(verify(dataclasses.replace(certificate, claim=lie), X, y, exact))


@BOTH
@pytest.mark.parametrize("claim", ["", "Trust me.", "P = NP.", "all rows are separable", "\ud800"])
def test_free_text_is_no_claim(claim, exact):
    problem, labels, _, certificate = certified()
    refused(verify(dataclasses.replace(certificate, claim=claim), problem.X, labels, exact))


# S6: a perceptron that made no update


@BOTH
def test_no_updates_prove_nothing(exact):
    certificate = Perceptron().fit(PAIR, PAIR_LABELS).certificate_
    assert "updates counted here" in certificate.claim
    for none in ({"length": 2, "indices": [], "values": []}, {"length": 2, "values": ["0x0", "0x0"]}):
        refused(judge(changed(certificate, "proof", updates=none), PAIR, PAIR_LABELS, exact))
    bound = {name: certificate.proof[name] for name in ("witness", "bound")}
    alone = dataclasses.replace(certificate, proof=bound)
    refused(verify(alone, PAIR, PAIR_LABELS, exact))  # the claim speaks of updates
    assert "counted" not in judge(alone, PAIR, PAIR_LABELS, exact).reason
    old = {
        **bound,
        "updates": 0,
        "final": bound["witness"],
        "alpha": {"length": 2, "indices": [], "values": []},
    }
    refused(judge(dataclasses.replace(certificate, proof=old), PAIR, PAIR_LABELS, exact))


# S7: matrices that are no kernels


@BOTH
@pytest.mark.parametrize(
    ("K", "message"),
    [
        ([[1.0, 100.0], [-100.0, 1.0]], "not symmetric"),
        ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], "must be square"),
        ([[1.0], [0.0]], "must be square"),
        ([[1.0, 2.0], [2.0, 1.0]], "not positive semidefinite"),
        ([[-1.0, 0.0], [0.0, 1.0]], "not positive semidefinite"),
        ([[0.0, 1.0], [1.0, 0.0]], "not positive semidefinite"),
    ],
)
def test_a_matrix_that_is_no_kernel_matrix_is_rejected(K, message, exact):
    K, y = np.array(K), PAIR_LABELS
    assert message in refused(judge(at_zero(K, y, {"name": "precomputed"}), K, y, exact))
    function = at_zero(PAIR, y, {"name": "function"})
    assert re.search(
        f"{message}|must be 2 x 2; got", refused(judge(function, PAIR, y, exact, kernel=lambda A, B: K))
    )
    circuit = {"circuit": {"length": 2, "values": ["0x1", "0x1"]}}
    problem = {"bias": "free", "kernel": {"name": "precomputed"}, "classes": "two"}
    source = fingerprint(K, y).source([1], [-1])
    refused(judge(Certificate("inseparable", "", source, problem, circuit), K, y, exact))


@BOTH
def test_a_kernel_matrix_is_proved_on_the_rows_that_take_part(exact):
    K = np.array([[2.0, 1.0, 7.0], [1.0, 2.0, 0.0], [3.0, 5.0, -1.0]])
    y = np.array([1, -1, 0])
    assert judge(at_zero(K, y, {"name": "precomputed"}, 1.5), K, y, exact).outcome == "proved"


def test_the_stand_alone_checker_refuses_a_function(tmp_path):
    certificate = at_zero(PAIR, PAIR_LABELS, {"name": "function"})
    certificate = stated(certificate, PAIR, PAIR_LABELS, kernel=lambda A, B: A @ B.T)
    assert verify(certificate, PAIR, PAIR_LABELS, kernel=lambda A, B: A @ B.T)
    certificate.save(tmp_path / "c.json")
    done = run(tmp_path / "c.json", write_libsvm(tmp_path / "data.txt", PAIR, PAIR_LABELS))
    assert done.returncode == 3
    assert "kernel is a function" in done.stdout


def test_a_condition_has_an_exit_code_of_its_own(tmp_path):
    kernel = {"name": "sigmoid", "gamma": ONE, "coef0": write_real(-1.0)}
    certificate = stated(at_zero(PAIR, PAIR_LABELS, kernel), PAIR, PAIR_LABELS)
    certificate.save(tmp_path / "c.json")
    done = run(tmp_path / "c.json", write_libsvm(tmp_path / "data.txt", PAIR, PAIR_LABELS))
    assert done.returncode == 2
    assert "but only if the kernel matrix is positive semidefinite" in done.stdout
    for exact in (False, True):
        verdict = verify(certificate, PAIR, PAIR_LABELS, exact)
        assert verdict.outcome == "conditional"
        assert not verdict


# S8: data that are changed before they are checked

BIG = [[float(2**53)], [float(2**54)], [-1.0]]
MASKED = np.ma.masked_array([[1.0], [2.0], [-1.0]], mask=[[True], [False], [False]])
ODD = {
    "int64 beyond 2^53": (BIG, np.array([[2**53 + 1], [2**54], [-1]])),
    "uint64 beyond 2^53": (BIG, np.array([[2**53 + 1], [2**54], [2**64 - 1]], dtype=np.uint64)),
    "python integers": (BIG, [[2**53 + 1], [2**54], [-1]]),
    "objects": (BIG, np.array([[2**53 + 1], [2**54], [-1]], dtype=object)),
    "integers of 400 digits": (BIG, np.array([[10**400], [2**54], [-1]], dtype=object)),
    "sparse int64": (BIG, sparse.csr_array(np.array([[2**53 + 1], [2**54], [-1]]))),
    "complex": ([[1.0], [2.0], [-1.0]], np.array([[1.0], [2.0], [-1.0]], dtype=complex)),
    "complex parts": ([[1.0], [2.0], [-1.0]], np.array([[1.0 + 1j], [2.0], [-1.0]])),
    "masked": ([[1.0], [2.0], [-1.0]], MASKED),
    "dates": ([[1.0], [2.0], [-1.0]], np.array([[1], [2], [-1]], dtype="datetime64[s]")),
    "durations": ([[1.0], [2.0], [-1.0]], np.array([[1], [2], [-1]], dtype="timedelta64[s]")),
    "texts": ([[1.0], [2.0], [-1.0]], np.array([["1.0"], ["2.0"], ["-1.0"]])),
    "objects that are texts": ([[1.0], [2.0], [-1.0]], np.array([["1.0"], ["2.0"], ["-1.0"]], dtype=object)),
    "decimals between floats": (
        [[0.5], [2.0], [-1.0]],
        np.array([[Decimal("0.5" + 30 * "0" + "1")], [2], [-1]]),
    ),
    "ragged": ([[1.0], [2.0], [-1.0]], [[1.0], [2.0, 3.0], [-1.0]]),
    "nan": ([[1.0], [2.0], [-1.0]], [[float("nan")], [2.0], [-1.0]]),
    "nothing": ([[1.0], [2.0], [-1.0]], None),
    "a number": ([[1.0], [2.0], [-1.0]], 1.0),
}


@BOTH
@pytest.mark.parametrize("name", ODD)
def test_data_that_are_not_the_numbers_are_rejected(name, exact):
    X, odd = ODD[name]
    X, y = np.array(X), np.array([1, 1, -1])
    certificate = stated(separating(X, y, [2], 1), X, y)
    assert verify(certificate, X, y, exact)
    assert refused(verify(certificate, odd, y, exact)).startswith("The data cannot be checked: ")


@BOTH
@pytest.mark.parametrize(
    "y",
    [
        np.ma.masked_array([1, 1, -1], mask=[True, False, False]),
        np.array([1, 1, -1], dtype="datetime64[s]"),
        np.array([1, 1, -1], dtype=complex),
        [1, [1], -1],
        None,
        [1.0, 1.0, float("nan")],
        ["1", 1, -1],
        [1, 1],
    ],
    ids=str,
)
def test_labels_that_are_not_the_labels_are_rejected(y, exact):
    X = np.array([[1.0], [2.0], [-1.0]])
    certificate = stated(separating(X, np.array([1, 1, -1]), [2], 1), X, np.array([1, 1, -1]))
    refused(verify(certificate, X, y, exact))


@pytest.mark.parametrize("form", [np.int64, np.uint8, np.float16, np.float32, np.longdouble, object, bool])
def test_the_same_numbers_in_another_type_are_proved(form):
    X, y = np.array([[1.0], [0.0]]), np.array([1, -1])
    certificate = stated(separating(X, y, [2], -1), X, y)
    assert verify(certificate, X.astype(form), y) or form is object


@pytest.mark.parametrize("token", ["1_0e-1", "\uff11", "\u0661", "0x1p+0", "1d0", "inf", "nan", "1e400"])
@pytest.mark.parametrize("name", ["data.txt", "data.csv"])
def test_texts_that_only_python_takes_for_numbers_are_refused(token, name, tmp_path):
    stated(separating(PAIR, PAIR_LABELS, [1], 0), PAIR, PAIR_LABELS).save(tmp_path / "c.json")
    form = "1 1:{}\n-1 1:-1\n" if name == "data.txt" else "{},1\n-1,-1\n"
    (tmp_path / name).write_text(form.format("1"))
    assert run(tmp_path / "c.json", tmp_path / name).returncode == 0
    text = form.format(token) if name == "data.txt" else "-1,-1\n" + form.format(token)
    (tmp_path / name).write_text(text)
    done = run(tmp_path / "c.json", tmp_path / name)
    assert done.returncode == 1
    assert "is not a finite decimal number" in done.stderr


@pytest.mark.parametrize(
    "token", ["9007199254740993", "-9007199254740993", "1" + 400 * "0", "18014398509481985"]
)
def test_integers_that_floats_do_not_hold_are_refused(token, tmp_path):
    X = np.array([[float(2**53)], [-1.0]])
    stated(separating(X, PAIR_LABELS, [2], 1), X, PAIR_LABELS).save(tmp_path / "c.json")
    (tmp_path / "data.txt").write_text("1 1:9007199254740992\n-1 1:-1\n")
    assert run(tmp_path / "c.json", tmp_path / "data.txt").returncode == 0
    (tmp_path / "data.txt").write_text(f"1 1:{token}\n-1 1:-1\n")
    done = run(tmp_path / "c.json", tmp_path / "data.txt")
    assert done.returncode == 1
    assert re.search(r"is no number of double precision|is not a finite decimal number", done.stderr)


# S9: labels of another kind


@BOTH
def test_a_number_is_no_text(exact):
    words = np.array(["1", "-1"])
    about_words = stated(separating(PAIR, words, [1], 0, ["1"], ["-1"]), PAIR, words)
    about_numbers = stated(separating(PAIR, PAIR_LABELS, [1], 0), PAIR, PAIR_LABELS)
    assert verify(about_words, PAIR, words, exact)
    assert verify(about_numbers, PAIR, PAIR_LABELS, exact)
    assert "of the kind text; those of the data are number" in refused(
        verify(about_words, PAIR, PAIR_LABELS, exact)
    )
    assert "of the kind number" in refused(verify(about_numbers, PAIR, words, exact))
    for certificate, kind in ((about_words, "number"), (about_numbers, "text")):
        relabelled = dataclasses.replace(certificate, data=dataclasses.replace(certificate.data, labels=kind))
        for y in (words, PAIR_LABELS):
            refused(judge(relabelled, PAIR, y, exact))


def test_texts_in_a_file_are_compared_to_the_letter(tmp_path):
    words = np.array(["1", "-1"])
    stated(separating(PAIR, words, [1], 0, ["1"], ["-1"]), PAIR, words).save(tmp_path / "c.json")
    for text, code in (("1 1:1\n-1 1:-1\n", 0), ("+1 1:1\n-1 1:-1\n", 3), ("1.0 1:1\n-1 1:-1\n", 3)):
        (tmp_path / "data.txt").write_text(text)
        assert run(tmp_path / "c.json", tmp_path / "data.txt").returncode == code


# S10: bounds that rounding makes too good


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
def test_the_bounds_of_an_optimum_are_rounded_outwards(bias, seed):
    problem, labels, _, certificate = certified(bias=bias, seed=seed, n=12, scale=10.0 ** (seed - 4))
    verdict = verify(certificate, problem.X, labels, exact=True)
    found = re.search(r"optimum between (\S+) and (\S+), .* relative gap of (\S+) of it", verdict.reason)
    lower, upper, gap = (Fraction(text) for text in found.groups())
    primal, dual = (Fraction(float.fromhex(certificate.proof[name])) for name in ("primal", "dual"))
    assert lower <= dual <= primal <= upper
    assert (primal - dual) / primal <= gap
    assert upper - primal < primal / 10**11
    assert dual - lower <= abs(dual) / 10**11
    assert gap <= (primal - dual) / primal * Fraction(101, 100)


def test_the_bounds_of_a_margin_are_rounded_outwards():
    rng = np.random.default_rng(0)
    for _ in range(10):
        X = np.vstack([rng.normal(size=(5, 2)) + 5.0, rng.normal(size=(5, 2)) - 5.0])
        certificate = separability(X, [1] * 5 + [0] * 5).certificate
        found = re.search(r"maximum margin lies between (\S+) and (\S+);", certificate.claim)
        lower, upper = (Fraction(text) for text in found.groups())
        margin = certificate.proof["margin"]
        claimed = Fraction(float.fromhex(margin["lower"])), Fraction(float.fromhex(margin["upper"]))
        assert lower <= claimed[0] <= claimed[1] <= upper
