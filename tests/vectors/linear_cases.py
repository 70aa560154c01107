"""Vectors of optimal claims about hyperplanes, and of every way to write a document wrongly."""

from __future__ import annotations

import base64
import gzip
from typing import Any

import numpy as np
from making import CLASSES, HALF, ONE, OVERLAP, SIDES, TWO, changed, genuine, scaled, setting

import separatrix as sx
from separatrix.proof.writing import write_real


def optimal() -> list[dict[str, Any]]:
    out = []
    for loss in ("hinge", "squared_hinge"):
        for bias in ("free", "augmented", "none"):
            fit = sx.SVC(loss=loss, bias=bias).fit(OVERLAP, SIDES)
            out.append(
                genuine(
                    f"linear-{loss}-{bias}", fit.certificate_, OVERLAP, SIDES, f"{loss} loss, {bias} bias"
                )
            )
    weights = np.array([1.0, 0.5, 2.0, 1.0, 0.0, 1.0, 3.0])
    fit = sx.SVC().fit(OVERLAP, SIDES, sample_weight=weights)
    out.append(
        genuine("linear-weights", fit.certificate_, OVERLAP, SIDES, "one C for each row; row 4 is excluded")
    )
    fit = sx.SVC(class_weight={1: 2.0, -1: 0.5}).fit(OVERLAP, SIDES)
    out.append(genuine("linear-sides", fit.certificate_, OVERLAP, SIDES, "another C on each side"))
    for key, proof in sx.SVC().fit(OVERLAP, CLASSES).certificate_.items():
        out.append(
            genuine(f"linear-{key}-rest", proof, OVERLAP, CLASSES, "one class against every other label")
        )
    for key, proof in sx.SVC(multi_class="ovo").fit(OVERLAP, CLASSES).certificate_.items():
        out.append(genuine("linear-" + "-".join(key), proof, OVERLAP, CLASSES, "one class against another"))
    strange = np.where(SIDES > 0, 'quote " and \\ and é', "tab\tand \x7f")
    proof = sx.SVC().fit(OVERLAP, strange).certificate_
    out.append(genuine("linear-strange-labels", proof, OVERLAP, strange, "labels that need escapes"))
    single = OVERLAP.astype(np.float32) * np.float32(0.1)
    out.append(
        genuine("linear-single", sx.SVC().fit(single, SIDES).certificate_, single, SIDES, "single precision")
    )
    large = OVERLAP * 1e-170
    proof = sx.SVC(C=1e10).fit(large, SIDES).certificate_
    out.append(
        genuine("linear-tiny-entries", proof, large, SIDES, "squares of the entries are below every double")
    )
    base = out[0]
    reject = [
        (
            "claim",
            "the claim says something else",
            setting("claim", lambda text: text.replace("all 7", "all 8")),
        ),
        ("claim-free-text", "the claim is free text", setting("claim", "Everything is optimal.")),
        ("dual-tightened", "the dual value is not reached", setting("proof.dual", scaled(1 + 1e-12))),
        ("primal-tightened", "the primal value is not reached", setting("proof.primal", scaled(1 - 1e-12))),
        ("alpha-above-C", "alpha is above C", setting("proof.alpha", scaled(1e3))),
        ("alpha-negative", "alpha is below zero", setting("proof.alpha", scaled(-1.0))),
        ("alpha-unbalanced", "sum alpha y is not zero", setting("proof.alpha.values.0", write_real(1e-9))),
        ("w-scaled", "w is another", setting("proof.w", scaled(2.0))),
        ("b-moved", "b is another", setting("proof.b", TWO)),
        ("C-halved", "C is another", setting("problem.C", {"positive": HALF, "negative": HALF})),
        (
            "C-zero",
            "no row has a cost",
            setting("problem.C", {"rows": {"length": 7, "indices": [], "values": []}}),
        ),
        ("C-negative", "C is below zero", setting("problem.C.positive", write_real(-1.0))),
        ("loss", "the loss is another", setting("problem.loss", "squared_hinge")),
        ("bias-augmented", "the bias is another", setting("problem.bias", "augmented")),
        ("excluded", "a row is left out", setting("data.excluded", [4])),
    ]
    out += [
        changed(base, f"reject-{name}", why, change, "claim" not in name and "C-" not in name)
        for name, why, change in reject
    ]
    form = [
        ("extra-field", "a field too many", lambda d: {**d, "more": 1}),
        (
            "extra-in-vector",
            "a field too many in a vector",
            _add("proof.w"),
        ),
        ("missing-field", "a field too few", lambda d: {k: v for k, v in d.items() if k != "problem"}),
        ("version-1", "an old version", setting("version", 1)),
        ("version-true", "a version that is no number", setting("version", True)),
        ("zero-value", "a zero among sparse values", setting("proof.alpha", _with_zero)),
        ("indices-order", "indices that do not increase", setting("proof.alpha.indices", lambda i: i[::-1])),
        ("length", "a wrong length", setting("proof.w.length", 3)),
        ("real-short", "a real in another form", setting("proof.b", "0x1p+0")),
        ("real-capital", "a real in capitals", setting("proof.b", "0X1.0000000000000P+0")),
        ("real-minus-zero", "minus zero", setting("proof.b", "-0x0.0p+0")),
        ("real-inf", "infinity", setting("proof.b", "inf")),
        ("real-decimal", "a decimal number", setting("proof.b", "1.5")),
        ("real-too-large", "beyond binary64", setting("proof.b", "0x1.0000000000000p+1024")),
        ("real-too-small", "below binary64", setting("proof.b", "0x1.0000000000000p-1023")),
        ("label-twice", "a label on both sides", setting("data.negative", ["-1", "1"])),
        ("label-form", "a label that is not written as the integer it is", setting("data.positive", [ONE])),
        ("labels-text", "numbers said to be texts", setting("data.labels", "text")),
        ("excluded-other", "an excluded row that is none", setting("data.excluded", [7])),
        ("rows", "another number of rows", setting("data.rows", 8)),
        ("columns", "another number of columns", setting("data.columns", 10**9)),
        ("columns-huge", "more columns than there can be", setting("data.columns", 2**53 - 1)),
        ("X", "other rows", setting("data.X", lambda text: text[::-1])),
        ("y", "other labels", setting("data.y", lambda text: text[::-1])),
        ("type", "an unknown type", setting("data.type", "float16")),
        ("kind", "an unknown kind", setting("kind", "best")),
        ("classes", "two sides said to be classes", setting("problem.classes", "joint")),
    ]
    out += [changed(base, f"reject-{name}", why, change) for name, why, change in form]
    text = base["certificate"]
    raw = [
        ("digest", "another digest", text.replace('"digest": "', '"digest": "0')),
        ("twice", "a field named twice", text[:-1] + ', "kind": "optimal"}'),
        ("float", "a JSON float", text.replace('"rows": 7', '"rows": 7.0')),
        ("negative", "a JSON number below zero", text.replace('"rows": 7', '"rows": -7')),
        ("cut", "half a document", text[: len(text) // 2]),
        ("brackets", "brackets without end", "[" * 20000),
        ("empty", "nothing", ""),
        ("null", "no object", "null"),
        ("mark", "a byte order mark", "\ufeff" + text),
    ]
    rest = {key: base[key] for key in ("labels", "y", "columns", "X")}
    out += [
        {"name": f"reject-text-{n}", "outcome": "rejected", "why": w, "certificate": c, **rest}
        for n, w, c in raw
    ]
    packed = gzip.compress(text.encode(), mtime=0)
    for name, outcome, content in (
        ("gz", "proved", packed),
        ("gz-cut", "rejected", packed[:-20]),
        ("gz-bomb", "rejected", gzip.compress(b"[" * 10**6, mtime=0)),
    ):
        coded = base64.b64encode(content).decode()
        out.append(
            {
                "name": name,
                "outcome": outcome,
                "why": "a compressed document",
                "certificate_base64": coded,
                **rest,
            }
        )
    lines = "".join(
        f"{y} " + " ".join(f"{j + 1}:{x!r}" for j, x in enumerate(row)) + "\n"
        for y, row in zip(SIDES, OVERLAP.tolist(), strict=True)
    )
    table = "x,y,label\n" + "".join(
        ",".join(map(repr, row)) + f",{y}\n" for y, row in zip(SIDES, OVERLAP.tolist(), strict=True)
    )
    out.append(
        {
            "name": "file-libsvm",
            "outcome": "proved",
            "why": "data as LIBSVM text",
            "certificate": text,
            "text": lines,
            "format": "libsvm",
        }
    )
    out.append(
        {
            "name": "file-csv",
            "outcome": "proved",
            "why": "data as CSV",
            "certificate": text,
            "text": table,
            "format": "csv",
        }
    )
    return out


def _add(path: str):
    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for each in path.split("."):
            place = place[each]
        place["more"] = 1

    return change


def _with_zero(record: dict[str, Any]) -> dict[str, Any]:
    values = ["0x0.0p+0", *record["values"][1:]]
    return {**record, "values": values}
