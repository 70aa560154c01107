"""Small files that would take the machine: each must be answered within ten seconds and 500 MB."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.adversary import makers
from tests.adversary.document import (
    Data,
    canonical,
    dense,
    describe,
    integer,
    print_of_labels,
    real,
    sealed,
    sparse,
)
from tests.adversary.drafts import copied
from tests.adversary.judges import ROOT
from tests.adversary.specimens import RBF, XOR, kernel, plain_run, specimens

SECONDS, MEGABYTES = 10, 500
CODES = {0: "proved", 2: "conditional", 3: "rejected"}


@dataclass(frozen=True)
class Heavy:
    """A file, the LIBSVM text that it is shown with, and the one answer; None where every answer is fine."""

    name: str
    content: bytes
    rows: str
    outcome: str | None = "rejected"


def libsvm(data: Data) -> str:
    lines = []
    for label, row in zip(data.label_texts(), data.X, strict=True):
        lines.append(" ".join([label, *(f"{j + 1}:{v!r}" for j, v in enumerate(row) if v)]))
    return "\n".join(lines) + "\n"


def _print_of_wide_rows(entries: list[list[tuple[int, float]]], columns: int) -> str:
    flat = [entry for row in entries for entry in row]
    block = b"S" + struct.pack(f"<{len(entries)}I", *(len(row) for row in entries))
    block += struct.pack(f"<{len(flat)}I", *(j for j, _ in flat)) + struct.pack(
        f"<{len(flat)}d", *(v for _, v in flat)
    )
    head = b"separatrix X 1\n" + struct.pack("<QQ", len(entries), columns)
    return hashlib.sha256(head + hashlib.sha256(block).digest()).hexdigest()


def _file(document: dict[str, Any]) -> bytes:
    return json.dumps(sealed(document)).encode()


def _document(
    kind: str, claim: str, about: dict[str, Any], problem: dict[str, Any], proof: dict[str, Any]
) -> dict[str, Any]:
    return {
        "format": "separatrix-certificate", "version": 2, "kind": kind, "claim": claim, "data": about,
        "problem": problem, "proof": proof,
    }  # fmt: skip


def _proved(name: str, rows: str, *document: Any) -> Heavy:
    return Heavy(name, _file(_document(*document)), rows, "proved")


def _wide() -> Iterator[Heavy]:
    """A thousand million columns, of which three have entries."""
    for columns in (10**9, 2**32 - 1):
        entries = [
            [(0, 1.0), (columns - 1, 2.0)],
            [(5, 1.0), (columns - 1, 1.0)],
            [(0, -1.0), (columns - 1, -3.0)],
        ]
        texts = ["1", "1", "-1"]
        rows = "".join(
            f"{y} " + " ".join(f"{j + 1}:{v!r}" for j, v in row) + "\n"
            for y, row in zip(texts, entries, strict=True)
        )
        about = {
            "rows": 3, "columns": columns, "type": "float64", "labels": "number",
            "X": _print_of_wide_rows(entries, columns),
            "y": print_of_labels(texts, "number"), "positive": ["1"], "negative": ["-1"], "excluded": [],
        }  # fmt: skip
        sides = "1 (2 rows) {} -1 (1 row)"

        def far(value: str, length: int = columns) -> dict[str, Any]:
            return {"length": length, "indices": [length - 1], "values": [value]}

        plane = {"bias": "free", "kernel": "linear", "classes": "two"}
        claim = f"A hyperplane with a bias strictly separates {sides.format('from')}; all 3 rows take part."
        proof = {"w": far("0x1"), "b": "0x0"}
        yield _proved(f"{columns} columns, separating", rows, "separating", claim, about, plane, proof)
        joint = {**plane, "classes": "joint"}
        claim = (
            "Linear functions with a bias, one for each class, give every row of 1, -1 (3 rows) the highest score at "
            "its own class; all 3 rows take part."
        )
        w = {"length": 2 * columns, "indices": [columns - 1, 2 * columns - 1], "values": ["0x1", "-0x1"]}
        proof, all_classes = {"w": w, "b": sparse([0, 0], integer)}, {"positive": ["1", "-1"], "negative": []}
        named = {**about, **all_classes}
        yield _proved(f"{columns} columns, all classes", rows, "separating", claim, named, joint, proof)
        svm = {
            "loss": "hinge",
            "bias": "none",
            "kernel": "linear",
            "C": {"positive": real(1.0), "negative": real(1.0)},
            "classes": "two",
        }
        proof = {
            "w": far(real(1.0)),
            "b": real(0.0),
            "alpha": sparse([0.0] * 3),
            "primal": real(0.5),
            "dual": real(0.0),
        }
        claim = (
            f"The soft-margin SVM (hinge loss, no bias, linear kernel, C = 1) of {sides.format('against')} has its "
            "optimum between 0 and 0.5, and the given point is within a relative gap of 1 of it; all 3 rows take part."
        )
        yield _proved(f"{columns} columns, optimal", rows, "optimal", claim, about, svm, proof)
        proof = {"witness": {"w": far(real(1.0)), "b": sparse([0.0])}, "bound": 10}
        claim = (
            "The perceptron (row by row, step 1, from zero, g = 0) makes at most 10 updates on "
            f"{sides.format('against')}; all 3 rows take part."
        )
        yield _proved(f"{columns} columns, mistakes", rows, "mistakes", claim, about, plain_run(), proof)
        tree = {**svm, "kernel": kernel("sum", parts=[RBF, kernel("linear")])}
        proof = {"alpha": sparse([0.0] * 3), "b": real(0.0), "primal": real(3.0), "dual": real(0.0)}
        claim = (
            "The soft-margin SVM (hinge loss, no bias, (rbf (gamma = 0.5)) + (linear) kernel, C = 1) of "
            f"{sides.format('against')} has its optimum between 0 and 3, and the given point is within a relative gap "
            "of 1 of it; all 3 rows take part."
        )
        yield _proved(f"{columns} columns, kernel", rows, "optimal", claim, about, tree, proof)


def _kernels() -> Iterator[Heavy]:
    """Trees, high degrees, and the largest numbers that the budgets allow."""
    rows = [[1.7e308 / (i + 1), -1.1e307 * (i + 3)] for i in range(6)]
    for title, data in (
        ("large", Data(rows, [1, -1] * 3, 2)),
        ("small", Data([[v * 1e-308 * 3e-9 for v in r] for r in rows], [1, -1] * 3, 2)),
    ):
        polynomial = kernel("poly", degree=2, gamma=1.7e308 if title == "large" else 1e-300, coef0=1 / 3)
        tree = polynomial
        for _ in range(7):
            tree = kernel("product", parts=[tree, copied(polynomial)])
        forms = {
            "degree 1000": kernel("poly", degree=1000, gamma=1.0, coef0=1.0), "degree 16": {**polynomial, "degree": 16},
            "degree 2^53 - 1": kernel("poly", degree=2**53 - 1, gamma=1.0, coef0=1.0), "tree of order 16": tree,
            "exp of a huge number": kernel("rbf", gamma=1.7e308),
            "exp of a tiny number": kernel("laplacian", gamma=5e-324),
            "tanh of a huge number": kernel("sigmoid", gamma=1.7e308, coef0=-1.7e308),
        }  # fmt: skip
        for name, form in forms.items():
            problem = {
                "loss": "hinge",
                "bias": "none",
                "kernel": form,
                "C": {"positive": real(1.0), "negative": real(1.0)},
                "classes": "two",
            }
            proof = {
                "alpha": dense([5e-324, 1.1e-310, 0.3] * 2),
                "b": real(0.0),
                "primal": real(1.7e308),
                "dual": real(-1.7e308),
            }
            document = _document("optimal", "", describe(data, ["1"], ["-1"]), problem, proof)
            try:
                document["claim"] = makers.write(document, data)
            except ValueError:
                document["claim"] = "?"
            yield Heavy(f"{name}, {title} rows", _file(document), libsvm(data), None)
    deep: Any = kernel("linear")
    for _ in range(4_000):
        deep = {"name": "scaled", "factor": real(1.0), "parts": [deep]}
    document = copied(next(s for s in specimens() if s.name == "kernel rbf").document)
    document["claim"] = ""
    text = canonical({**document, "problem": {**document["problem"], "kernel": "KERNEL"}})
    nested = (
        '{"factor":"0x1.0000000000000p+0","name":"scaled","parts":[' * 4_000
        + '{"name":"linear"}'
        + "]}" * 4_000
    )
    yield Heavy("a kernel of 4,000 parts", text.replace('"KERNEL"', nested).encode(), libsvm(XOR))


def _long_numbers() -> Iterator[Heavy]:
    """Integers of many digits."""
    separating = next(s for s in specimens() if s.name == "separating free")
    for title, digits in (("ten million bits", 2_500_000), ("as long as may be", 65_536)):
        document = copied(separating.document)
        document["proof"] |= {"w": {"length": 2, "values": ["0x" + "f" * digits] * 2}}
        yield Heavy(f"weights of {title}", _file(document), libsvm(separating.data), None)
    n = 40
    rows = Data([[1.0 + i, 2.0 / (i + 3)] for i in range(n)], [1, -1] * (n // 2), 2)
    problem = {"bias": "free", "kernel": kernel("poly", degree=3, gamma=1.0, coef0=1.0), "classes": "two"}
    long = int("f" * (65_536 - 20), 16)
    weights = [long + 2 * (i // 2) for i in range(n)]
    document = _document(
        "inseparable", "", describe(rows, ["1"], ["-1"]), problem, {"circuit": dense(weights, integer)}
    )
    document["claim"] = makers.write(document, rows)
    yield Heavy("a contradiction of long weights", _file(document), libsvm(rows))


def _texts() -> Iterator[Heavy]:
    """Texts that are large only after they are unpacked."""
    rows = libsvm(XOR)
    size = (1 << 24) - 4096  # just below the budget of section 1
    yield Heavy("brackets, packed", gzip.compress(b"[" * size), rows)
    yield Heavy("brackets", b"[" * 10_000, rows)
    yield Heavy("braces", b'{"a":' * 10_000, rows)
    yield Heavy("zeros, packed", gzip.compress(b"\0" * (1 << 30), 1), rows)
    yield Heavy("spaces, packed", gzip.compress(b" " * size), rows)
    yield Heavy("one long number, packed", gzip.compress(b'{"version":' + b"1" * size + b"}"), rows)
    yield Heavy(
        "one long string, packed", gzip.compress(b'{"format":"' + b"\\u0041" * (size // 6) + b'"}'), rows
    )
    vector = b'{"format":"separatrix-certificate","version":2,"kind":"separating","claim":"",'
    vector += b'"problem":{"bias":"free","kernel":"linear",'
    vector += (
        b'"classes":"two"},"digest":"","data":{},"proof":{"b":"0x0","w":{"length":%d,"values":[%s"0x0"]}}}'
    )
    yield Heavy(
        "a vector of zeros, packed",
        gzip.compress(vector % (size // 6 - 99, b'"0x0",' * (size // 6 - 100))),
        rows,
    )
    yield _long_plane(size // 6 - 1000)
    counts = vector.replace(b'"values":[%s"0x0"]', b'"indices":[%s7]')
    yield Heavy(
        "a list of counts, packed", gzip.compress(counts % (9, b"12345678," * (size // 9 - 100))), rows
    )
    keys = b"{" + b",".join(b'"%d":0' % i for i in range(2_500_000)) + b"}"
    yield Heavy("many fields, packed", gzip.compress(keys[:size], 1), rows)


def _long_plane(columns: int) -> Heavy:
    """A genuine document whose plane is written out with its millions of zeros."""
    entries, texts = [[(0, 1.0)], [(0, -1.0)]], ["1", "-1"]
    about = {
        "rows": 2, "columns": columns, "type": "float64", "labels": "number",
        "X": _print_of_wide_rows(entries, columns),
        "y": print_of_labels(texts, "number"), "positive": ["1"], "negative": ["-1"], "excluded": [],
    }  # fmt: skip
    claim = "A hyperplane with a bias strictly separates 1 (1 row) from -1 (1 row); all 2 rows take part."
    proof = {"w": {"length": columns, "values": ["0x1", *["0x0"] * (columns - 1)]}, "b": "0x0"}
    document = _document(
        "separating", claim, about, {"bias": "free", "kernel": "linear", "classes": "two"}, proof
    )
    text = json.dumps(sealed(document), separators=(",", ":")).encode()
    return Heavy("a genuine vector of zeros, packed", gzip.compress(text), "1 1:1\n-1 1:-1\n", "proved")


def heavy_files() -> list[Heavy]:
    """All of them."""
    return [*_wide(), *_kernels(), *_long_numbers(), *_texts()]


@dataclass(frozen=True)
class Run:
    """What a checker on the command line answered, and what that took."""

    outcome: str
    seconds: float
    megabytes: float
    said: str


#: Runs a command with a limit of CPU seconds, and writes its exit code, CPU seconds and kilobytes to a file. A process
#: of its own, because a new process counts the memory of the one that started it as its own until it has begun.
LAUNCH = """
import resource, subprocess, sys
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_CPU, (limit + 1, limit + 2))
code = subprocess.run(sys.argv[3:]).returncode
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[2], "w") as file:
    file.write(f"{code} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}")
"""


def run(command: list[str], heavy: Heavy) -> Run:
    """Run a checker on one file with limits of time, and look at the memory that it took."""
    with tempfile.TemporaryDirectory() as folder:
        packed = heavy.content[:2] == b"\x1f\x8b"
        certificate, rows = Path(folder) / ("c.json.gz" if packed else "c.json"), Path(folder) / "rows.libsvm"
        certificate.write_bytes(heavy.content)
        rows.write_text(heavy.rows)
        report = Path(folder) / "report"
        done = subprocess.run(
            [sys.executable, "-c", LAUNCH, str(SECONDS), str(report), *command, str(certificate), str(rows)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT, check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        )  # fmt: skip
        code, seconds, kilobytes = map(float, report.read_text().split())
        text = done.stdout.decode(errors="replace")
    outcome = CODES.get(int(code), f"exit {int(code)}")
    if "Traceback" in text or "check failed" in text or "cannot be checked: " in text:
        outcome = "crash"
    return Run(outcome, seconds, kilobytes / 1024, text[-300:])


PYTHON = [sys.executable, "-m", "separatrix.checker"]
NODE = ["node", "--max-old-space-size=400", str(ROOT / "checkers" / "javascript" / "main.mjs")]
