"""Documents made by hand, and the stand-alone checker as a process with limits."""

from __future__ import annotations

import dataclasses
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import separatrix
from separatrix import verify
from separatrix.checker.document import digest_of
from separatrix.proof.certificate import Certificate
from separatrix.proof.fingerprint import fingerprint
from separatrix.proof.writing import write_integer, write_real, write_vector, write_weights
from tests.proof.small_problems import STALE

SOURCE = str(Path(separatrix.__file__).parent.parent)
BOTH = pytest.mark.parametrize("exact", [False, True], ids=["float", "exact"])
SECONDS, MEGABYTES = 10, 500
ZERO, ONE = write_real(0.0), write_real(1.0)
PLANE = {"bias": "free", "kernel": "linear", "classes": "two"}
XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
XOR_LABELS = np.array([-1, -1, 1, 1])
PAIR, PAIR_LABELS = np.array([[1.0], [-1.0]]), np.array([1, -1])


def stated(certificate, X, y, **options):
    """The certificate with the claim that its numbers prove."""
    verdict = verify(dataclasses.replace(certificate, claim=""), X, y, exact=True, **options)
    assert verdict.reason.startswith(STALE), verdict.reason
    return dataclasses.replace(certificate, claim=verdict.reason.removeprefix(STALE))


def separating(X, y, w, b, positive=(1,), negative=(-1,), excluded=(), **more):
    """A hyperplane as a certificate, its claim still to be written."""
    places = [j for j, value in enumerate(w) if value]
    proof = {"w": write_weights(places, [w[j] for j in places], len(w)), "b": write_integer(b), **more}
    return Certificate("separating", "", fingerprint(X, y).source(positive, negative, excluded), PLANE, proof)


def at_zero(X, y, kernel, C=1.0, positive=(1,), negative=(-1,)):
    """w = 0, b = 0 and alpha = 0: the optimum of any kernel lies between 0 and the sum of C, claimed with some room."""
    cost, n = write_real(C), X.shape[0]
    costs = {"positive": cost, "negative": cost}
    problem = {"loss": "hinge", "bias": "free", "kernel": kernel, "C": costs, "classes": "two"}
    nothing = write_vector(np.zeros(n))
    proof = {"b": ZERO, "alpha": nothing, "primal": write_real(1.125 * n * C), "dual": ZERO}
    if kernel == "linear":
        proof["w"] = write_vector(np.zeros(X.shape[1]))
    return Certificate("optimal", "", fingerprint(X, y).source(positive, negative), problem, proof)


def run(*arguments, limited=False):
    """The stand-alone checker, without site-packages; limited: to ten seconds of a processor and 500 MB."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    command = [sys.executable, "-S", "-m", "separatrix.checker", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        preexec_fn=limit if limited else None,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def write_libsvm(path, X, labels):
    lines = []
    for label, row in zip(labels, X, strict=True):
        lines.append(" ".join([str(label), *(f"{j + 1}:{float(v)!r}" for j, v in enumerate(row) if v)]))
    path.write_text("\n".join(lines) + "\n")
    return path


def sealed(body):
    return json.dumps({**body, "digest": digest_of(body)}).encode()


def refused(verdict):
    """Rejected with a sentence of its own, not by an exception that was caught."""
    assert verdict.outcome == "rejected"
    assert verdict.reason.endswith(".")
    assert "check failed" not in verdict.reason
    return verdict.reason
