"""Certificates of separability: both checks accept what is true and reject every changed number.

Tests `proof/separation.py`, `proof/margin_bounds.py`.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_problems import judge

from separatrix import Perceptron
from separatrix.proof.certificate import Certificate, CertificateError
from separatrix.proof.verify import verify
from separatrix.separability import separability

X = np.array([[0.0, 0.5], [0.25, 1.0], [1.0, 0.0], [1.0, 1.0], [3.0, 2.0], [0.5, 0.5]])
LABELS = {
    "separating": [0, 0, 0, 1, 1, 0],
    "inseparable": [0, 1, 1, 0, 1, 0],
    "quasi-separable": [0, 0, 1, 1, 1, 0],
}
DATA = {
    "separating": X,
    "inseparable": X,
    "quasi-separable": np.array([[-1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 0.0]]),
}


def made(kind: str, bias: bool = True) -> tuple[Certificate, np.ndarray, list[int]]:
    rows, labels = DATA[kind], LABELS[kind]
    certificate = separability(rows, labels, bias).certificate
    assert certificate.kind == kind
    return certificate, rows, labels


def numbers(record: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every number in a JSON value."""
    if isinstance(record, dict):
        for name, value in record.items():
            yield from numbers(value, (*path, name))
    elif isinstance(record, list):
        for k, value in enumerate(record):
            yield from numbers(value, (*path, k))
    elif isinstance(record, int) or (isinstance(record, str) and record.lstrip("-").startswith("0x")):
        yield path


def changed(value: Any) -> list[Any]:
    """A number moved a little each way, negated, and made zero."""
    if isinstance(value, int):
        return [value + 1, value - 1]
    if "p" in value:
        number = float.fromhex(value)
        return [v.hex() for v in (np.nextafter(number, np.inf), np.nextafter(number, -np.inf), -number, 0.0)]
    number = int(value, 16)
    return [hex(v) for v in (number + 1, number - 1, -number, 0) if v != number]


def replaced(record: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    copied = copy.deepcopy(record)
    target: Any = copied
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return copied


def at(record: dict[str, Any], path: tuple[Any, ...]) -> Any:
    value: Any = record
    for step in path:
        value = value[step]
    return value


def forgeries(
    kind: str, certificate: Certificate, paths: Iterator[tuple[Any, ...]]
) -> Iterator[tuple[tuple[Any, ...], Any, Certificate]]:
    """Yield the path of a number in the proof, another value, and the certificate with it."""
    for path in paths:
        for other in changed(at(certificate.proof, path)):
            proof = replaced(certificate.proof, path, other)
            yield (
                path,
                other,
                Certificate(kind, certificate.claim, certificate.data, certificate.problem, proof),
            )


@pytest.mark.parametrize("kind", LABELS)
def test_accepted_both_ways(kind: str) -> None:
    certificate, rows, labels = made(kind)
    for exact in (False, True):
        outcome = verify(certificate, rows, labels, exact=exact)
        assert outcome, outcome.reason
        assert outcome.reason.startswith("Proved in ")
        assert outcome.reason.endswith(certificate.claim)


@pytest.mark.parametrize("kind", LABELS)
def test_any_changed_number_breaks_the_digest(kind: str) -> None:
    document = made(kind)[0].to_dict()
    count = 0
    for path in numbers({name: document[name] for name in ("problem", "proof", "data")}):
        for other in changed(at(document, path)):
            with pytest.raises(CertificateError, match="differs from its digest"):
                Certificate.from_dict(replaced(document, path, other))
            count += 1
    assert count > 10


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("kind", ["inseparable", "quasi-separable"])
def test_any_changed_weight_is_rejected_by_the_mathematics(kind: str, exact: bool) -> None:
    """With digest and claim made anew: circuit and cover hold one exact balance each, so nothing may move."""
    certificate, rows, labels = made(kind)
    for part in ("circuit", "cover", "denominator"):
        for path, other, forged in forgeries(kind, certificate, numbers(certificate.proof[part], (part,))):
            outcome = judge(forged, rows, labels, exact=exact)
            # Without a cover any denominator says the same.
            empty = not certificate.proof["cover"]["values"]
            same = part == "denominator" and empty and int(other, 16) > 0
            assert bool(outcome) == same, (path, other)


@pytest.mark.parametrize("exact", [False, True])
def test_margin_bounds_cannot_be_sharpened(exact: bool) -> None:
    certificate, rows, labels = made("separating")
    margin = certificate.proof["margin"]
    for name, sharper in (("lower", 1 + 1e-12), ("upper", 1 - 1e-12)):
        value = float.fromhex(margin[name]) * sharper
        # The other bound gives way, so that the two do not cross.
        other = {"lower": 2.0 * float.fromhex(margin["upper"]), "upper": 0.5 * float.fromhex(margin["lower"])}
        away = {"lower": "upper", "upper": "lower"}[name]
        proof = replaced(certificate.proof, ("margin", away), other[name].hex())
        forged = Certificate("separating", certificate.claim, certificate.data, certificate.problem, proof)
        assert judge(forged, rows, labels, exact=exact)
        proof = replaced(proof, ("margin", name), value.hex())
        forged = Certificate("separating", certificate.claim, certificate.data, certificate.problem, proof)
        outcome = judge(forged, rows, labels, exact=exact)
        assert not outcome
        assert f"claimed {name} bound" in outcome.reason


@pytest.mark.parametrize("exact", [False, True])
def test_a_plane_through_a_row_does_not_separate(exact: bool) -> None:
    certificate, rows, labels = made("separating")
    plane = {"w": {"length": 2, "indices": [0, 1], "values": ["0x1", "0x1"]}, "b": "-0x2"}
    forged = Certificate("separating", "", certificate.data, certificate.problem, plane)
    outcome = judge(forged, rows, labels, exact=exact)
    assert not outcome
    assert "Row 3" in outcome.reason


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("kind", LABELS)
def test_other_data_are_rejected(kind: str, exact: bool) -> None:
    certificate, rows, labels = made(kind)
    moved = rows.copy()
    moved[0, 0] = np.nextafter(moved[0, 0], 2.0)
    assert not verify(certificate, moved, labels, exact=exact)
    assert not verify(certificate, rows, labels[::-1], exact=exact)
    assert not verify(certificate, rows[:, :1], labels, exact=exact)


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("separating", ("w",), {}),
        ("separating", ("w", "values"), []),
        ("separating", ("w", "length"), 3),
        ("separating", ("b",), "0x1.0000000000000p+0"),
        ("separating", ("margin",), None),
        ("separating", ("margin", "alpha", "length"), 7),
        ("separating", ("margin", "alpha", "indices"), [0, 0, 1]),
        ("separating", ("margin", "lower"), "-0x1.0000000000000p+0"),
        ("separating", ("margin", "upper"), "0x0.0p+0"),
        ("separating", ("circuit",), {"length": 6, "values": ["0x1"] * 6}),
        ("inseparable", ("circuit",), []),
        ("inseparable", ("circuit",), {"length": 6, "indices": [], "values": []}),
        ("inseparable", ("circuit",), {"length": 6, "indices": [0, 1, 99], "values": ["0x1", "0x1", "0x1"]}),
        ("inseparable", ("denominator",), "0x0"),
        ("inseparable", ("denominator",), "-0x1"),
        ("inseparable", ("margin",), {}),
        ("quasi-separable", ("cover",), None),
        ("quasi-separable", ("w",), {"length": 2, "values": ["0x0", "0x0"]}),
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_malformed_is_an_answer_not_an_error(
    kind: str, path: tuple[Any, ...], value: Any, exact: bool
) -> None:
    certificate, rows, labels = made(kind)
    proof = replaced(certificate.proof, path, value)
    forged = Certificate(kind, certificate.claim, certificate.data, certificate.problem, proof)
    outcome = judge(forged, rows, labels, exact=exact)
    assert outcome.outcome == "rejected"
    assert "check failed" not in outcome.reason


def test_a_quasi_witness_that_ties_too_little_is_rejected() -> None:
    """A strict claim for a tied row, or a cover of too few rows, must fail."""
    certificate, rows, labels = made("quasi-separable")
    proof = {**certificate.proof, "w": {"length": 2, "indices": [], "values": []}, "b": "0x0"}
    forged = Certificate("quasi-separable", "", certificate.data, certificate.problem, proof)
    for exact in (False, True):
        outcome = judge(forged, rows, labels, exact=exact)
        assert not outcome
        assert "rows off it" in outcome.reason


def test_stand_alone_checker(tmp_path: Path) -> None:
    """The standard library alone proves and rejects what the library wrote."""
    lines = [
        f"{label} " + " ".join(f"{j + 1}:{value!r}" for j, value in enumerate(row.tolist()) if value)
        for row, label in zip(X, LABELS["separating"], strict=True)
    ]
    data = tmp_path / "rows.libsvm"
    data.write_text("\n".join(lines) + "\n")
    path = tmp_path / "certificate.json"
    for kind in ("separating", "inseparable"):
        labels = LABELS[kind]
        data.write_text(
            "\n".join(f"{y} {line.split(' ', 1)[1]}" for y, line in zip(labels, lines, strict=True)) + "\n"
        )
        separability(X, labels).certificate.save(path)
        run = subprocess.run(
            [sys.executable, "-m", "separatrix.checker", str(path), str(data), "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stdout + run.stderr
        assert json.loads(run.stdout)["outcome"] == "proved"


def test_rows_of_other_classes_take_no_part() -> None:
    rows = np.vstack([X, X])
    labels = [*LABELS["separating"], *([7] * len(X))]
    found = separability(rows, labels, multi_class="ovo")[0, 1]
    assert found.verdict == "separable"
    assert verify(found.certificate, rows, labels, exact=True)
    contradiction = separability(rows, labels, multi_class="ovo")[0, 7].certificate
    for exact in (False, True):
        assert verify(contradiction, rows, labels, exact=exact)
        assert "10 of 12 rows take part" in verify(contradiction, rows, labels, exact=exact).reason
        joined = [0 if label == 1 else label for label in labels]
        assert not verify(contradiction, rows, joined, exact=exact)


@pytest.mark.parametrize("bias", [False, True])
def test_without_a_bias_b_is_zero(bias: bool) -> None:
    rows, labels = np.array([[1.0], [-1.0]]), [1, 0]
    certificate = separability(rows, labels, bias).certificate
    assert certificate.problem["bias"] == ("free" if bias else "none")
    proof = {"w": {"length": 1, "values": ["0x2"]}, "b": "0x1"}
    forged = Certificate("separating", "", certificate.data, certificate.problem, proof)
    for exact in (False, True):
        assert bool(judge(forged, rows, labels, exact=exact)) == bias


JOINT = {
    "separating": (np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [2.0, 0.0]]), [0, 1, 2, 0]),
    "quasi-separable": (np.array([[0.0], [0.0], [1.0], [2.0]]), [0, 1, 2, 2]),
    "inseparable": (np.array([[0.0], [0.0], [0.0]]), [0, 1, 2]),
}


def joint_certificate(kind: str) -> tuple[Certificate, np.ndarray, list[int]]:
    """A claim about all classes at once: from a perceptron where there is a contradiction, by hand where not."""
    rows, labels = JOINT[kind]
    certificate = Perceptron(max_epochs=50).fit(rows, labels).certificate_
    if kind == "separating":
        problem = {"bias": "free", "kernel": "linear", "classes": "joint"}
        w = {"length": 6, "values": ["0x4", "0x0", "0x0", "0x4", "-0x2", "-0x2"]}
        proof = {"w": w, "b": {"length": 3, "values": ["0x0", "0x0", "0x1"]}}
        certificate = Certificate("separating", "", certificate.data, problem, proof)
        found = judge(certificate, rows, labels)
        certificate = Certificate(
            "separating", found.reason.split(": ", 1)[1], certificate.data, problem, proof
        )
    assert certificate.kind == kind
    assert certificate.problem["classes"] == "joint"
    return certificate, rows, labels


@pytest.mark.parametrize("kind", JOINT)
def test_all_classes_at_once_speak_of_the_rows_as_given(kind: str) -> None:
    certificate, rows, labels = joint_certificate(kind)
    outcome = verify(certificate, rows, labels)
    assert outcome, outcome.reason
    assert "one for each class" in outcome.reason
    assert f"of 0, 1, 2 ({len(rows)} rows)" in outcome.reason
    assert (certificate.data.rows, certificate.data.columns) == rows.shape
    assert certificate.data.negative == ()


@pytest.mark.parametrize("kind", JOINT)
def test_any_changed_number_of_all_classes_is_rejected_or_still_true(kind: str) -> None:
    certificate, rows, labels = joint_certificate(kind)
    tried = rejected = 0
    for path, _, forged in forgeries(kind, certificate, numbers(certificate.proof)):
        outcome = judge(forged, rows, labels)
        tried, rejected = tried + 1, rejected + (not outcome)
        if outcome:
            assert path[0] in ("w", "b", "denominator"), path
            if path[0] in ("w", "b"):
                assert holds_joint(kind, forged.proof, rows, labels), path
    assert rejected > tried // 5


def holds_joint(kind: str, proof: dict[str, Any], rows: np.ndarray, labels: list[int]) -> bool:
    """Whether every row has its highest score at its own class, strictly or not, on data of small integers."""
    k, d = len(set(labels)), rows.shape[1]

    def dense(record: dict[str, Any]) -> np.ndarray:
        out = np.zeros(record["length"])
        out[record.get("indices", slice(None))] = [int(text, 16) for text in record["values"]]
        return out

    f = rows @ dense(proof["w"]).reshape(k, d).T + dense(proof["b"])
    lead = f[np.arange(len(rows)), labels][:, None] - f
    lead[np.arange(len(rows)), labels] = np.inf
    return bool(np.all(lead > 0) if kind == "separating" else np.all(lead >= 0))
