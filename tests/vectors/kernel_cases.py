"""Vectors of optimal claims in the space of a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from making import (
    GRAM,
    ONE,
    OVERLAP,
    SIDES,
    TWO,
    changed,
    data_of,
    function,
    genuine,
    reals,
    restated,
    scaled,
    setting,
    text_of,
)

import separatrix as sx
from separatrix.proof.fingerprint import fingerprint
from separatrix.proof.writing import write_real, write_vector


def kernels() -> list[dict[str, Any]]:
    out = []
    asked: list[tuple[str, dict[str, Any], str]] = [
        ("rbf", {"kernel": "rbf", "gamma": 0.5}, "proved"),
        (
            "rbf-augmented",
            {"kernel": "rbf", "gamma": 0.5, "bias": "augmented", "loss": "squared_hinge"},
            "proved",
        ),
        ("laplacian", {"kernel": "laplacian", "gamma": 0.25}, "proved"),
        ("poly", {"kernel": "poly", "degree": 3, "gamma": 0.5, "coef0": 1.0}, "proved"),
        ("sum", {"kernel": sx.kernels.Rbf(0.5) + 0.25 * sx.kernels.Linear()}, "proved"),
        ("product", {"kernel": sx.kernels.Rbf(0.5) * sx.kernels.Poly(2, 0.5, 1.0), "bias": "none"}, "proved"),
        ("hard", {"kernel": "rbf", "gamma": 2.0, "C": float("inf")}, "proved"),
        ("sigmoid", {"kernel": sx.kernels.Rbf(2.0) + 0.01 * sx.kernels.Sigmoid(0.01, 0.0)}, "conditional"),
    ]
    for name, parameters, outcome in asked:
        fit = sx.SVC(**parameters).fit(OVERLAP, SIDES)
        out.append(genuine(name, fit.certificate_, OVERLAP, SIDES, f"the kernel {name}", outcome))
    fit = sx.SVC(kernel="precomputed").fit(GRAM, SIDES)
    out.append(genuine("precomputed", fit.certificate_, GRAM, SIDES, "a given matrix, found definite"))
    fit = sx.SVC(kernel=function).fit(OVERLAP, SIDES)
    K = function(OVERLAP, OVERLAP)
    out.append(genuine("function", fit.certificate_, OVERLAP, SIDES, "a function, with its matrix", K=K))
    without = {key: value for key, value in out[-1].items() if key != "K"}
    out.append(
        {
            **without,
            "name": "reject-function-alone",
            "outcome": "rejected",
            "why": "a function without its matrix",
        }
    )
    out.append(
        {
            **out[0],
            "K": reals(K),
            "name": "reject-matrix",
            "outcome": "rejected",
            "why": "a matrix for a kernel that is no function",
        }
    )
    rbf, hard = out[0], out[6]
    reject = [
        ("dual-tightened", "the dual value is not reached", setting("proof.dual", scaled(1 + 1e-9))),
        ("primal-tightened", "the primal value is not reached", setting("proof.primal", scaled(1 - 1e-9))),
        ("gamma", "gamma is another", setting("problem.kernel.gamma", TWO)),
        ("gamma-negative", "gamma is below zero", setting("problem.kernel.gamma", write_real(-0.5))),
        ("name", "another kernel", setting("problem.kernel.name", "laplacian")),
        ("w", "a kernel has no w", lambda d: {**d, "proof": {**d["proof"], "w": write_vector(np.ones(2))}}),
    ]
    out += [changed(rbf, f"reject-{n}", w, c, n not in ("gamma-negative", "w")) for n, w, c in reject]

    def overflow(document: dict[str, Any]) -> dict[str, Any]:
        proof = document["proof"]
        y = dict(enumerate(SIDES.tolist()))
        alpha = proof["alpha"]
        places = alpha.get("indices", range(7))
        values = [write_real(y[i] * float.fromhex(v)) for i, v in zip(places, alpha["values"], strict=True)]
        coef = scaled(1e160)({**alpha, "values": values})
        return {
            **document,
            "proof": {**proof, "coef": coef, "primal": write_real(0.0), "dual": write_real(0.0)},
        }

    out.append(changed(rbf, "reject-overflow", "the square of w overflows in floating point", overflow, True))
    out.append(
        changed(hard, "reject-hard-slack", "a row within the slab", setting("proof.alpha", scaled(0.5)), True)
    )
    poly = out[3]
    for name, value in (("degree", 1000), ("degree-33", 33)):
        out.append(
            changed(poly, f"reject-{name}", "an order above 32", setting("problem.kernel.degree", value))
        )
    tree: dict[str, Any] = {"name": "linear"}
    for _ in range(17):
        tree = {"name": "scaled", "factor": ONE, "parts": [tree]}
    out.append(changed(rbf, "reject-tree", "more than 16 parts", setting("problem.kernel", tree)))
    for name, matrix, why in (
        ("asymmetric", [[1.0, 100.0], [-100.0, 1.0]], "a matrix that is not symmetric"),
        ("indefinite", [[1.0, 2.0], [2.0, 1.0]], "a matrix that is not positive semidefinite"),
        ("oblong", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], "a matrix that is not square"),
    ):
        out.append(_forged_matrix(name, np.array(matrix), why))
    return out


def _forged_matrix(name: str, K: Any, why: str) -> dict[str, Any]:
    """alpha = 0, w = 0 prove [0, 2] of any kernel; a matrix that is none must be rejected all the same."""
    y = np.array([1, -1])
    source = fingerprint(K, y).source([1], [-1])
    problem = {
        "loss": "hinge",
        "bias": "free",
        "kernel": {"name": "precomputed"},
        "C": {"positive": ONE, "negative": ONE},
        "classes": "two",
    }
    zeros = {"length": 2, "indices": [], "values": []}
    proof = {"b": write_real(0.0), "alpha": zeros, "primal": TWO, "dual": write_real(0.0)}
    document = {
        "format": "separatrix-certificate",
        "version": 2,
        "kind": "optimal",
        "claim": "",
        "data": source.to_dict(),
        "problem": problem,
        "proof": proof,
    }
    document = restated(document, K, y)
    return {
        "name": f"reject-{name}",
        "outcome": "rejected",
        "why": why,
        "certificate": text_of(document),
        **data_of(K, y),
    }
