"""The checkers under attack behind one face: the bytes of a document and its data go in, an outcome comes out.

An outcome is `proved`, `conditional` or `rejected`; whatever else a checker does (an exception, an answer of
another form) is `crash`, with what it said.
"""

from __future__ import annotations

import base64
import contextlib
import json
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.adversary.document import Data, real

ROOT = Path(__file__).resolve().parents[2]
BATCH = ROOT / "checkers" / "javascript" / "batch.mjs"
OUTCOMES = ("proved", "conditional", "rejected")


@dataclass(frozen=True)
class Answer:
    """What a checker said."""

    outcome: str
    reason: str

    @property
    def accepted(self) -> bool:
        return self.outcome != "rejected"


def load(content: bytes) -> Any:
    """The certificate in these bytes, read as from a file."""
    from separatrix.proof.certificate import Certificate

    with tempfile.NamedTemporaryFile(suffix=".json.gz" if content[:2] == b"\x1f\x8b" else ".json") as file:
        file.write(content)
        file.flush()
        return Certificate.load(file.name)


def arrays(data: Data) -> tuple[Any, Any, Any]:
    """The data as numpy holds them: rows, labels, and a kernel function where there is a matrix."""
    X = np.array(data.X, dtype=np.float64).reshape(len(data.X), data.columns)
    y = np.array(data.y) if data.labels == "text" else np.array(data.y, dtype=np.float64)
    K = None if data.K is None else np.array(data.K, dtype=np.float64)
    return X, y, None if K is None else (lambda *_: K)


def python(content: bytes, document: Any, data: Data, held: Any = None) -> dict[str, Answer]:
    """The answers of `separatrix.verify` in rigorous floats and exactly.

    `document` is what the bytes hold, or None where they must be read as a file; `held` are the `arrays` of the data.
    """
    from separatrix.proof.certificate import Certificate, CertificateError

    try:
        certificate = load(content) if document is None else Certificate.from_dict(document)
    except CertificateError as error:
        refused = Answer("rejected", str(error))
        return {"floats": refused, "exact": refused}
    except Exception as error:
        crash = Answer("crash", f"{type(error).__name__} while reading: {error}")
        return {"floats": crash, "exact": crash}
    X, y, kernel = held if held is not None else arrays(data)
    return {"floats": ask(certificate, X, y, False, kernel), "exact": ask(certificate, X, y, True, kernel)}


def ask(certificate: Any, X: Any, y: Any, exact: bool, kernel: Any = None) -> Answer:
    """One answer of `separatrix.verify`; where warnings are errors, a warning is a crash too."""
    import separatrix

    try:
        found = separatrix.verify(certificate, X, y, exact=exact, kernel=kernel)
    except Exception as error:
        return Answer("crash", f"{type(error).__name__}: {error}")
    if found.outcome not in OUTCOMES or bool(found) != (found.outcome == "proved"):
        return Answer("crash", f"an outcome of its own: {found!r}")
    if found.reason.startswith("The check failed"):
        return Answer("crash", found.reason)
    return Answer(found.outcome, found.reason)


def has_node() -> bool:
    return shutil.which("node") is not None and BATCH.exists()


class Node:
    """The JavaScript checker as a process that answers many documents; or another one that reads the same lines."""

    outcomes: tuple[str, ...] = OUTCOMES

    def __init__(self, *command: str) -> None:
        self.process = subprocess.Popen(
            command or ["node", str(BATCH)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.known: set[int] = set()

    def _define(self, data: Data) -> str:
        line: dict[str, Any] = {
            "data": data.identity, "columns": data.columns, "labels": data.labels, "y": data.label_texts(),
            "X": [[real(v) for v in row] for row in data.X],
        }  # fmt: skip
        if data.K is not None:
            line["K"] = [[real(v) for v in row] for row in data.K]
        return json.dumps(line)

    def answers(self, asked: list[tuple[bytes, Data]]) -> list[Answer]:
        """One answer for each document, in order."""
        lines = []
        for content, data in asked:
            if data.identity not in self.known:
                self.known.add(data.identity)
                lines.append(self._define(data))
            lines.append(json.dumps({"use": data.identity, **_as_text(content)}))
        writer = threading.Thread(target=self._write, args=("\n".join(lines) + "\n",), daemon=True)
        writer.start()
        found = []
        assert self.process.stdout is not None
        for _ in asked:
            line = self.process.stdout.readline()
            if not line:
                found += [Answer("crash", "the process ended")] * (len(asked) - len(found))
                break
            answer = json.loads(line)
            known = answer.get("outcome") in self.outcomes and "cannot be checked: " not in str(
                answer.get("reason")
            )
            found.append(Answer(answer["outcome"] if known else "crash", str(answer.get("reason"))))
        writer.join()
        return found

    def _write(self, text: str) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(text.encode())
            self.process.stdin.flush()

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


def _as_text(content: bytes) -> dict[str, str]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return {"certificate_base64": base64.b64encode(content).decode()}
    return (
        {"certificate": text}
        if not text.startswith("\ufeff")
        else {"certificate_base64": base64.b64encode(content).decode()}
    )
