"""The proved checker: where it is built, how it is asked, and when its answer agrees with that of the others."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.adversary.attack import question
from tests.adversary.judges import OUTCOMES, Node, arrays, python

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "verified"
BUILT = ROOT / "build" / "verified"
PROGRAM = BUILT / "separatrix-check"
OUTSIDE = {"rbf", "laplacian", "sigmoid"}  # kernels whose values no theorem of ours encloses
GIVEN = {"precomputed", "function"}


def missing() -> str:
    """What the build needs and does not find; empty where nothing is missing."""
    if shutil.which("coqc") is None or shutil.which("ocamlfind") is None:
        return "coqc or ocamlfind is not on PATH"
    found = subprocess.run(["ocamlfind", "query", "zarith"], capture_output=True, check=False)
    return "" if found.returncode == 0 else "zarith is not installed for OCaml"


def build() -> Path:
    """The program, built anew if a source has changed."""
    subprocess.run(["make", "-s", "-C", str(FOLDER)], check=True, capture_output=True, timeout=900)
    return PROGRAM


class Proved(Node):
    """The program as a process that answers many documents."""

    outcomes = (*OUTCOMES, "not covered")

    def __init__(self) -> None:
        super().__init__(str(PROGRAM), "--batch")


def names(kernel: Any) -> set[str]:
    """All kernels of which one is made."""
    if not isinstance(kernel, dict):
        return set()
    parts = kernel.get("parts", [])
    found = {str(kernel.get("name"))}
    return found.union(*map(names, parts)) if isinstance(parts, list) else found


def disagreement(document: Any, exact: str, proved: str) -> str:
    """Why two answers do not fit together; empty where they do.

    The proved checker may say less than the others, and only where the page says so: a condition for kernels with
    exp, tanh or a given matrix, and nothing at all of what it does not cover.
    """
    if proved == exact:
        return ""
    problem = document.get("problem") if isinstance(document, dict) else None
    kernel = names(problem.get("kernel")) if isinstance(problem, dict) else set()
    if proved == "conditional" and exact == "proved" and kernel & (OUTSIDE | GIVEN):
        return ""
    if proved == "not covered" and kernel & OUTSIDE and document.get("kind") != "optimal":
        return ""
    proof = document.get("proof") if isinstance(document, dict) else None
    ordered = isinstance(problem, dict) and problem.get("classes") == "ordinal"
    if proved == "not covered" and (ordered or (isinstance(proof, dict) and "estimates" in proof)):
        return ""
    return f"the proved checker says {proved}, the others {exact}"


def parsed(content: bytes) -> Any:
    """The document in some bytes, plain or compressed, if it is one."""
    try:
        return json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    except (ValueError, RecursionError, OSError, EOFError, zlib.error):
        return None


def agreed(drafts: Iterator[tuple[Any, ...]], count: int) -> Counter[str]:
    """Ask the program and Python's exact checker about so many changed documents; how often each outcome came here."""
    proved, outcomes = Proved(), Counter[str]()
    asked = [question(*next(drafts)) for _ in range(count)]
    answers = proved.answers([(each.content, each.data) for each in asked])
    proved.close()
    for each, answer in zip(asked, answers, strict=True):
        assert not answer.reason.startswith("The check failed"), answer.reason
        exact = python(each.content, each.document, each.data, arrays(each.data))["exact"]
        wrong = disagreement(parsed(each.content), exact.outcome, answer.outcome)
        assert not wrong, f"{each.name}: {wrong}: {answer.reason} / {exact.reason}"
        outcomes[answer.outcome] += 1
    return outcomes
