"""The `mistakes` certificate: a claim with one number changed is rejected, or is still true by brute force."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction

import numpy as np
import pytest
from small_problems import judge

from separatrix import Perceptron, verify
from separatrix.checker.document import digest_of
from separatrix.problem.mistakes import Variant
from separatrix.proof.certificate import Certificate, CertificateError
from separatrix.proof.fingerprint import fingerprint
from separatrix.proof.mistakes import MistakeClaim, mistakes
from separatrix.proof.writing import write_real
from tests.perceptron_data import EIGHT, EIGHT_LABELS

BOTH = pytest.mark.parametrize("exact", [False, True], ids=["float", "exact"])
VARIANTS = [
    {},
    {"bias": "radius", "step": 0.25},
    {"start": 2},
    {"step": "decreasing"},
    {"algorithm": "gradient", "step": "line-search"},
    {"algorithm": "gradient", "bias": "radius", "step": "decreasing", "start": 1},
    {"algorithm": "gradient", "step": 0.5, "start": 1},
]
FACTORS = (-1.0, 0.0, 0.5, 1.0 - 1e-9, 1.0 + 1e-9, 2.0, 1e300)


def fitted(variant):
    return Perceptron(max_epochs=100_000, **variant).fit(EIGHT, EIGHT_LABELS).certificate_


def numbers(node, path=()):
    """The path of every number in a document: counts, hexadecimal reals and integers."""
    if isinstance(node, dict):
        for name, child in node.items():
            yield from numbers(child, (*path, name))
    elif isinstance(node, list):
        for place, child in enumerate(node):
            yield from numbers(child, (*path, place))
    elif isinstance(node, int) or (isinstance(node, str) and "0x" in node):
        yield path, node


def with_number(node, path, value):
    if not path:
        return value
    copy = dict(node) if isinstance(node, dict) else list(node)
    copy[path[0]] = with_number(node[path[0]], path[1:], value)
    return copy


def others(value):
    """Other numbers of the same kind."""
    if isinstance(value, int) or "p" not in value:
        number = value if isinstance(value, int) else int(value, 16)
        found = [other for other in (number - 1, number + 1, 2 * number + 3, -number - 1) if other != number]
        return found if isinstance(value, int) else [hex(other) for other in found]
    real = float.fromhex(value)
    return [write_real(real * f) for f in FACTORS if real * f != real and np.isfinite(real * f)] + [
        write_real(real + 1.0)
    ]


def dense(record, read=float.fromhex):
    values = [Fraction(0)] * record["length"]
    for place, text in zip(record.get("indices", range(record["length"])), record["values"], strict=True):
        values[place] = Fraction(read(text))
    return values


def holds(certificate, X, y) -> bool:
    """Whether every statement of the certificate is true, worked out in the open with fractions."""
    problem, proof = certificate.problem, certificate.proof
    rows, gain = [[Fraction(v) for v in row] for row in X], Fraction(float.fromhex(problem["gain"]))
    number = problem["step"] not in ("decreasing", "line-search")
    step = float.fromhex(problem["step"]) if number else problem["step"]
    radius = max(sum(v * v for v in row) for row in rows) + gain

    def least(w, b):
        return min(
            s * (sum(a * c for a, c in zip(w, row, strict=True)) + b) for s, row in zip(y, rows, strict=True)
        )

    w, (b,) = (dense(proof["witness"][name]) for name in ("w", "b"))
    if least(w, b) <= 0 or (b and not gain):
        return False
    if "updates" in proof:
        counts = dense(proof["updates"], lambda text: int(text, 16))
        total = sum(counts) if problem["algorithm"] == "perceptron" else max(counts)
        if min(counts) < 0 or total > proof["bound"]:
            return False
        factors = [Fraction(step) * count for count in counts]
        if problem["start"] == "row":
            factors[proof["start"]] += 1
        implied = [
            sum(f * s * row[j] for f, s, row in zip(factors, y, rows, strict=True)) for j in range(len(X[0]))
        ]
        if least(implied, gain * sum(f * s for f, s in zip(factors, y, strict=True))) <= 0:
            return False
    norm = sum(v * v for v in w) + (b * b / gain if gain else 0)
    variant = Variant(problem["algorithm"], step, problem["start"] == "row", len(y))
    return proof["bound"] + 1 > (1 - 1e-9) * variant.bound(float(radius * norm / least(w, b) ** 2))


@BOTH
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_changed_number_is_rejected_or_still_true(variant, exact):
    """Change one number, write digest and claim anew: never an accepted claim that is false."""
    certificate = fitted(variant)
    assert holds(certificate, EIGHT, EIGHT_LABELS)
    assert verify(certificate, EIGHT, EIGHT_LABELS, exact)
    rejected = tried = 0
    for part in ("problem", "proof"):
        document = getattr(certificate, part)
        for path, value in numbers(document):
            for other in others(value):
                changed = dataclasses.replace(certificate, **{part: with_number(document, path, other)})
                verdict = judge(changed, EIGHT, EIGHT_LABELS, exact)
                assert verdict.reason.endswith(".")
                assert "check failed" not in verdict.reason
                tried += 1
                rejected += not verdict
                if verdict:
                    assert holds(changed, EIGHT, EIGHT_LABELS), (path, value, other)
                if path[-1] == "length":
                    assert not verdict, (path, value, other)
    assert tried > 25
    assert rejected > tried // 3


@BOTH
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_claims_false_by_a_little_are_rejected(variant, exact):
    """The bound below what the theorem gives, more updates than the bound, updates that leave a row."""
    certificate = fitted(variant)
    proof = certificate.proof
    bound = proof["bound"]
    changes = [
        {"bound": bound - 1},
        {"bound": 0},
        {"witness": {**proof["witness"], "b": {"length": 1, "indices": [], "values": []}}},
        {"witness": {**proof["witness"], "b": {"length": 1, "values": [write_real(1e9)]}}},
    ]
    if "updates" in proof:
        counts = [int(text, 16) for text in proof["updates"]["values"]]
        total = max(counts) if variant.get("algorithm") else sum(counts)
        many = {**proof["updates"], "values": [hex(bound + 1), *proof["updates"]["values"][1:]]}
        changes += [
            {"bound": total - 1},
            {"updates": many},
            {"updates": {"length": 8, "indices": [0], "values": ["0x1"]}},
            {"updates": {"length": 8, "indices": [], "values": []}},
        ]
    for change in changes:
        changed = dataclasses.replace(certificate, proof={**proof, **change})
        assert not judge(changed, EIGHT, EIGHT_LABELS, exact), change


@BOTH
def test_an_untouched_digest_refuses_any_change(exact):
    """Without signing anew not even a true change passes."""
    certificate = Perceptron().fit(EIGHT, EIGHT_LABELS).certificate_
    document = certificate.to_dict()
    assert verify(Certificate.from_dict(document), EIGHT, EIGHT_LABELS, exact)
    count = 0
    for path, value in [*numbers(document["problem"], ("problem",)), *numbers(document["proof"], ("proof",))]:
        for other in others(value):
            with pytest.raises(CertificateError):
                Certificate.from_dict(with_number(document, path, other))
            count += 1
    assert count > 40


WORDS = (
    *(
        "unit",
        "radius",
        "none",
        "perceptron",
        "gradient",
        "decreasing",
        "line-search",
        "zero",
        "row",
        "two",
        "joint",
    ),
    *("text", "float32", "-1", "", "optimal", write_real(1.0), write_real(3.0)),
)
OTHERS = (None, True, 0, 7, -1, [], {}, *WORDS)
#: Fields that another value leaves true: see docs/certificate-format.md. The bound holds for fewer rows, too.
HARMLESS = [
    *(("data", name) for name in ("type", "positive", "negative")),
    *(("problem", name) for name in ("step", "algorithm", "gain")),
    *(
        ("proof", "start"),
        ("proof", "updates", "indices"),
        ("proof", "witness", "w"),
        ("proof", "witness", "b"),
    ),
]


def places(node, path=()):
    """The path of every field and list entry of a document, the whole parts included."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, child in children:
        yield (*path, name)
        yield from places(child, (*path, name))


def without(node, path):
    copy = dict(node) if isinstance(node, dict) else list(node)
    if len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = without(node[path[0]], path[1:])
    return copy


def accepted(document, exact, verifier=judge):
    """The certificate if a document that was signed anew is read and verified, else None."""
    body = {name: part for name, part in document.items() if name != "digest"}
    try:
        certificate = Certificate.from_dict({**body, "digest": digest_of(body)})
    except CertificateError:
        return None
    return certificate if verifier(certificate, EIGHT, EIGHT_LABELS, exact) else None


@pytest.mark.parametrize(
    ("variant", "exact"),
    [(VARIANTS[1], False), (VARIANTS[1], True), (VARIANTS[2], False), (VARIANTS[3], True)],
)
def test_every_field_removed_or_replaced_is_refused_or_still_true(variant, exact):
    """Every field of the document in turn: gone, of another type, or another word that the format knows."""
    document = Perceptron(**variant).fit(EIGHT, EIGHT_LABELS).certificate_.to_dict()
    assert accepted(document, exact)
    for path in places(document):
        if path == ("digest",):
            continue
        # Without the updates the bound alone is claimed, which holds as well.
        alone = path == ("proof", "updates") and "start" not in document["proof"]
        gone = accepted(without(document, path), exact)
        fewer = path[:2] in (("data", "positive"), ("data", "negative"))
        assert alone if gone is not None and not fewer else not alone, path
        for other in OTHERS:
            changed = with_number(document, path, other)
            if changed == document:
                continue
            if path == ("claim",):
                assert accepted(changed, exact, verify) is None
                continue
            certificate = accepted(changed, exact)
            if certificate is not None:
                assert holds(certificate, EIGHT, EIGHT_LABELS), (path, other)
                assert any(path[: len(each)] == each for each in HARMLESS), (path, other)


def test_a_run_whose_updates_do_not_separate_exactly_speaks_of_the_bound_alone():
    source = fingerprint(EIGHT, EIGHT_LABELS).source([1], [-1])
    record = fitted({}).proof["witness"]
    witness = (
        np.array([[float(v) for v in dense(record["w"])]]),
        np.array([float(v) for v in dense(record["b"])]),
    )
    counts = np.zeros(8, dtype=np.int64)
    counts[0] = 1
    certificate = mistakes(EIGHT, source, MistakeClaim("perceptron", 1.0, 1.0, None, counts, witness))
    assert set(certificate.proof) == {"witness", "bound"}
    assert "counted" not in certificate.claim
    assert verify(certificate, EIGHT, EIGHT_LABELS)
    with pytest.raises(ValueError, match="cannot be certified"):
        mistakes(
            EIGHT, source, MistakeClaim("perceptron", 1.0, 1.0, None, counts, (-witness[0], -witness[1]))
        )


JOINT_X = np.array([[4.0, 0.0], [5.0, 1.0], [0.0, 4.0], [1.0, 5.0], [-4.0, -4.0], [-5.0, -3.0]])
JOINT_Y = np.array(["a", "a", "b", "b", "c", "c"])


@BOTH
@pytest.mark.parametrize("variant", [{}, {"start": 2}, {"step": "decreasing"}, {"bias": "none"}], ids=str)
def test_all_classes_at_once_speak_of_the_rows_as_given(variant, exact):
    certificate = Perceptron(**variant).fit(JOINT_X, JOINT_Y).certificate_
    assert certificate.problem["classes"] == "joint"
    assert (certificate.data.rows, certificate.data.columns) == JOINT_X.shape
    verdict = verify(certificate, JOINT_X, JOINT_Y, exact)
    assert verdict, verdict.reason
    assert "of all classes at once" in verdict.reason
    assert '"a", "b", "c" (6 rows)' in verdict.reason
    proof = certificate.proof
    assert not judge(dataclasses.replace(certificate, proof={**proof, "bound": 0}), JOINT_X, JOINT_Y, exact)
    if "updates" in proof:
        # A pair of a row with its own class is none.
        own = {"length": 18, "indices": [0], "values": ["0x1"]}
        verdict = judge(
            dataclasses.replace(certificate, proof={**proof, "updates": own}), JOINT_X, JOINT_Y, exact
        )
        assert "takes no part" in verdict.reason


def test_a_certificate_survives_json():
    certificate = fitted({"start": 2})
    assert Certificate.from_dict(json.loads(json.dumps(certificate.to_dict()))) == certificate


def test_the_arithmetic_is_the_one_that_proved_it():
    """Floats leave a run from a row to the exact check, and the answer says so."""
    assert verify(fitted({}), EIGHT, EIGHT_LABELS, exact=False).arithmetic == "rigorous floats"
    from_a_row = verify(fitted({"start": 2}), EIGHT, EIGHT_LABELS, exact=False)
    assert from_a_row
    assert from_a_row.arithmetic == "exact"
    assert from_a_row.reason.startswith("Proved in exact arithmetic")
