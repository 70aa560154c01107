"""Vectors of claims about data whose columns are scaled: x becomes (x - shift) * factor, rounded twice."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from making import (
    APART,
    APART_SIDES,
    CLASSES,
    GRAM,
    OVERLAP,
    SIDES,
    XOR,
    XOR_SIDES,
    changed,
    data_of,
    genuine,
    setting,
)
from scipy import sparse

import separatrix as sx
from separatrix.checker.statement import hyperplane
from separatrix.problem.scaling import Scaling
from separatrix.proof.certificate import make
from separatrix.proof.fingerprint import fingerprint
from separatrix.proof.separation import Contradiction, inseparable
from separatrix.proof.writing import write_real

UNEVEN = OVERLAP * np.array([1e3, 0.1]) + np.array([7.0, -0.3])
SUFFIX = ", every entry x of a column as (x - shift) * factor in double precision"


def scaling() -> list[dict[str, Any]]:
    out = [*_fits(), *_rounded()]
    return out + _rejected(out[0])


def _function(A: Any, B: Any) -> Any:
    """A kernel that only its author has; equal rows are more alike, so that no rounding makes it indefinite."""
    return (A @ B.T + 1.0) ** 2 + 0.5 * np.all(A[:, np.newaxis] == B, axis=2)


def _fits() -> list[dict[str, Any]]:
    out = []
    for kind in ("standard", "range"):
        for loss, bias in (("hinge", "free"), ("squared_hinge", "augmented"), ("hinge", "none")):
            proof = sx.SVC(loss=loss, bias=bias, scaling=kind).fit(UNEVEN, SIDES).certificate_
            out.append(
                genuine(f"{kind}-{loss}-{bias}", proof, UNEVEN, SIDES, f"{kind}, {loss} loss, {bias} bias")
            )
    for name, options in (
        ("rbf", {"kernel": "rbf"}),
        ("poly", {"kernel": "poly", "degree": 2, "coef0": 1.0}),
        ("laplacian", {"kernel": "laplacian"}),
        ("rbf-hard", {"kernel": "rbf", "C": math.inf}),
    ):
        proof = sx.SVC(scaling="standard", **options).fit(UNEVEN, SIDES).certificate_
        out.append(genuine(f"standard-{name}", proof, UNEVEN, SIDES, f"with the {name} kernel"))
    for kernel in ("linear", "rbf"):
        proof = (
            sx.SVC(scaling="range", multi_class="crammer-singer", kernel=kernel)
            .fit(UNEVEN, CLASSES)
            .certificate_
        )
        out.append(genuine(f"range-joint-{kernel}", proof, UNEVEN, CLASSES, "all classes at once"))
    model = sx.SVC(scaling="standard", kernel=_function).fit(UNEVEN, SIDES)
    rows = model.scaling_.apply(UNEVEN)
    why = "a function of the scaled rows"
    out.append(
        genuine("standard-function", model.certificate_, UNEVEN, SIDES, why, "proved", _function(rows, rows))
    )
    single = UNEVEN.astype(np.float32)
    proof = sx.SVC(scaling="standard").fit(single, SIDES).certificate_
    out.append(genuine("standard-single", proof, single, SIDES, "rows in single precision, scaled in double"))
    proof = sx.SVC(scaling="standard").fit(sparse.csr_array(UNEVEN), SIDES).certificate_
    out.append(genuine("standard-sparse", proof, UNEVEN, SIDES, "no column is shifted"))
    constant = np.column_stack([UNEVEN, np.full(7, 0.1)])
    proof = sx.SVC(scaling="standard").fit(constant, SIDES).certificate_
    out.append(
        genuine("standard-constant", proof, constant, SIDES, "a column of one value, which becomes zero")
    )
    weights = np.array([1.0, 0.5, 2.0, 1.0, 0.0, 1.0, 3.0])
    proof = sx.SVC(scaling="range").fit(UNEVEN, SIDES, sample_weight=weights).certificate_
    out.append(genuine("range-weights", proof, UNEVEN, SIDES, "one C for each row; row 4 is excluded"))
    proof = sx.SVC(C=math.inf, scaling="standard").fit(APART, APART_SIDES).certificate_
    out.append(
        genuine("standard-separating", proof, APART, APART_SIDES, "the hard margin of the scaled rows")
    )
    try:
        sx.SVC(C=math.inf, scaling="range").fit(XOR, XOR_SIDES)
    except sx.InseparableError as error:
        proof = error.separability.certificate
        out.append(
            genuine("range-inseparable", proof, XOR, XOR_SIDES, "no hyperplane separates the scaled rows")
        )
    file = "+1 1:5 3:2.5\n-1 2:1\n+1 1:4\n-1 3:-1 2:2\n"
    table = np.array([[5.0, 0.0, 2.5], [0.0, 1.0, 0.0], [4.0, 0.0, 0.0], [0.0, 2.0, -1.0]])
    proof = sx.SVC(scaling="standard").fit(table, [1, -1, 1, -1]).certificate_
    vector = genuine(
        "standard-libsvm-text", proof, table, [1, -1, 1, -1], "entries that are not written are shifted too"
    )
    plain = {name: each for name, each in vector.items() if name not in data_of(table, [1, -1, 1, -1])}
    return [*out, {**plain, "text": file, "format": "libsvm"}]


def _rounded() -> list[dict[str, Any]]:
    """Rows of two classes that are equal once scaled, if and only if each operation is rounded on its own."""
    up = math.nextafter
    difference = [1.0, up(1.0, 2.0)], -1.0, 1.0  # 2 and 2 + 2^-52, a tie that goes to the even one
    product = next(
        (pair, 0.0, factor)
        for pair in ([up(2.0, 0.0), up(up(2.0, 0.0), 0.0)],)
        for factor in (1.0 + k * 2.0**-52 for k in range(1, 99))
        if pair[0] * factor == pair[1] * factor
    )
    # Equal if the difference is rounded and then the product, and not if the exact value is rounded once.
    twice = next(
        ([x, up(x, 9.0)], -1.0, factor)
        for x in (1.0 + k * 2.0**-52 for k in range(1, 60))
        for factor in (1.0 - k * 2.0**-53 for k in range(1, 60))
        if (x + 1.0) * factor == (up(x, 9.0) + 1.0) * factor and _once(x, factor) != _once(up(x, 9.0), factor)
    )
    out = []
    for name, (pair, shift, factor) in (("difference", difference), ("product", product), ("twice", twice)):
        X, y = np.array(pair)[:, np.newaxis], [0, 1]
        source = replace(
            fingerprint(X, y), scaling=Scaling("", np.array([shift]), np.array([factor]))
        ).source([1], [0])
        proof = inseparable(source, True, Contradiction([0, 1], [1, 1], [], [], 1))
        out.append(genuine(f"rounded-{name}", proof, X, y, "equal rows, because each operation is rounded"))
        plain = make("inseparable", replace(source, scaling=None), _without(proof), proof.proof, _sentence)
        out.append(
            {**genuine(f"reject-{name}", plain, X, y, "not scaled, the rows differ"), "outcome": "rejected"}
        )
    return out


def _once(x: float, factor: float) -> float:
    return float((Fraction(x) + 1) * Fraction(factor))


def _without(proof: sx.Certificate) -> dict[str, Any]:
    return {name: each for name, each in proof.problem.items() if name != "scaling"}


def _sentence(claim: Any) -> str:
    return hyperplane(claim, 0, None)


def _rejected(base: dict[str, Any]) -> list[dict[str, Any]]:
    scaled_rows = sx.SVC(scaling="standard").fit(UNEVEN, SIDES).scaling_.apply(UNEVEN)
    mark = fingerprint(scaled_rows, SIDES).X
    put = lambda path, value: setting(f"problem.scaling.{path}", value)  # noqa: E731
    cases = [
        ("shift", "the shift of a column is another", put("shift.values.0", write_real(1234.0))),
        ("shift-by-a-bit", "a shift is another in its last digits", put("shift.values.1", _moved)),
        ("factor", "the factor of a column is another", put("factor.values.0", write_real(0.5))),
        (
            "factors-exchanged",
            "the factors are those of the other columns",
            put("factor.values", lambda v: v[::-1]),
        ),
        ("factor-zero", "a factor is zero", put("factor.values.0", "0x0.0p+0")),
        ("factor-negative", "a factor is below zero", put("factor.values.0", lambda text: "-" + text)),
        (
            "factor-missing",
            "a factor is not there",
            put("factor", {"length": 2, "indices": [0], "values": [write_real(1.0)]}),
        ),
        (
            "factor-short",
            "there are fewer factors than columns",
            put("factor", {"length": 1, "values": [write_real(1.0)]}),
        ),
        (
            "factor-long",
            "there are more factors than columns",
            put("factor", {"length": 3, "values": [write_real(1.0)] * 3}),
        ),
        (
            "shift-long",
            "there are more shifts than columns",
            put("shift", {"length": 3, "values": [write_real(1.0)] * 3}),
        ),
        ("shift-nan", "a shift is not a number", put("shift.values.0", "nan")),
        ("factor-inf", "a factor is infinite", put("factor.values.0", "inf")),
        (
            "overflow-of-shift",
            "x - shift is beyond every double",
            put("shift.values.0", "0x1.fffffffffffffp+1023"),
        ),
        (
            "overflow-of-factor",
            "the product is beyond every double",
            put("factor.values.0", "0x1.fffffffffffffp+1023"),
        ),
        ("underflow", "all scaled entries are zero", put("factor.values", ["0x0.0000000000001p-1022"] * 2)),
        (
            "no-shift",
            "the scaling has no shift",
            lambda document: document["problem"]["scaling"].pop("shift") and None,
        ),
        ("kind", "the scaling has a field that it should not have", put("kind", "standard")),
        ("null", "the scaling is null", setting("problem.scaling", None)),
        ("list", "the scaling is a list", setting("problem.scaling", [])),
        (
            "unsaid",
            "the claim does not say that the columns are scaled",
            setting("claim", lambda text: text.replace(SUFFIX, "")),
        ),
        ("dropped", "the scaling is left out", _dropped),
        ("scaled-fingerprint", "the fingerprint is that of the scaled rows", setting("data.X", mark)),
    ]
    out = [changed(base, f"reject-{name}", why, change) for name, why, change in cases]
    rows = data_of(scaled_rows, SIDES)
    out.append(
        {**changed(base, "reject-scaled-rows", "the rows were scaled before", lambda document: None), **rows}
    )
    twice = changed(
        base, "reject-scaled-twice", "rows that were scaled before are scaled again", setting("data.X", mark)
    )
    out.append({**twice, **rows})
    plain = genuine("", sx.SVC().fit(OVERLAP, SIDES).certificate_, OVERLAP, SIDES, "")
    out.append(
        changed(plain, "reject-said", "the claim says so, and nothing is scaled", setting("claim", _said))
    )
    gram = genuine("", sx.SVC(kernel="precomputed").fit(GRAM, SIDES).certificate_, GRAM, SIDES, "")
    for name, vector in (("precomputed", gram), ("mistakes", _mistakes())):
        d = vector["columns"]
        record = {
            "shift": {"length": d, "indices": [], "values": []},
            "factor": {"length": d, "values": [write_real(1.0)] * d},
        }
        why = f"{name} cannot be scaled, even by 1"
        out.append(changed(vector, f"reject-{name}", why, lambda document, r=record: _with(document, r)))
    return out


def _mistakes() -> dict[str, Any]:
    proof = sx.Perceptron().fit(APART, APART_SIDES).certificate_
    return genuine("", proof, APART, APART_SIDES, "")


def _moved(text: str) -> str:
    return write_real(float.fromhex(text) * (1.0 + 2.0**-30))


def _said(text: str) -> str:
    return text[:-1] + SUFFIX + "."


def _with(document: dict[str, Any], record: dict[str, Any]) -> None:
    document["problem"]["scaling"] = record
    document["claim"] = _said(document["claim"])


def _dropped(document: dict[str, Any]) -> None:
    del document["problem"]["scaling"]
    document["claim"] = document["claim"].replace(SUFFIX, "")
