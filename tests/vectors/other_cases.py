"""Vectors about all classes at once, separability and mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
from making import (
    APART,
    APART_SIDES,
    CLASSES,
    OVERLAP,
    QUASI,
    QUASI_SIDES,
    XOR,
    XOR_SIDES,
    changed,
    genuine,
    scaled,
    setting,
)

import separatrix as sx
from separatrix.proof.writing import write_real, write_vector


def classes() -> list[dict[str, Any]]:
    out = []
    for name, parameters in (
        ("linear", {}),
        ("augmented", {"bias": "augmented"}),
        ("none", {"bias": "none"}),
        ("rbf", {"kernel": "rbf", "gamma": 0.5}),
    ):
        fit = sx.SVC(multi_class="crammer-singer", **parameters).fit(OVERLAP, CLASSES)
        out.append(
            genuine(f"joint-{name}", fit.certificate_, OVERLAP, CLASSES, f"all classes at once, {name}")
        )
    base = out[0]
    reject = [
        ("dual", "the dual value is not reached", setting("proof.dual", scaled(1 + 1e-9))),
        ("primal", "the primal value is not reached", setting("proof.primal", scaled(1 - 1e-9))),
        ("beta", "beta above C", setting("proof.beta", scaled(100.0))),
        ("b", "b is another", setting("proof.b", lambda _: write_vector(np.array([1.0, 2.0, 3.0])))),
    ]
    out += [changed(base, f"reject-joint-{n}", w, c, True) for n, w, c in reject]
    out.append(changed(base, "reject-joint-negative", "a negative side", setting("data.negative", ["d"])))
    apart, kinds = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [5.0, 1.0]]), np.array([0, 1, 2, 1])
    run = sx.Perceptron().fit(apart, kinds)
    out.append(genuine("joint-mistakes", run.certificate_, apart, kinds, "the perceptron of all classes"))
    proof = (
        sx.Perceptron(max_epochs=200)
        .fit(np.vstack([XOR, XOR]), np.array([0, 0, 1, 1, 2, 2, 2, 2]))
        .certificate_
    )
    X, y = np.vstack([XOR, XOR]), np.array([0, 0, 1, 1, 2, 2, 2, 2])
    out.append(genuine("joint-inseparable", proof, X, y, "no linear functions tell the classes apart"))
    out.append(
        changed(
            out[-1],
            "reject-joint-circuit",
            "a circuit that does not cancel",
            setting("proof.circuit.values.0", "0x7"),
        )
    )
    return out


def separability() -> list[dict[str, Any]]:
    out = []
    for name, X, y in (
        ("separating", APART, APART_SIDES),
        ("inseparable", XOR, XOR_SIDES),
        ("quasi-separable", QUASI, QUASI_SIDES),
    ):
        for bias in (True, False):
            found = sx.separability(X, y, bias=bias)
            label = f"{name}-{'free' if bias else 'none'}"
            out.append(
                genuine(
                    label, found.certificate, X, y, f"{found.verdict}, {'with' if bias else 'without'} a bias"
                )
            )
    apart, xor, quasi = out[0], out[2], out[4]
    reject = [
        (apart, "w", "the hyperplane is another", setting("proof.w.values.0", "-0x1")),
        (apart, "b", "b is another", setting("proof.b", "0x100000000000000000000000000000")),
        (apart, "lower", "the lower bound is not reached", setting("proof.margin.lower", scaled(1 + 1e-9))),
        (apart, "upper", "the upper bound is not reached", setting("proof.margin.upper", scaled(1 - 1e-9))),
        (
            apart,
            "alpha",
            "weight on one side only",
            setting("proof.margin.alpha", {"length": 4, "indices": [0], "values": ["0x1"]}),
        ),
        (apart, "side", "a side without rows, and a margin", setting("data.positive", ["9"])),
        (apart, "integer", "an integer in another form", setting("proof.b", "0x01")),
        (apart, "integer-long", "an integer of too many digits", setting("proof.b", "0x1" + "0" * 65536)),
        (xor, "excluded", "a row is left out and the claim says all", setting("data.excluded", [3])),
        (xor, "circuit", "weights that do not cancel", setting("proof.circuit.values.0", "0x3")),
        (
            xor,
            "circuit-empty",
            "no weights",
            setting("proof.circuit", {"length": 4, "indices": [], "values": []}),
        ),
        (xor, "denominator", "a denominator of zero", setting("proof.denominator", "0x0")),
        (
            xor,
            "cover",
            "a cover below zero",
            setting("proof.cover", {"length": 4, "indices": [0], "values": ["-0x1"]}),
        ),
        (xor, "kind", "another kind", setting("kind", "separating")),
        (
            quasi,
            "tied",
            "another count of tied rows",
            setting("claim", lambda t: t.replace("at least 2", "at least 3")),
        ),
        (
            quasi,
            "kind-inseparable",
            "another kind",
            lambda d: {
                **d,
                "kind": "inseparable",
                "proof": {k: d["proof"][k] for k in ("circuit", "cover", "denominator")},
            },
        ),
    ]
    for number, (base, name, why, change) in enumerate(reject):
        out.append(changed(base, f"reject-{number:02d}-{name}", why, change))
    same = np.array([[0.0], [0.0], [1.0]])
    try:
        sx.SVC(kernel="rbf", gamma=1.0, C=float("inf")).fit(same, [0, 1, 1])
    except sx.InseparableError as error:
        out.append(
            genuine(
                "kernel-inseparable", error.certificate, same, np.array([0, 1, 1]), "equal rows on both sides"
            )
        )
        out.append(
            changed(
                out[-1],
                "reject-kernel-circuit",
                "weights that do not balance",
                setting("proof.circuit.values.0", "0x2"),
            )
        )
    return out


def mistakes() -> list[dict[str, Any]]:
    out = []
    asked: list[tuple[str, dict[str, Any]]] = [
        ("unit", {}),
        ("radius", {"bias": "radius"}),
        ("none", {"bias": "none"}),
        ("half-step", {"step": 0.5}),
        ("decreasing", {"step": "decreasing"}),
        ("gradient", {"algorithm": "gradient"}),
        ("line-search", {"algorithm": "gradient", "step": "line-search"}),
        ("gradient-decreasing", {"algorithm": "gradient", "step": "decreasing"}),
    ]
    X, y = APART + np.array([0.0, 1.0]), APART_SIDES
    centred = X - np.array([2.5, 0.0])
    for name, parameters in asked:
        rows = centred if parameters.get("bias") == "none" else X
        run = sx.Perceptron(max_epochs=100_000, **parameters).fit(rows, y)
        out.append(genuine(name, run.certificate_, rows, y, f"the perceptron, {name}"))
    base = out[0]
    reject = [
        ("bound", "a bound that the theorem does not give", lambda d: _bounded(d, -1)),
        (
            "no-updates",
            "updates that are none",
            setting("proof.updates", {"length": 4, "indices": [], "values": []}),
        ),
        (
            "updates",
            "updates that do not separate",
            setting("proof.updates", {"length": 4, "indices": [0], "values": ["0x1"]}),
        ),
        ("witness", "a witness that does not separate", setting("proof.witness.w", scaled(-1.0))),
        ("gain", "another constant", setting("problem.gain", write_real(1e6))),
        ("algorithm", "a line search of the perceptron", setting("problem.step", "line-search")),
        ("start", "a start without its row", setting("problem.start", "row")),
    ]
    out += [changed(base, f"reject-{n}", w, c) for n, w, c in reject]
    return out


def _bounded(document: dict[str, Any], more: int) -> dict[str, Any]:
    bound = document["proof"]["bound"]
    claim = document["claim"].replace(f"at most {bound} ", f"at most {bound + more} ")
    return {**document, "claim": claim, "proof": {**document["proof"], "bound": bound + more}}
