"""Small files that take the machine, and what is expected of a proof."""

from __future__ import annotations

import gzip
import hashlib
import json

import numpy as np
import pytest
from forged_documents import (
    BOTH,
    ONE,
    PAIR,
    PAIR_LABELS,
    PLANE,
    at_zero,
    refused,
    run,
    separating,
    stated,
    write_libsvm,
)
from scipy import sparse

from separatrix import verify
from separatrix.proof.certificate import Certificate
from separatrix.proof.fingerprint import fingerprint
from separatrix.proof.writing import write_real, write_weights
from tests.proof.small_problems import changed

# Small files that take the machine


def wide_certificate():
    """A thousand million columns, of which two have entries."""
    X = sparse.csr_array(([1.0, -1.0], ([0, 1], [0, 999_999_999])), shape=(2, 10**9))
    proof = {"w": write_weights([0, 999_999_999], [1, 1], 10**9), "b": "0x0"}
    source = fingerprint(X, PAIR_LABELS).source([1], [-1])
    return stated(Certificate("separating", "", source, PLANE, proof), X, PAIR_LABELS)


def test_many_columns_in_a_small_file(tmp_path):
    wide_certificate().save(tmp_path / "c.json")
    assert (tmp_path / "c.json").stat().st_size < 1024
    (tmp_path / "data.txt").write_text("1 1:1\n-1 1000000000:-1\n")
    done = run(tmp_path / "c.json", tmp_path / "data.txt", limited=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "data.txt").write_text("1 1:1\n-1 999999999:-1\n")
    assert run(tmp_path / "c.json", tmp_path / "data.txt", limited=True).returncode == 3


LINEAR = '{"name":"linear"}'
POWER = f'{{"coef0":"{ONE}","degree":32,"gamma":"{ONE}","name":"poly"}}'


def nested(depth, name="sum", leaf=LINEAR):
    """A tree of 2^depth kernels, as canonical text."""
    return (
        leaf
        if not depth
        else f'{{"name":"{name}","parts":[' + ",".join([nested(depth - 1, name, leaf)] * 2) + "]}"
    )


def chained(depth):
    """Kernels within kernels, each with one part."""
    return f'{{"factor":"{ONE}","name":"scaled","parts":[' * depth + LINEAR + "]}" * depth


HEAVY_KERNELS = {
    "degree 1000": POWER.replace("32", "1000"),
    "degree 2^53 - 1": POWER.replace("32", str((1 << 53) - 1)),
    "tree": nested(11),
    "wide tree": nested(16),
    "chain": chained(4000),
    "short chain": chained(400),
    "chain within the limit of parts": chained(15),
    "powers": nested(3, "product", POWER),
}


@pytest.mark.parametrize("name", HEAVY_KERNELS)
def test_a_heavy_kernel_in_a_small_file(name, tmp_path):
    body = {**at_zero(PAIR, PAIR_LABELS, "linear").body(), "claim": "Heavy."}
    del body["proof"]["w"]
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    canonical = canonical.replace('"kernel":"linear"', f'"kernel":{HEAVY_KERNELS[name]}')
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    (tmp_path / "c.json").write_text(f'{canonical[:-1]},"digest":"{digest}"}}')
    done = run(tmp_path / "c.json", write_libsvm(tmp_path / "data.txt", PAIR, PAIR_LABELS), limited=True)
    assert done.returncode == 3
    assert done.stdout.startswith("Rejected: ")
    assert ("not what its numbers prove" in done.stdout) == name.startswith("chain within")


@BOTH
@pytest.mark.parametrize("name", ["degree 1000", "tree", "short chain", "powers"])
def test_a_heavy_kernel_is_answered_by_verify(name, exact):
    refused(verify(at_zero(PAIR, PAIR_LABELS, json.loads(HEAVY_KERNELS[name])), PAIR, PAIR_LABELS, exact))


def test_weights_of_ten_million_bits(tmp_path):
    certificate = separating(PAIR, PAIR_LABELS, [1], 0)
    long = "0x1" + 2_500_000 * "0"
    for proof in ({"b": long}, {"w": {"length": 1, "values": [long]}}):
        changed(certificate, "proof", **proof).save(tmp_path / "c.json.gz")
        assert (tmp_path / "c.json.gz").stat().st_size < 16_384
        done = run(
            tmp_path / "c.json.gz", write_libsvm(tmp_path / "data.txt", PAIR, PAIR_LABELS), limited=True
        )
        assert done.returncode == 3
        assert "hexadecimal integer" in done.stdout


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 30_000_000,
        b"[]," * 10_000_000,
        b'{"a":' * 6_000_000,
        b"[" * 200_000_000,
        b" " * 300_000_000,
        b'"' + b"a" * 33_000_000 + b'"',
        b"[" + b"0," * 16_000_000 + b"0]",
        b"1" * 33_000_000,
    ],
    ids=["open", "empty", "objects", "far beyond the budget", "spaces", "text", "zeros", "digits"],
)
def test_a_small_archive_of_much_text(content, tmp_path):
    (tmp_path / "c.json.gz").write_bytes(gzip.compress(content))
    assert (tmp_path / "c.json.gz").stat().st_size < 300_000
    done = run(tmp_path / "c.json.gz", write_libsvm(tmp_path / "data.txt", PAIR, PAIR_LABELS), limited=True)
    assert done.returncode == 3, done.stderr
    assert done.stdout.startswith("Rejected: ")


# Expectations

EXPECTATIONS = [
    *[({"C": 1.0}, True), ({"C": (1.0, 1.0)}, True), ({"C": 2.0}, False), ({"C": (1.0, 2.0)}, False)],
    *[({"rows": "all"}, False), ({"rows": 3}, True), ({"rows": 4}, False)],
    *[
        ({"kernel": "rbf"}, True),
        ({"kernel": {"name": "rbf", "gamma": 0.5}}, True),
        ({"kernel": "linear"}, False),
    ],
    *[({"kernel": {"name": "rbf", "gamma": 0.25}}, False), ({"kernel": "poly"}, False)],
    *[
        ({"positive": 1}, True),
        ({"positive": [1]}, True),
        ({"positive": -1}, False),
        ({"positive": [1, -1]}, False),
    ],
    *[({"negative": -1}, True), ({"negative": [0]}, False)],
    *[({"kind": "optimal"}, True), ({"kind": "separating"}, False), ({"loss": "hinge"}, True)],
    *[({"loss": "squared_hinge"}, False), ({"bias": "free"}, True), ({"bias": "none"}, False)],
    *[({"classes": "two"}, True), ({"classes": "joint"}, False), ({"gap": 1}, True), ({"gap": 0.5}, False)],
    *[({"step": 1}, False), ({"anything": 1}, False)],
]


def expected_case():
    X, y = np.array([[1.0], [-1.0], [0.0], [2.0]]), np.array([1, -1, 0, 1])
    kernel = {"name": "rbf", "gamma": write_real(0.5)}
    return X, y, stated(at_zero(X, y, kernel, C=1.0), X, y)


@BOTH
@pytest.mark.parametrize(("expect", "right"), EXPECTATIONS, ids=str)
def test_what_is_expected_is_compared_with_what_is_proved(expect, right, exact):
    X, y, certificate = expected_case()
    verdict = verify(certificate, X, y, exact, expect=expect)
    assert bool(verdict) == right
    if not right:
        assert f"Expected {next(iter(expect))} = " in refused(verdict)


def test_what_is_expected_on_the_command_line(tmp_path):
    certificate = expected_case()[2]
    certificate.save(tmp_path / "c.json")
    (tmp_path / "data.txt").write_text("1 1:1\n-1 1:-1\n0\n1 1:2\n")
    files = tmp_path / "c.json", tmp_path / "data.txt"
    for expect, right in EXPECTATIONS:
        ((name, value),) = expect.items()
        if isinstance(value, tuple | dict):
            continue
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        done = run(*files, "--expect", f"{name}={text}")
        assert done.returncode == (0 if right else 3), (expect, done.stdout)
    right = [("C", "1"), ("rows", "3"), ("kernel", "rbf"), ("positive", "1")]
    done = run(*files, *(part for name, text in right for part in ("--expect", f"{name}={text}")))
    assert done.returncode == 0
