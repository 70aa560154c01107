"""Any junk anywhere in a certificate is refused on reading or gets a verdict with a sentence."""

import numpy as np
import pytest
from small_problems import certified

from separatrix import SVC, Perceptron, kernels
from separatrix.checker import document as documents
from separatrix.proof.certificate import Certificate, CertificateError
from separatrix.proof.verify import verify
from separatrix.proof.writing import write_real
from separatrix.separability import separability

ONE, TINY, HUGE = write_real(1.0), write_real(2.0**-30), write_real(2.0**1000)


JUNK = [None, True, -1, 2**70, "", "0x1p+0", ONE, "-" + HUGE, [], {}, [[]], {"length": 3}, [ONE] * 3, "0x1"]


def places(node, path=()):
    """The path of every value in a document, lists and objects included."""
    yield path
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, child in children:
        yield from places(child, (*path, name))


def replaced(node, path, value):
    if not path:
        return value
    copy = dict(node) if isinstance(node, dict) else list(node)
    copy[path[0]] = replaced(node[path[0]], path[1:], value)
    return copy


ROWS, CODES = np.array([[0.5, 1.0], [1.0, 3.0], [-1.0, 0.25], [-2.0, -1.0]]), np.array([0, 0, 1, 1])


def one_of_each_kind(name):
    """(certificate, X, y): small and genuine."""
    if name in ("costs by side", "costs by row"):
        problem, labels, _, certificate = certified(
            n=4, d=2, weighted=name == "costs by row", bias="augmented"
        )
        return certificate, problem.X, labels
    if name == "kernel":
        return SVC(kernel="rbf", gamma=0.5).fit(ROWS, CODES).certificate_, ROWS, CODES
    if name == "combined kernel":
        kernel = 0.5 * kernels.Rbf(0.5) + kernels.Poly(2, 1.0, 1.0)
        return SVC(kernel=kernel).fit(ROWS, CODES).certificate_, ROWS, CODES
    if name == "separating":
        return separability(ROWS, CODES).certificate, ROWS, CODES
    if name == "inseparable":
        return separability(ROWS, CODES[[0, 2, 1, 3]]).certificate, ROWS, CODES[[0, 2, 1, 3]]
    if name == "mistakes":
        return Perceptron().fit(ROWS, CODES).certificate_, ROWS, CODES
    labels = np.array([0, 0, 1, 2])
    if name == "joint":
        return SVC(multi_class="crammer-singer").fit(ROWS, labels).certificate_, ROWS, labels
    return Perceptron().fit(ROWS, labels).certificate_, ROWS, labels


KINDS = [
    *(
        "costs by side",
        "costs by row",
        "kernel",
        "combined kernel",
        "separating",
        "inseparable",
        "mistakes",
        "joint",
    ),
    "joint mistakes",
]


@pytest.mark.parametrize("exact", [None, False, True])
@pytest.mark.parametrize("name", KINDS)
def test_no_content_raises(name, exact):
    """Any junk anywhere, signed anew, is refused on reading or gets a verdict; never another exception."""
    certificate, X, y = one_of_each_kind(name)
    assert verify(certificate, X, y, exact)
    document, refused, rejected = certificate.to_dict(), 0, 0
    del document["digest"]
    for path in places(document):
        for junk in JUNK:
            body = replaced(document, path, junk)
            if body == document:
                continue
            if isinstance(body, dict):
                body = {**body, "digest": documents.digest_of(body)}
            try:
                junk_inside = Certificate.from_dict(body)
            except CertificateError:
                refused += 1
                continue
            verdict = verify(junk_inside, X, y, exact)
            rejected += not verdict
            # Other words of the format, and numbers that are not in the statement, may leave it true.
            harmless = path == ("data", "type") or path[0] == "proof" or path[:3] == ("problem", "C", "rows")
            assert harmless or verdict.outcome == "rejected", (path, junk)
            assert verdict.reason.endswith("."), (path, junk, verdict.reason)
            assert not verdict.reason.startswith(("The check failed", "The data cannot be checked")), (
                path,
                junk,
                verdict.reason,
            )
    assert refused > 50
    assert rejected > 100
