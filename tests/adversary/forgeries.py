"""Forged documents made by hand, one for each attack that somebody would try first.

`forgeries` gives documents with their data, for every checker; `odd_data` gives genuine documents with data
that numpy would change silently into those of the document, for `separatrix.verify` alone. None of them may
be accepted.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.adversary import makers
from tests.adversary.document import (
    Data,
    Malformed,
    dense,
    describe,
    integer,
    print_of_labels,
    real,
    sealed,
    sparse,
)
from tests.adversary.drafts import copied
from tests.adversary.kernel_truth import matrix
from tests.adversary.optimum import Machine, solve
from tests.adversary.specimens import (
    APART,
    CLOSE,
    GRAM,
    RBF,
    SIDED,
    XOR,
    Specimen,
    kernel,
    plain_run,
    specimens,
)
from tests.adversary.statement import rounded, write

ONE = {"positive": real(1.0), "negative": real(1.0)}


@dataclass(frozen=True)
class Forgery:
    """A file that no checker may accept, and the data it is shown with."""

    name: str
    content: bytes
    data: Data


def _named(name: str) -> Specimen:
    return next(s for s in specimens() if s.name == name)


def _written(name: str, document: dict[str, Any], data: Data, claim: str | None = None) -> Forgery:
    """The forgery with its sentence, where there is one for it, and its digest."""
    with contextlib.suppress(Malformed):
        document["claim"] = claim if claim is not None else write(document, data)
    return Forgery(name, json.dumps(sealed(document)).encode(), data)


def _forged(
    name: str, start: str, change: Callable[[dict[str, Any]], Any], claim: str | None = None
) -> Forgery:
    """A specimen with a change that is made in place."""
    specimen = _named(start)
    document = copied(specimen.document)
    change(document)
    return _written(name, document, specimen.data, claim)


def _times(vector: dict[str, Any], factor: float) -> None:
    vector["values"] = [real(float.fromhex(v) * factor) for v in vector["values"]]


def _overflow() -> Iterator[Forgery]:
    """Numbers that overflow, underflow or make a NaN in floating point."""

    def huge(document: dict[str, Any]) -> None:
        _times(document["proof"]["coef"], 1e160)

    def huge_and_top(document: dict[str, Any]) -> None:
        huge(document)
        document["proof"]["primal"] = real(1.7976931348623157e308)

    def huge_dual(document: dict[str, Any]) -> None:
        _times(document["proof"]["alpha"], 1e160)
        document["problem"]["C"] = {"positive": real(1e300), "negative": real(1e300)}
        document["proof"]["primal"] = document["proof"]["dual"] = real(1e300)

    for name in ("kernel poly", "kernel laplacian", "kernel product", "kernel precomputed"):
        yield _forged(f"{name}: coefficients times 1e160", name, huge)
        yield _forged(f"{name}: coefficients times 1e160 below the largest number", name, huge_and_top)
        yield _forged(f"{name}: alpha times 1e160", name, huge_dual)
    far = Data([[1e200, 0.0], [0.0, 1e200], [-1e200, 1.0], [1.0, 1.0]], [1, 1, -1, -1], 2)
    for title, form in (
        ("linear", kernel("linear")),
        ("poly", kernel("poly", degree=2, gamma=1e200, coef0=1.0)),
        ("rbf", RBF),
    ):
        for C in (ONE, "hard"):
            problem = {"loss": "hinge", "bias": "free", "kernel": form, "C": C, "classes": "two"}
            for alpha in ([0.0] * 4, [1.0] * 4, [1e-300] * 4):
                proof = {
                    "alpha": dense(alpha),
                    "b": real(1.0),
                    "primal": real(0.5),
                    "dual": real(0.5),
                    "coef": dense([0.0] * 4),
                }
                document = _plain("optimal", describe(far, ["1"], ["-1"]), problem, proof)
                yield _written(
                    f"far rows, {title}, {'hard' if C == 'hard' else 'soft'}, {alpha[0]}", document, far
                )
    yield from _naive_kernels()


def _naive_kernels() -> Iterator[Forgery]:
    """A maker that trusts floats: its kernel values are those that naive floating point gives."""
    small = Data([[1e-155], [2e-155], [-1.5e-155], [3e-155]], [1, -1, 1, -1], 1)
    gammas = {"rbf": 1.7e308, "laplacian": 1.7e308, "poly": 1.7e308}
    for name, gamma in gammas.items():
        form = (
            kernel("poly", degree=2, gamma=gamma, coef0=0.0) if name == "poly" else kernel(name, gamma=gamma)
        )
        problem = {"loss": "hinge", "bias": "none", "kernel": form, "C": ONE, "classes": "two"}
        x = [row[0] for row in small.X]
        if name == "poly":
            K = [[(gamma * (u * v)) ** 2 for v in x] for u in x]
        else:
            K = [[math.exp(-gamma * ((u - v) ** 2 if name == "rbf" else abs(u - v))) for v in x] for u in x]
        for title, values in (
            ("naive", K),
            ("flushed", [[1.0 if name == "rbf" else 0.0 for _ in x] for _ in x]),
        ):
            machine = Machine(
                [[(Fraction(v), Fraction(v)) for v in row] for row in values],
                [1, -1, 1, -1],
                0,
                "none",
                False,
                [Fraction(1)] * 4,
            )
            try:
                solution = solve(machine)
            except ArithmeticError:
                continue
            true = solve(
                Machine(
                    matrix(form, small, (0, 1, 2, 3)), [1, -1, 1, -1], 0, "none", False, [Fraction(1)] * 4
                )
            )
            value = float(solution.lower)
            if true.lower <= value <= true.upper:
                continue
            proof = {
                "alpha": dense([float(v) for v in solution.z]), "b": real(0.0), "primal": real(value),
                "dual": real(value),
            }  # fmt: skip
            document = _plain("optimal", describe(small, ["1"], ["-1"]), problem, proof)
            yield _written(f"{title} {name} values of a huge gamma", document, small)


def _plain(
    kind: str, about: dict[str, Any], problem: dict[str, Any], proof: dict[str, Any]
) -> dict[str, Any]:
    return {
        "format": "separatrix-certificate", "version": 2, "kind": kind, "claim": "Everything is proved.", "data": about,
        "problem": problem, "proof": proof,
    }  # fmt: skip


def _mistakes() -> Iterator[Forgery]:
    """Squares that underflow, bounds and counts that do not belong together."""
    for size in (1e-170, 1e-162, 5e-324):
        tiny = Data([[size, 0.0], [0.0, size], [-size, size]], [1, 1, -1], 2)
        problem = plain_run()
        for bound in (0, 1, 2):
            witness = {"w": dense([1.0, 0.25]), "b": dense([0.0])}
            document = _plain(
                "mistakes", describe(tiny, ["1"], ["-1"]), problem, {"witness": witness, "bound": bound}
            )
            yield _written(f"mistakes on entries of {size}, bound {bound}", document, tiny)
    start = "mistakes perceptron zero 1.0 two"

    def proof(**fields: Any) -> Callable[[dict[str, Any]], Any]:
        return lambda document: document["proof"].update(fields)

    n = len(CLOSE.X)
    yield _forged("0 updates", start, proof(updates=sparse([0] * n, integer)))
    yield _forged("0 updates, dense", start, proof(updates=dense([0] * n, integer)))
    yield _forged("a bound of 0", start, proof(bound=0))
    yield _forged("more updates than the bound", start, proof(updates=dense([10**6] * n, integer)))
    yield _forged("updates below zero", start, proof(updates=dense([1, 1, 1, -1, 10], integer)))
    few = proof(updates=sparse([int(place == 1) for place in range(18)], integer), bound=10**6)
    yield _forged("updates that do not separate", "mistakes perceptron zero 1.0 joint", few)
    yield _forged("a start of a run from zero", start, proof(start=0))
    yield _forged("a start beyond the rows", "mistakes perceptron row 1.0 two", proof(start=n))
    yield _forged(
        "no start of a run from a row", "mistakes perceptron row 1.0 two", lambda d: d["proof"].pop("start")
    )
    pair = "mistakes perceptron row 1.0 joint"
    yield _forged("a start at a pair of a class with itself", pair, proof(start=0))
    yield _forged(
        "updates with a decreasing step",
        "mistakes perceptron zero decreasing two",
        proof(updates=dense([1] * n, integer)),
    )
    yield _forged(
        "a bias of a run without one",
        "mistakes tiny",
        lambda d: d["proof"]["witness"].update(b=dense([1e-300])),
    )


def _statements() -> Iterator[Forgery]:
    """True numbers under a sentence that says more."""
    three = makers.separation(
        XOR, describe(XOR, ["1"], ["0"], [3]), {"bias": "free", "kernel": "linear", "classes": "two"}
    )
    every = copied(three)
    claim = every["claim"].replace("3 of 4 rows take part, not the excluded 3", "all 4 rows take part")
    yield _written("XOR without a row, claimed of every row", every, XOR, claim)
    yield _written(
        "XOR, the excluded row kept silent",
        copied(three),
        XOR,
        three["claim"].replace(", not the excluded 3", ""),
    )
    yield _written("a claim in free words", copied(three), XOR, "The data are separable.")
    yield _written("a claim twice", copied(three), XOR, three["claim"] + " " + three["claim"])
    only = copied(three)
    only["data"] |= {"negative": [], "excluded": []}
    yield _written("XOR, a label left out", only, XOR, three["claim"])
    zero = copied(_named("optimal hinge free").document)
    zero["problem"]["C"] = {"positive": real(0.0), "negative": real(0.0)}
    zero["proof"] |= {
        "primal": real(0.0),
        "dual": real(0.0),
        "w": dense([0.0] * 2),
        "alpha": dense([0.0] * 6),
        "b": real(0.0),
    }
    yield _written("C zero on both sides", zero, _named("optimal hinge free").data)
    rows = copied(zero)
    rows["problem"]["C"] = {"rows": sparse([0.0] * 6)}
    yield _written("C zero for every row", rows, _named("optimal hinge free").data)
    numbers = copied(_named("separating free").document)
    numbers["data"] |= {"labels": "text", "y": print_of_labels(APART.label_texts(), "text")}
    for title in (
        'A hyperplane with a bias strictly separates "1" (3 rows) from "-1" (3 rows); all 6 rows take part.',
        None,
    ):
        yield _written("numbers called texts", copied(numbers), APART, title or numbers["claim"])
    texts = copied(_named("optimal hinge free").document)
    mixed = _named("optimal hinge free").data
    texts["data"] |= {"labels": "number", "y": print_of_labels(mixed.label_texts(), "number")}
    yield _written("texts called numbers", texts, mixed, texts["claim"])
    yield from _rounded_claims()


def _rounded_claims() -> Iterator[Forgery]:
    """The bounds of a sentence rounded the wrong way."""
    for name, fields in (
        ("optimal hinge free", ("dual", "primal")),
        ("separating free, margin", ("lower", "upper")),
    ):
        specimen = _named(name)
        holder = specimen.document["proof"].get("margin", specimen.document["proof"])
        for field, up in zip(fields, (False, True), strict=True):
            value = Fraction(float.fromhex(holder[field]))
            right, wrong = rounded(value, 12, up), rounded(value, 12, not up)
            if right != wrong:
                claim = specimen.document["claim"].replace(right, wrong)
                yield _written(
                    f"{name}: {field} rounded the wrong way", copied(specimen.document), specimen.data, claim
                )


def _matrices() -> Iterator[Forgery]:
    """Matrices that are no kernel."""
    problem = {"loss": "hinge", "bias": "none", "kernel": kernel("precomputed"), "C": ONE, "classes": "two"}
    cases = {
        "not symmetric": [[1.0, 100.0], [-100.0, 1.0]], "indefinite": [[1.0, 2.0], [2.0, 1.0]],
        "negative": [[-1.0, 0.0], [0.0, 1.0]],
        "zero diagonal": [[0.0, 1.0], [1.0, 0.0]], "a little indefinite": [[1.0, 1.0], [1.0, math.nextafter(1.0, 0.0)]],
        "a little unsymmetric": [[1.0, 0.5], [math.nextafter(0.5, 1.0), 1.0]],
        "2 x 3": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        "3 x 2": [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]],
    }  # fmt: skip
    for title, K in cases.items():
        data = Data(K, [1, -1, 1][: len(K)], len(K[0]))
        for alpha in (0.0, 0.25, 1.0):
            proof = {
                "alpha": dense([alpha] * len(K)),
                "b": real(0.0),
                "primal": real(100.0),
                "dual": real(0.0),
            }
            yield _written(
                f"{title}, alpha {alpha}",
                _plain("optimal", describe(data, ["1"], ["-1"]), problem, proof),
                data,
            )
        circuit = {"circuit": sparse([1] * len(K), integer)}
        question = {"bias": "none", "kernel": kernel("precomputed"), "classes": "two"}
        yield _written(
            f"{title}, contradiction",
            _plain("inseparable", describe(data, ["1"], ["-1"]), question, circuit),
            data,
        )


def _crashes() -> Iterator[Forgery]:
    """Documents at which a careless checker stops with an exception."""
    margin = {"lower": real(0.0), "upper": real(1.0), "alpha": sparse([1, 0, 0], integer)}
    one = copied(_named("separating one side").document)
    one["proof"]["margin"] = margin
    yield _written("a margin of one side", one, SIDED)
    nobody = copied(_named("separating free").document)
    nobody["data"] |= {"excluded": list(range(6))}
    yield _written("no row takes part", nobody, APART)
    unknown = copied(_named("separating free").document)
    unknown["data"] |= {"positive": ["5"], "negative": ["6"]}
    yield _written("labels that do not occur", unknown, APART)
    for name, value in (
        ("columns", 2**53 - 1),
        ("columns", 2**64),
        ("rows", 10**400),
        ("columns", 0),
        ("rows", 0),
    ):
        document = copied(_named("separating free").document)
        document["data"][name] = value
        yield _written(f"{name} {str(value)[:20]}", document, APART, document["claim"])
    document = copied(_named("separating free").document)
    document["proof"]["b"] = "0x" + "f" * 65_537
    yield _written("an integer of too many digits", document, APART, document["claim"])
    for title, text in (
        ("empty", b""),
        ("a list", b"[]"),
        ("brackets", b"[" * 5000),
        ("damaged gzip", b"\x1f\x8b\x08\x00" + b"\0" * 30),
    ):
        yield Forgery(title, text, APART)
    hard = {
        "loss": "squared_hinge",
        "bias": "free",
        "kernel": kernel("precomputed"),
        "C": "hard",
        "classes": "two",
    }
    proof = {"alpha": dense([0.0] * 4), "b": real(0.0), "primal": real(0.0), "dual": real(0.0)}
    yield _written(
        "a hard margin of zero", _plain("optimal", describe(GRAM, ["1"], ["-1"]), hard, proof), GRAM
    )
    flat = {"loss": "hinge", "bias": "free", "kernel": "linear", "C": "hard", "classes": "two"}
    yield _written(
        "a hard margin without a kernel object",
        _plain("optimal", describe(GRAM, ["1"], ["-1"]), flat, proof),
        GRAM,
    )


def forgeries() -> list[Forgery]:
    """All of them; the oracle finds none of these entitled and true."""
    return [*_overflow(), *_mistakes(), *_statements(), *_matrices(), *_crashes()]
