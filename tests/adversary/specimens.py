"""Small data sets and a genuine document for every kind and variant: what the mutations start from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.adversary import makers
from tests.adversary.document import Data, describe, real


@dataclass(frozen=True)
class Specimen:
    """A genuine document, its data, and the outcome that every checker must give."""

    name: str
    document: dict[str, Any]
    data: Data
    outcome: str = "proved"
    tight: bool = False  # to the last digit: floating point, with its own rounding, need not prove it


APART = Data(
    [[2.0, 1.0], [1.5, 2.5], [3.0, 0.5], [-1.0, -0.5], [-2.0, 0.25], [-0.5, -2.0]], [1, 1, 1, -1, -1, -1], 2
)
MIXED = Data(
    [[0.1, 0.7], [1.3, -0.2], [0.9, 0.9], [0.3, 0.4], [-0.6, 1.1], [1.0, 0.2]],
    ["a", "a", "b", "b", "b", "a"],
    2,
)
TOUCHING = Data([[1.0], [2.0], [0.0], [0.0], [-1.0]], [3, 3, 3, 0.5, 0.5], 1)
XOR = Data([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1], 2)
THREE = Data(
    [[2.0, 0.0], [3.0, 0.5], [-1.0, 2.0], [-1.5, 2.5], [-1.0, -2.0], [-1.25, -3.0]], [0, 0, 1, 1, 2, 2], 2
)
LEFT_OUT = Data(
    [[2.0, 0.0], [3.0, 0.5], [-1.0, 2.0], [0.0, 0.0], [-1.0, -2.0], [0.0, 0.1]], [7, 7, 8, 9, 8, 10], 2
)
THREE_MIXED = Data(
    [[1.0, 0.3], [0.2, -0.4], [-0.7, 0.9], [0.5, 0.6], [-0.1, -0.8], [0.4, 0.1]], [2, 2, "x", "x", 5, 5], 2
)
THREE_MIXED = Data(THREE_MIXED.X, [str(label) for label in THREE_MIXED.y], 2)
THREE_TIED = Data([[1.0], [2.0], [1.0], [-1.0], [0.0]], [0, 0, 1, 2, 2], 1)
TWINS = Data([[0.25, 1.0], [0.25, 1.0], [1.0, -0.5], [0.0, 2.0]], [1, -1, 1, -1], 2)
GRAM = Data(
    [[2.0, 1.0, 0.5, 0.0], [1.0, 2.0, 0.0, 0.5], [0.5, 0.0, 1.0, -0.25], [0.0, 0.5, -0.25, 3.0]],
    [1, -1, -1, 1],
    4,
)
FLAT = Data([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]], [1, 1, -1], 3)
CALLED = Data([[1.0], [2.0], [4.0]], [1, -1, 1], 1, K=[[2.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 3.0]])
SIDED = Data([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.0]], [4, 4, 4], 3)
CLOSE = Data([[0.25, 1.0], [1.5, -1.5], [0.0, 0.75], [1.0, 1.5], [-1.75, 0.75]], [1, -1, 1, 1, -1], 2)
TINY = Data([[1e-170], [2e-170], [-1e-170]], [1, 1, -1], 1)

_EVEN = {"positive": real(1.0), "negative": real(1.0)}
_BY_SIDE = {"positive": real(0.5), "negative": real(3.0)}


def _svm(
    bias: str = "free", loss: str = "hinge", kernel: Any = "linear", C: Any = None, classes: str = "two"
) -> dict[str, Any]:
    return {"loss": loss, "bias": bias, "kernel": kernel, "C": C or _EVEN, "classes": classes}


def _rows(values: list[float]) -> dict[str, Any]:
    return {"rows": {"length": len(values), "values": [real(v) for v in values]}}


def kernel(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, **{key: real(v) if isinstance(v, float) else v for key, v in fields.items()}}


RBF = kernel("rbf", gamma=0.5)
POLY = kernel("poly", degree=3, gamma=0.5, coef0=1.0)
KERNELS = {
    "linear object": kernel("linear"), "poly": POLY, "rbf": RBF, "laplacian": kernel("laplacian", gamma=0.7),
    "sum": kernel("sum", parts=[kernel("linear"), RBF]), "product": kernel("product", parts=[POLY, kernel("linear")]),
    "scaled": kernel("scaled", factor=2.5, parts=[kernel("rbf", gamma=0.1)]),
}  # fmt: skip
SIGMOID = kernel("sigmoid", gamma=0.25, coef0=0.5)


def _optimal() -> Iterator[Specimen]:
    signs = describe(APART, ["1"], ["-1"])
    letters = describe(MIXED, ["a"], ["b"])
    for loss in ("hinge", "squared_hinge"):
        for bias in ("free", "augmented", "none"):
            yield Specimen(f"optimal {loss} {bias}", makers.optimal(MIXED, letters, _svm(bias, loss)), MIXED)
        tight = makers.optimal(MIXED, letters, _svm("free", loss), tight=True)
        yield Specimen(f"tight {loss}", tight, MIXED, tight=True)
    tight = makers.optimal(MIXED, letters, _svm("augmented", "squared_hinge", RBF), tight=True)
    yield Specimen("tight rbf", tight, MIXED, tight=True)
    yield Specimen("optimal apart", makers.optimal(APART, signs, _svm(), short=True), APART)
    yield Specimen("optimal by side", makers.optimal(MIXED, letters, _svm(C=_BY_SIDE)), MIXED)
    costs = _rows([1.0, 2.0, 0.0, 0.25, 1e-3, 4.0])
    left = describe(MIXED, ["a"], ["b"], [2])
    yield Specimen("optimal by row", makers.optimal(MIXED, left, _svm(C=costs)), MIXED)
    rest = describe(LEFT_OUT, ["7"], ["8", "9", "10"])
    yield Specimen(
        "optimal against the rest", makers.optimal(LEFT_OUT, rest, _svm(loss="squared_hinge")), LEFT_OUT
    )
    one = describe(SIDED, ["4"], [])
    yield Specimen("optimal one side", makers.optimal(SIDED, one, _svm()), SIDED)
    yield Specimen("optimal one side, augmented", makers.optimal(SIDED, one, _svm("augmented")), SIDED)
    for name, form in KERNELS.items():
        short = name in ("rbf", "sum")
        yield Specimen(
            f"kernel {name}", makers.optimal(MIXED, letters, _svm(kernel=form), short=short), MIXED
        )
    yield Specimen("kernel squared", makers.optimal(MIXED, left, _svm("none", "squared_hinge", RBF)), MIXED)
    yield Specimen(
        "kernel hard", makers.optimal(XOR, describe(XOR, ["1"], ["0"]), _svm(kernel=RBF, C="hard")), XOR
    )
    yield Specimen(
        "kernel hard poly",
        makers.optimal(XOR, describe(XOR, ["1"], ["0"]), _svm("none", kernel=POLY, C="hard")),
        XOR,
    )
    gram = describe(GRAM, ["1"], ["-1"])
    yield Specimen("kernel precomputed", makers.optimal(GRAM, gram, _svm(kernel=kernel("precomputed"))), GRAM)
    called = describe(CALLED, ["1"], ["-1"])
    yield Specimen("kernel function", makers.optimal(CALLED, called, _svm(kernel=kernel("function"))), CALLED)
    bent = makers.optimal(APART, signs, _svm(kernel=SIGMOID), short=True)
    yield Specimen("kernel sigmoid", bent, APART, "conditional")


def _joint() -> Iterator[Specimen]:
    classes = describe(THREE_MIXED, ["2", "x", "5"], [])
    for bias in ("free", "augmented", "none"):
        document = makers.optimal(THREE_MIXED, classes, _svm(bias, classes="joint"), short=bias == "none")
        yield Specimen(f"joint {bias}", document, THREE_MIXED)
    two = describe(THREE_MIXED, ["5", "2"], [], [5])
    yield Specimen(
        "joint two",
        makers.optimal(THREE_MIXED, two, _svm(classes="joint", C=_rows([1, 2, 0, 0, 0.5, 0]))),
        THREE_MIXED,
    )
    yield Specimen(
        "joint rbf", makers.optimal(THREE_MIXED, classes, _svm(kernel=RBF, classes="joint")), THREE_MIXED
    )
    separable = describe(THREE, ["0", "1", "2"], [])
    for bias in ("free", "none"):
        yield Specimen(
            f"joint separating {bias}", makers.separation(THREE, separable, _plane(bias, "joint")), THREE
        )
    tied = describe(THREE_TIED, ["0", "1", "2"], [])
    yield Specimen("joint quasi", makers.separation(THREE_TIED, tied, _plane("free", "joint")), THREE_TIED)
    crossed = describe(XOR, ["0", "1"], [])
    yield Specimen("joint inseparable", makers.separation(XOR, crossed, _plane("free", "joint")), XOR)


def _plane(bias: str, classes: str = "two", form: Any = "linear") -> dict[str, Any]:
    return {"bias": bias, "kernel": form, "classes": classes}


def _separation() -> Iterator[Specimen]:
    signs = describe(APART, ["1"], ["-1"])
    for bias in ("free", "none"):
        yield Specimen(f"separating {bias}", makers.separation(APART, signs, _plane(bias)), APART)
        yield Specimen(
            f"separating {bias}, margin", makers.separation(APART, signs, _plane(bias), True), APART
        )
    long = {"w": makers.dense([10**400, 1], makers.integer), "b": "0x0"}
    yield Specimen(
        "separating long", makers.finished("separating", signs, _plane("free"), long, APART), APART
    )
    rest = describe(LEFT_OUT, ["7"], ["8", "9", "10"], [3])
    yield Specimen(
        "separating from the rest", makers.separation(LEFT_OUT, rest, _plane("free"), True), LEFT_OUT
    )
    few = describe(THREE, ["0"], ["2"])
    yield Specimen("separating two of three", makers.separation(THREE, few, _plane("free")), THREE)
    yield Specimen(
        "separating one side", makers.separation(SIDED, describe(SIDED, ["4"], []), _plane("free")), SIDED
    )
    crossed = describe(XOR, ["1"], ["0"])
    yield Specimen("inseparable", makers.separation(XOR, crossed, _plane("free")), XOR)
    touching = describe(TOUCHING, ["3"], [real(0.5)])
    yield Specimen("quasi", makers.separation(TOUCHING, touching, _plane("free")), TOUCHING)
    yield Specimen(
        "quasi none", makers.separation(XOR, describe(XOR, ["1"], ["0"], [1]), _plane("none")), XOR
    )
    twins = describe(TWINS, ["1"], ["-1"])
    yield Specimen(
        "contradiction rbf", makers.contradiction(TWINS, twins, _plane("free", form=RBF), [0, 1]), TWINS
    )
    line = kernel("linear")
    yield Specimen(
        "contradiction linear",
        makers.contradiction(XOR, crossed, _plane("free", form=line), [0, 1, 2, 3]),
        XOR,
    )
    flat = describe(FLAT, ["1"], ["-1"])
    given = kernel("precomputed")
    yield Specimen(
        "contradiction precomputed",
        makers.contradiction(FLAT, flat, _plane("none", form=given), [0, 1, 2]),
        FLAT,
    )


def _mistakes() -> Iterator[Specimen]:
    signs, classes = describe(CLOSE, ["1"], ["-1"]), describe(THREE, ["0", "1", "2"], [])
    for algorithm in ("perceptron", "gradient"):
        for start in ("zero", "row"):
            for step in (real(1.0), real(0.375), "decreasing", "line-search"):
                if (algorithm, step) == ("perceptron", "line-search"):
                    continue
                named = float.fromhex(step) if step.startswith("0x") else step
                for together, (data, about) in {"two": (CLOSE, signs), "joint": (THREE, classes)}.items():
                    gain = 0.0 if (start, together) == ("row", "two") else 1.0
                    problem = {
                        "algorithm": algorithm, "gain": real(gain), "step": step, "start": start, "classes": together,
                    }  # fmt: skip
                    document = makers.mistakes(data, about, problem, step.startswith("0x"))
                    yield Specimen(f"mistakes {algorithm} {start} {named} {together}", document, data)
    problem = plain_run()
    yield Specimen("mistakes tiny", makers.mistakes(TINY, describe(TINY, ["1"], ["-1"]), problem, True), TINY)


def plain_run() -> dict[str, Any]:
    """The problem of the perceptron with step 1 from zero, without a bias, on two classes."""
    start, step = "zero", real(1.0)
    return {"algorithm": "perceptron", "gain": real(0.0), "step": step, "start": start, "classes": "two"}


def _scaled(data: Data, factors: list[float]) -> Data:
    return Data(
        [[v * factor for v, factor in zip(row, factors, strict=True)] for row in data.X], data.y, data.columns
    )


def _extreme() -> Iterator[Specimen]:
    """Rows whose squares underflow or overflow: floating point need not prove these, and must not prove more."""
    scales = {
        "small": (2.0**-500, 2.0**990),
        "tiny": (2.0**-530, 2.0**1010),
        "large": (2.0**500, 2.0**-1000),
        "subnormal": (2.0**-1060, 2.0**900),
    }
    for title, (size, cost) in scales.items():
        mixed = _scaled(MIXED, [size, size])
        letters = describe(mixed, ["a"], ["b"])
        C = {"positive": real(cost), "negative": real(cost)}
        for loss, bias in (("hinge", "none"), ("squared_hinge", "free")):
            document = makers.optimal(mixed, letters, _svm(bias, loss, C=C))
            yield Specimen(f"extreme {title} {loss}", document, mixed, tight=True)
        document = makers.optimal(mixed, letters, _svm("none", kernel=kernel("linear"), C=C))
        yield Specimen(f"extreme {title} kernel", document, mixed, tight=True)
        uneven = _scaled(CLOSE, [1.0, size])
        signs = describe(uneven, ["1"], ["-1"])
        yield Specimen(
            f"extreme {title} plane", makers.separation(uneven, signs, _plane("free")), uneven, tight=True
        )
        even = _scaled(CLOSE, [size, size])
        signs = describe(even, ["1"], ["-1"])
        yield Specimen(
            f"extreme {title} margin", makers.separation(even, signs, _plane("none"), True), even, tight=True
        )
        problem = plain_run()
        yield Specimen(
            f"extreme {title} mistakes", makers.mistakes(even, signs, problem, True), even, tight=True
        )
    wide = kernel("rbf", gamma=2.0**1000)
    mixed = _scaled(MIXED, [2.0**-500, 2.0**-500])
    document = makers.optimal(mixed, describe(mixed, ["a"], ["b"]), _svm(kernel=wide))
    yield Specimen("extreme rbf", document, mixed, tight=True)


@cache
def specimens() -> list[Specimen]:
    """All of them, made once."""
    return [*_optimal(), *_joint(), *_separation(), *_mistakes(), *_extreme()]
