"""The `mistakes` certificate: a claim with one number changed is rejected, or is still true by brute force."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from hashlib import sha256

import numpy as np
import pytest

from separatrix import Perceptron, verify
from separatrix.checker.codec import write_real
from separatrix.checker.mistakes import read_mistakes, too_many
from separatrix.proof.certificate import Certificate, CertificateError
from tests.perceptron_data import EIGHT, EIGHT_LABELS

BOTH = pytest.mark.parametrize("exact", [False, True], ids=["float", "exact"])
VARIANTS = [
    {},
    {"bias": "radius", "step": 0.25},
    {"start": 2},
    {"step": "decreasing"},
    {"algorithm": "gradient", "step": "line-search"},
    {"algorithm": "gradient", "bias": "radius", "step": "decreasing", "start": 1},
]
FACTORS = (-1.0, 0.0, 0.5, 1.0 - 1e-9, 1.0 + 1e-9, 2.0, 1e300)


def numbers(node, path=()):
    """The path of every number in a document: integers and hexadecimal reals."""
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
    if isinstance(value, int):
        return [other for other in (value - 1, value + 1, 2 * value + 3, -value - 1) if other != value]
    real = float.fromhex(value)
    return [write_real(real * f) for f in FACTORS if real * f != real and np.isfinite(real * f)] + [
        write_real(real + 1.0)
    ]


def holds(certificate, X, y) -> bool:
    """Whether every statement of the certificate is true, worked out in the open with fractions."""
    claim = read_mistakes(certificate)
    rows = [[Fraction(v) for v in row] for row in X]
    gain, alpha = Fraction(claim.gain), [Fraction(v) for v in claim.alpha.dense()]
    radius = max(sum(v * v for v in row) for row in rows)

    def least(plane):
        w, b = [Fraction(v) for v in plane[0].dense()], Fraction(plane[1])
        margins = [
            s * (sum(a * c for a, c in zip(w, row, strict=True)) + b) for s, row in zip(y, rows, strict=True)
        ]
        return min(margins), sum(v * v for v in w) + (b * b / gain if gain else 0)

    if least(claim.final)[0] <= 0 or least(claim.witness)[0] <= 0:
        return False
    margin, norm = least(claim.witness)
    if any(count < 0 or count.denominator != 1 for count in alpha) or claim.updates > claim.bound:
        return False
    if claim.algorithm == "perceptron":
        if sum(alpha) != claim.updates:
            return False
        if claim.start is None and claim.step is not None:
            total = [
                sum(c * s * row[j] for c, s, row in zip(alpha, y, rows, strict=True))
                for j in range(len(X[0]))
            ]
            squared = (
                sum(v * v for v in total) + gain * sum(c * s for c, s in zip(alpha, y, strict=True)) ** 2
            )
            if squared > claim.updates * (radius + gain):
                return False
    elif max(alpha) > claim.updates:
        return False
    ratio = max(Fraction(1), (radius + gain) * norm / margin**2)
    return too_many(claim, ratio, Fraction(claim.bound), len(y))


@BOTH
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_changed_number_is_rejected_or_still_true(variant, exact):
    """Change one number, sign anew: never an accepted claim that is false."""
    model = Perceptron(max_epochs=100_000, **variant).fit(EIGHT, EIGHT_LABELS)
    certificate = model.certificate_
    assert holds(certificate, EIGHT, EIGHT_LABELS)
    assert verify(certificate, EIGHT, EIGHT_LABELS, exact)
    rejected = tried = 0
    for part in ("problem", "proof"):
        document = getattr(certificate, part)
        for path, value in numbers(document):
            for other in others(value):
                changed = dataclasses.replace(certificate, **{part: with_number(document, path, other)})
                verdict = verify(changed, EIGHT, EIGHT_LABELS, exact)
                assert verdict.reason.endswith(".")
                tried += 1
                rejected += not verdict
                if verdict:
                    assert holds(changed, EIGHT, EIGHT_LABELS), (path, value, other)
                if path[0] in ("updates", "gain") and not variant.get("algorithm"):
                    assert not verdict, (path, value, other)
                if (
                    path[0] == "alpha"
                    and path[1] in ("length", "indices", "values")
                    and not variant.get("algorithm")
                ):
                    assert not verdict or path[1] == "indices", (path, value, other)
    assert tried > 40
    assert rejected > tried // 3


@BOTH
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_claims_false_by_a_little_are_rejected(variant, exact):
    """The bound below what the theorem gives, one update more than happened, a last plane that leaves a row."""
    certificate = Perceptron(max_epochs=100_000, **variant).fit(EIGHT, EIGHT_LABELS).certificate_
    proof = certificate.proof
    bound = float.fromhex(proof["bound"])
    flipped = {**proof["final"], "b": write_real(-float.fromhex(proof["final"]["b"]))}
    for change in (
        {"bound": write_real(bound * (1 - 1e-6))},
        {"bound": write_real(float(proof["updates"] - 1))},
        {"updates": int(bound) + 1},
        {"final": flipped},
        {"witness": {**proof["witness"], "b": write_real(0.0)}},
    ):
        changed = dataclasses.replace(certificate, proof={**proof, **change})
        assert not verify(changed, EIGHT, EIGHT_LABELS, exact), change


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
    "unit",
    "radius",
    "none",
    "perceptron",
    "gradient",
    "decreasing",
    "line-search",
    "zero",
    "text",
    "-1",
    "",
)
OTHERS = (None, True, 0, 7, -1, [], {}, *WORDS)
#: Fields that nothing is proved from, or that another value leaves true: see docs/certificate-format.md.
HARMLESS = {("claim",), ("data", "labels"), ("data", "excluded"), ("problem", "start"), ("problem", "step")}


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


def accepted(document, exact):
    """The certificate if a document that was signed anew is read and verified, else None."""
    body = {name: part for name, part in document.items() if name != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    try:
        certificate = Certificate.from_dict({**body, "digest": sha256(text.encode()).hexdigest()})
    except CertificateError:
        return None
    return certificate if verify(certificate, EIGHT, EIGHT_LABELS, exact) else None


@pytest.mark.parametrize(
    ("variant", "exact"), [(VARIANTS[1], False), (VARIANTS[1], True), (VARIANTS[2], False)]
)
def test_every_field_removed_or_replaced_is_refused_or_still_true(variant, exact):
    """Every field of the document in turn: gone, of another type, or another word that the format knows."""
    document = Perceptron(**variant).fit(EIGHT, EIGHT_LABELS).certificate_.to_dict()
    assert accepted(document, exact)
    for path in places(document):
        if path == ("digest",):
            continue
        assert accepted(without(document, path), exact) is None, path
        for other in OTHERS:
            changed = with_number(document, path, other)
            certificate = None if changed == document else accepted(changed, exact)
            if certificate is not None:
                assert holds(certificate, EIGHT, EIGHT_LABELS), (path, other)
                assert path in HARMLESS or path[:3] == ("proof", "alpha", "indices"), (path, other)
