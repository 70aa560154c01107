"""The stand-alone checker on every test vector."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from separatrix.checker.__main__ import EXIT_CODES, main
from separatrix.checker.check import check
from separatrix.checker.data import Labels
from separatrix.checker.document import load
from separatrix.checker.fingerprint import encode, fingerprint_labels, fingerprint_rows
from separatrix.checker.numbers import Rejected
from separatrix.checker.text import StoredRows

FOLDER = Path(__file__).parents[1] / "vectors"
FILES = sorted(FOLDER.glob("*.json"))
VECTORS = [
    pytest.param(vector, id=f"{file.stem}-{vector['name']}")
    for file in FILES
    for vector in json.loads(file.read_text())
]


def table_of(rows: list[list[str]], columns: int) -> StoredRows:
    table = StoredRows(columns)
    for row in rows:
        table.append(range(columns), [float.fromhex(text) for text in row])
    return table


def saved(vector, folder: Path) -> Path:
    path = folder / "certificate.json"
    coded = vector.get("certificate_base64")
    path.write_bytes(base64.b64decode(coded) if coded else vector["certificate"].encode())
    return path


@pytest.mark.parametrize("vector", VECTORS)
def test_vector_has_its_outcome(vector, tmp_path, capsys):
    path = saved(vector, tmp_path)
    if "text" in vector:
        data = tmp_path / f"data.{vector['format']}"
        data.write_text(vector["text"])
        assert main([str(path), str(data), "--format", vector["format"]]) == EXIT_CODES[vector["outcome"]]
        return
    table = table_of(vector["X"], vector["columns"])
    K = table_of(vector["K"], len(vector["K"])) if "K" in vector else None
    classes, codes = encode(vector["y"])
    kind = vector["labels"]
    marks = fingerprint_rows(table), fingerprint_labels(kind, classes, codes)
    try:
        document = load(path)
    except Rejected:
        document = None
    if document is None:
        assert vector["outcome"] == "rejected"
        return
    found = check(document, table, Labels(kind, classes, codes), *marks, K=K)
    assert found.outcome == vector["outcome"], found.reason
    assert "failed" not in found.reason, "an exception is not the sentence that a rejection deserves"


def test_there_are_vectors_of_every_kind_and_outcome():
    outcomes = {(file.stem, vector["outcome"]) for file in FILES for vector in json.loads(file.read_text())}
    kinds = {"optimal", "kernels", "classes", "separability", "mistakes", "scaling"}
    assert {(kind, outcome) for kind in kinds for outcome in ("proved", "rejected")} <= outcomes
    assert ("kernels", "conditional") in outcomes
