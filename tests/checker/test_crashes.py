"""Documents and data that made a checker crash: each is an answer."""

from __future__ import annotations

import dataclasses
import gzip

import numpy as np
import pytest
from forged_documents import (
    BOTH,
    ONE,
    PAIR,
    PAIR_LABELS,
    PLANE,
    ZERO,
    at_zero,
    refused,
    run,
    sealed,
    separating,
    stated,
)

from separatrix import verify
from separatrix.proof.certificate import Certificate, CertificateError
from separatrix.proof.fingerprint import fingerprint
from separatrix.proof.writing import write_vector, write_weights
from tests.proof.small_problems import changed, judge

# Crashes


@BOTH
def test_a_side_without_rows(exact):
    X, y = np.array([[1.0], [2.0]]), np.array([1, 1])
    certificate = separating(X, y, [1], 0)
    verdict = judge(certificate, X, y, exact)
    assert verdict
    assert "1 (2 rows) from -1 (0 rows)" in verdict.reason
    margin = {"lower": ZERO, "upper": ONE, "alpha": {"length": 2, "values": ["0x1", "0x1"]}}
    refused(judge(changed(certificate, "proof", margin=margin), X, y, exact))
    for problem in ({**PLANE, "bias": "none"},):
        through = dataclasses.replace(certificate, problem=problem)
        assert judge(changed(through, "proof", margin=margin), X, y, exact).outcome in ("proved", "rejected")
    circuit = {
        "circuit": {"length": 2, "values": ["0x1", "0x1"]},
        "cover": {"length": 2, "indices": [], "values": []},
    }
    lie = dataclasses.replace(certificate, kind="inseparable", proof={**circuit, "denominator": "0x1"})
    refused(judge(lie, X, y, exact))


@BOTH
@pytest.mark.parametrize("sides", [([5], [6], ()), ([1], [-1], (0, 1)), ([], [], ())])
def test_no_row_takes_part(sides, exact):
    source = fingerprint(PAIR, PAIR_LABELS).source(*sides)
    for certificate in (
        separating(PAIR, PAIR_LABELS, [1], 0),
        at_zero(PAIR, PAIR_LABELS, {"name": "linear"}),
    ):
        refused(judge(dataclasses.replace(certificate, data=source), PAIR, PAIR_LABELS, exact))


@BOTH
def test_a_given_matrix_with_more_rows_than_columns(exact):
    K, y = np.eye(5)[:, :3], np.array([1, 1, 1, -1, -1])
    certificate = at_zero(K, y, {"name": "precomputed"})
    assert "must be square" in refused(judge(certificate, K, y, exact))
    support = write_vector(np.array([0.0, 0.0, 0.0, 1.0, 0.0]))
    refused(judge(changed(certificate, "proof", alpha=support), K, y, exact))


@BOTH
@pytest.mark.parametrize("shape", [(4, 2), (4, 9)])
def test_a_function_of_rows_whose_matrix_has_another_shape_than_they(shape, exact):
    X, y = np.arange(shape[0] * shape[1], dtype=float).reshape(shape), np.array([1, -1, 1, -1])
    certificate = at_zero(X, y, {"name": "function"})
    assert judge(certificate, X, y, exact, kernel=lambda A, B: A @ B.T)
    for K in (X, X.T, X.T @ X, np.eye(5), None, "K", np.zeros((4, 4, 1)), np.full((4, 4), np.nan)):
        refused(judge(certificate, X, y, exact, kernel=lambda A, B, K=K: K))


def test_labels_and_numbers_of_400_digits(tmp_path):
    long = 10**399 + 7
    y = np.array([long, -1], dtype=object)
    certificate = stated(separating(PAIR, y, [1], 0, [long], [-1]), PAIR, y)
    assert verify(certificate, PAIR, y)
    certificate.save(tmp_path / "c.json")
    (tmp_path / "data.txt").write_text(f"{long} 1:1\n-1 1:-1\n")
    assert run(tmp_path / "c.json", tmp_path / "data.txt").returncode == 0
    for text in (f"{long} 1:{long}\n-1 1:-1\n", f"{long} {long}:1\n-1 1:-1\n"):
        (tmp_path / "data.txt").write_text(text)
        assert run(tmp_path / "c.json", tmp_path / "data.txt").returncode == 1
    body = certificate.body()
    for place in ("rows", "columns"):
        (tmp_path / "c.json").write_bytes(sealed({**body, "data": {**body["data"], place: long}}))
        assert run(tmp_path / "c.json", tmp_path / "data.txt").returncode == 3


@pytest.mark.parametrize("columns", [1 << 64, (1 << 64) + 1, 1 << 53, 1 << 33, 1 << 32])
def test_columns_that_no_fingerprint_holds(columns, tmp_path):
    certificate = stated(separating(PAIR, PAIR_LABELS, [1], 0), PAIR, PAIR_LABELS)
    data = dataclasses.replace(certificate.data, columns=columns)
    wide = changed(dataclasses.replace(certificate, data=data), "proof", w=write_weights([0], [1], columns))
    for exact in (False, True):
        refused(judge(wide, PAIR, PAIR_LABELS, exact))
    wide.save(tmp_path / "c.json")
    (tmp_path / "data.txt").write_text("1 1:1\n-1 1:-1\n")
    assert run(tmp_path / "c.json", tmp_path / "data.txt", limited=True).returncode == 3


@pytest.mark.parametrize("index", [1 << 33, (1 << 32) + 1, 1 << 64, 10**30])
def test_an_index_that_no_fingerprint_holds(index, tmp_path):
    stated(separating(PAIR, PAIR_LABELS, [1], 0), PAIR, PAIR_LABELS).save(tmp_path / "c.json")
    (tmp_path / "data.txt").write_text(f"1 1:1\n-1 1:-1 {index}:1\n")
    done = run(tmp_path / "c.json", tmp_path / "data.txt", limited=True)
    assert done.returncode in (1, 3)
    assert (done.stdout + done.stderr).strip()


DAMAGES = [
    lambda content: content[:-4],
    lambda content: content[: len(content) // 2],
    lambda content: content[:40] + b"\0\0" + content[42:],
    lambda content: content[:3],
    lambda content: content[:-8] + b"\0\0\0\0" + content[-4:],
]


@pytest.mark.parametrize("damage", range(len(DAMAGES)))
def test_a_damaged_archive_is_an_answer(damage, tmp_path):
    certificate = stated(separating(PAIR, PAIR_LABELS, [1], 0), PAIR, PAIR_LABELS)
    certificate.save(tmp_path / "c.json.gz")
    content, rows = (
        (tmp_path / "c.json.gz").read_bytes(),
        gzip.compress(b"1 1:1\n-1 1:-1\n" + b"# nothing\n" * 50),
    )
    (tmp_path / "data.txt.gz").write_bytes(rows)
    assert run(tmp_path / "c.json.gz", tmp_path / "data.txt.gz").returncode == 0
    (tmp_path / "broken.json.gz").write_bytes(DAMAGES[damage](content))
    done = run(tmp_path / "broken.json.gz", tmp_path / "data.txt.gz")
    assert done.returncode == 3
    assert "compressed certificate" in done.stdout
    with pytest.raises(CertificateError, match="compressed certificate"):
        Certificate.load(tmp_path / "broken.json.gz")
    (tmp_path / "broken.txt.gz").write_bytes(DAMAGES[damage](rows))
    done = run(tmp_path / "c.json.gz", tmp_path / "broken.txt.gz")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
