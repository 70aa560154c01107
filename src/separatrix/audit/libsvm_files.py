"""Readers of the text that LIBSVM and LIBLINEAR write for a model.

LIBLINEAR: header lines ``solver_type, nr_class, label, nr_feature, bias``, then ``w`` and one line for each column, one
number for each class (one only for two classes, positive for the first label). With ``bias B`` >= 0 a column that holds
B was appended, and its weight is the last line: b = B * that weight.

LIBSVM: header lines ``svm_type, kernel_type, degree, gamma, coef0, nr_class, total_sv, rho, label, nr_sv``, then ``SV``
and one line for each vector: its coefficients, then ``index:value`` from index 1. b = -rho, positive for the first
label of a pair. The values have 8 digits only, so that vectors are matched with rows of X rounded alike.

Neither stores C nor the weights of the classes; the caller states them. Chang, Lin, ACM TIST 2 (2011); Fan et al.,
JMLR 9 (2008).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.audit.claim import (
    Asked,
    Claim,
    Given,
    Hyperplane,
    Index,
    Objective,
    Reading,
    Unauditable,
    class_weights,
    one_against_rest,
)
from separatrix.audit.linear_models import checked_cost
from separatrix.audit.pairs import NU_NOTE, SupportVectors, pair_claims
from separatrix.problem import LOSSES
from separatrix.problem.kernels import Kernel, Linear, Poly, Rbf, Sigmoid

_LOSSES = {
    "L2R_L2LOSS_SVC_DUAL": "squared_hinge",
    "L2R_L2LOSS_SVC": "squared_hinge",
    "L2R_L1LOSS_SVC_DUAL": "hinge",
}
_PICKLE = (
    "{name} looks like a pickle or an archive of one. Reading a pickle runs whatever code it holds, so an audit never "
    "does. Load it yourself if you trust it, and pass the fitted model."
)


def text_of(source: Any) -> tuple[str, str]:
    """The name and the text of a model file: a path, or the text itself."""
    if isinstance(source, str) and "\n" in source:
        return "model text", source
    path = Path(source)
    if not path.is_file():
        raise FileNotFoundError(f"There is no model file {str(path)!r}.")
    with path.open("rb") as file:
        head = file.read(64)
    if not head.startswith((b"svm_type ", b"solver_type ")):
        if path.suffix in (".pkl", ".pickle", ".joblib", ".skops") or head[:1] in (
            b"\x80",
            b"\x1f",
            b"P",
            b"(",
        ):
            raise Unauditable(_PICKLE.format(name=path.name))
        raise Unauditable(
            f"{path.name} is no model file of LIBSVM or LIBLINEAR, which begin with 'svm_type' or 'solver_type'."
        )
    return path.name, path.read_text(encoding="ascii")


def read_model_file(source: Any, given: Given, asked: Asked) -> Reading:
    """The model in a file of LIBSVM or LIBLINEAR, or in its text."""
    name, text = text_of(source)
    if asked.loss is not None or asked.bias is not None:
        raise ValueError("A model file states its loss and its bias; only C and class_weight may be passed.")
    if text.startswith("solver_type "):
        return _read_liblinear(name, text, given, asked)
    if text.startswith("svm_type "):
        return _read_libsvm(name, text, given, asked)
    raise Unauditable(
        "The text is no model of LIBSVM or LIBLINEAR: it begins with neither 'svm_type' nor 'solver_type'."
    )


def _split(text: str, mark: str) -> tuple[dict[str, list[str]], list[str]]:
    """The header as lists of words by name, and the lines after the mark."""
    lines = text.splitlines()
    header: dict[str, list[str]] = {}
    for place, line in enumerate(lines):
        name, *words = line.split() or [""]
        if name == mark:
            return header, [line for line in lines[place + 1 :] if line.strip()]
        header[name] = words
    raise ValueError(f"The model text has no line {mark!r}; it was cut off.")


def _labels(header: dict[str, list[str]], given: Given) -> list[Any]:
    labels = [int(word) for word in header.get("label", [])]
    if not labels:
        raise Unauditable("The model text has no line 'label': it is no classifier.")
    if given.classes.dtype.kind in "US":  # labels read as text
        return [str(label) for label in labels]
    return labels


def _cost(what: str, asked: Asked) -> float:
    if asked.C is None:
        raise ValueError(
            f"A {what} model file does not store C; pass C= as it was trained with (its default is 1)."
        )
    return checked_cost(asked.C)


def _read_liblinear(name: str, text: str, given: Given, asked: Asked) -> Reading:
    header, lines = _split(text, "w")
    solver = header["solver_type"][0]
    if solver not in _LOSSES:
        raise Unauditable(f"{name} was trained with {solver}; an audit knows {', '.join(_LOSSES)}.")
    labels = _labels(header, given)
    given.check_classes(labels)
    bias = float(header["bias"][0])
    columns = int(header["nr_feature"][0])
    table = np.array([line.split() for line in lines], dtype=np.float64)
    if len(table) != columns + (bias >= 0):
        raise ValueError(f"{name} should have {columns + (bias >= 0)} lines of weights; it has {len(table)}.")
    intercepts = bias * table[-1] if bias >= 0 else np.zeros(table.shape[1])
    weights = _fit_columns(table[:columns], given.X.shape[1])
    C = _cost("LIBLINEAR", asked)
    by_class = class_weights(asked.class_weight, given, weighted=True)
    sides = list(zip(labels, [*labels[1:], None], strict=True))[:1]
    if len(labels) > 2:
        sides = [(label, None) for label in labels]
    claims = []
    for k, (positive, negative) in enumerate(sides):
        cost = one_against_rest(C, by_class, given, given.code(positive))
        # A column of zeros (bias 0) is no bias at all.
        rule = Objective(
            LOSSES[_LOSSES[solver]], "augmented" if bias > 0 else "none", cost, max(bias, 0.0) or 1.0
        )
        claims.append(
            Claim(positive, positive, negative, Hyperplane(weights[:, k].copy(), intercepts[k]), rule)
        )
    return Reading(f"LIBLINEAR {solver} {name}", claims)


def _fit_columns(weights: NDArray[np.float64], d: int) -> NDArray[np.float64]:
    """Weights for the d columns of X: a column that one side never saw has weight zero."""
    if np.any(weights[d:]):
        raise ValueError(f"The model has weights for {len(weights)} columns but X has {d}.")
    out = np.zeros((d, weights.shape[1]))
    out[: len(weights)] = weights[:d]
    return out


def _read_libsvm(name: str, text: str, given: Given, asked: Asked) -> Reading:
    header, lines = _split(text, "SV")
    kind = header["svm_type"][0]
    if kind not in ("c_svc", "nu_svc"):
        raise Unauditable(f"{name} is a {kind} model; an audit knows c_svc and nu_svc.")
    C = None if kind == "nu_svc" else _cost("LIBSVM", asked)
    if kind == "nu_svc" and (asked.C is not None or asked.class_weight is not None):
        raise ValueError(
            f"{name} is a nu_svc model: its C is read off its coefficients, and it has no class weights."
        )
    labels = _labels(header, given)
    given.check_classes(labels)
    counts = [int(word) for word in header["nr_sv"]]
    coef, vectors = _vectors(lines, len(labels) - 1, given.X.shape[1])
    if len(lines) != sum(counts):
        raise ValueError(f"{name} should have {sum(counts)} support vectors; it has {len(lines)}.")
    rho = np.array(header["rho"], dtype=np.float64)
    rows = _matching_rows(vectors, np.repeat([given.code(label) for label in labels], counts), given)
    support = SupportVectors(labels, coef, -rho, counts, vectors, rows)
    weights = class_weights(asked.class_weight, given, weighted=True)
    notes = [NU_NOTE] if kind == "nu_svc" else []
    if rows is None:
        notes.append("The support vectors were not all found among the rows of X.")
    return Reading(f"LIBSVM {kind} {name}", pair_claims(support, _kernel(header), given, C, weights), notes)


def _kernel(header: dict[str, list[str]]) -> Kernel:
    name = header["kernel_type"][0]
    degree, gamma, coef0 = (float(header.get(key, ["0"])[0]) for key in ("degree", "gamma", "coef0"))
    if name == "linear":
        return Linear()
    if name == "rbf":
        return Rbf(gamma)
    if name == "polynomial":
        return Poly(int(degree), gamma, coef0)
    if name == "sigmoid":
        return Sigmoid(gamma, coef0)
    raise Unauditable(
        f"A model file with kernel_type {name} does not hold its vectors; pass the fitted model instead."
    )


def _vectors(lines: list[str], n_coef: int, d: int) -> tuple[NDArray[np.float64], sparse.csr_array]:
    """Coefficients (k - 1, m) and vectors (m, d)."""
    coef, indptr = np.empty((n_coef, len(lines))), [0]
    indices: list[int] = []
    values: list[float] = []
    for place, line in enumerate(lines):
        words = line.split()
        coef[:, place] = [float(word) for word in words[:n_coef]]
        for word in words[n_coef:]:
            index, value = word.split(":")
            indices.append(int(index) - 1)
            values.append(float(value))
        indptr.append(len(indices))
    if indices and max(indices) >= d:
        raise ValueError(f"The model has a column {max(indices) + 1} but X has only {d}.")
    return coef, sparse.csr_array((values, indices, indptr), shape=(len(lines), d), dtype=np.float64)


def _matching_rows(vectors: sparse.csr_array, codes: Index, given: Given) -> Index | None:
    """The row of X behind each vector, of its class and each used once; None if one is not found."""
    found: dict[tuple[int, bytes], list[int]] = {}
    for row, key in enumerate(_keys(sparse.csr_array(given.X))):
        found.setdefault((int(given.codes[row]), key), []).append(row)
    rows = []
    for code, key in zip(codes.tolist(), _keys(vectors), strict=True):
        if not found.get((code, key)):
            return None
        rows.append(found[code, key].pop(0))
    return np.array(rows, dtype=np.intp)


def _keys(X: sparse.csr_array) -> list[bytes]:
    """Each row as LIBSVM would write it."""
    lines = []
    for start, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        entries = zip(X.indices[start:stop].tolist(), X.data[start:stop].tolist(), strict=True)
        lines.append(" ".join(f"{index}:{value:.8g}" for index, value in sorted(entries) if value).encode())
    return lines
