"""Small problems with exact values by brute force in fractions, shared by the tests of this folder."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np

from separatrix.problem import LOSSES, Point, Problem
from separatrix.proof.duality import certify
from separatrix.proof.fingerprint import fingerprint
from separatrix.proof.optimal import optimal
from separatrix.proof.verify import verify

STALE = "The claim of the certificate is not what its numbers prove, which is: "


def judge(certificate, X, y, exact=None, **options):
    """verify with the claim that the checker writes for the numbers of the proof, where these prove one.

    A certificate whose numbers were changed is rejected for its old claim alone wherever the new numbers prove
    something. Here the claim is written anew in that case, so that a rejection is one by the mathematics.
    """
    verdict = verify(certificate, X, y, exact, **options)
    if not verdict.reason.startswith(STALE):
        return verdict
    claim = verdict.reason.removeprefix(STALE)
    verdict = verify(dataclasses.replace(certificate, claim=claim), X, y, exact, **options)
    assert verdict.outcome != "rejected", verdict.reason
    assert verdict.reason.endswith(claim)
    return verdict


def changed(certificate, part, **values):
    """The same certificate with other values in one part, which is "problem" or "proof"."""
    return dataclasses.replace(certificate, **{part: {**getattr(certificate, part), **values}})


def exact_values(problem, w, b, alpha):
    """(primal, dual) in rationals, term by term, straight from the formulas."""
    X = problem.X.toarray() if problem.is_sparse else problem.X
    X = [[Fraction(float(x)) for x in row] for row in X]
    y, C = ([Fraction(float(v)) for v in vector] for vector in (problem.y, problem.C))
    w, alpha, b = [Fraction(float(v)) for v in w], [Fraction(float(v)) for v in alpha], Fraction(float(b))
    squared, augmented = problem.loss.squared, problem.bias == "augmented"
    primal = sum(v * v for v in w) / 2 + (b * b / 2 if augmented else 0)
    for row, sign, cost in zip(X, y, C, strict=True):
        slack = max(Fraction(0), 1 - sign * (sum(x * v for x, v in zip(row, w, strict=True)) + b))
        primal += cost * (slack * slack if squared else slack)
    pull = [sum(a * s * row[j] for a, s, row in zip(alpha, y, X, strict=True)) for j in range(len(w))]
    dual = sum(alpha) - sum(v * v for v in pull) / 2
    imbalance = sum(a * s for a, s in zip(alpha, y, strict=True))
    if squared:
        dual -= sum(a * a / (4 * c) for a, c in zip(alpha, C, strict=True))
    if augmented:
        dual -= imbalance**2 / 2
    if problem.bias == "free":
        assert imbalance == 0
    return primal, dual


def solve(problem, rounds=200):
    """A plain projected-gradient answer: near enough to the optimum for a gap that means something."""
    alpha = np.minimum(0.5, problem.upper) * np.ones(problem.n_rows)
    X = problem.X.toarray() if problem.is_sparse else np.asarray(problem.X, dtype=np.float64)
    A = problem.y[:, None] * np.hstack([X, np.full((len(X), 1), float(problem.bias != "none"))])
    Q = A @ A.T + (np.diag(1 / (2 * problem.C)) if problem.loss.squared else 0)
    step = 1 / max(1e-12, np.linalg.norm(Q, 2))
    for _ in range(rounds):
        alpha = np.clip(alpha + step * (1 - Q @ alpha), 0, problem.upper)
    return certify(problem, Point(alpha))


def make(loss="hinge", bias="free", weighted=False, form=np.asarray, n=24, d=3, seed=0, scale=1.0):
    """(problem, labels): overlapping rows, unbalanced classes."""
    rng = np.random.default_rng(seed)
    X = scale * rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.8)
    y = np.where(X[:, 0] + scale * 0.5 * rng.normal(size=n) > 0.3 * scale, 1.0, -1.0)
    C = rng.uniform(0.1, 3.0, n) if weighted else np.where(y > 0, 0.7, 0.3)
    return Problem(form(X), y, C, LOSSES[loss], bias), np.where(y > 0, "yes", "no")


def certified(**options):
    """(problem, labels, solution, certificate)."""
    problem, labels = make(**options)
    solution = solve(problem)
    mark = fingerprint(problem.X, labels)
    return problem, labels, solution, optimal(problem, solution, mark, ["yes"], ["no"])
