"""Readers of the text that LIBSVM and LIBLINEAR write for a model (`files.svm_model_text` parses it).

Neither stores C nor the weights of the classes; the caller states them. LIBSVM writes the values of its vectors with
8 digits only, so that vectors are matched with rows of X rounded alike.
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
    Objective,
    Reading,
    Unauditable,
    class_weights,
    one_against_rest,
)
from separatrix.audit.libsvm_layout import NU_NOTE, SupportVectors, pair_claims
from separatrix.audit.linear_models import checked_cost
from separatrix.models.libsvm_text import LiblinearModel, LibsvmModel, parse
from separatrix.problem import LOSSES
from separatrix.types import Index

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
    parsed = parse(text)
    if isinstance(parsed, LiblinearModel):
        return _read_liblinear(name, parsed, given, asked)
    return _read_libsvm(name, parsed, given, asked)


def _labels(labels: list[int], given: Given) -> list[Any]:
    """The labels as y has them, which may be texts."""
    known: list[Any] = [str(label) for label in labels] if given.classes.dtype.kind in "US" else list(labels)
    given.check_classes(known)
    return known


def _cost(what: str, asked: Asked) -> float:
    if asked.C is None:
        raise ValueError(
            f"A {what} model file does not store C; pass C= as it was trained with (its default is 1)."
        )
    return checked_cost(asked.C)


def _read_liblinear(name: str, model: LiblinearModel, given: Given, asked: Asked) -> Reading:
    solver, bias, intercepts = model.solver, model.bias, model.intercepts
    if solver not in _LOSSES:
        raise Unauditable(f"{name} was trained with {solver}; an audit knows {', '.join(_LOSSES)}.")
    labels = _labels(model.labels, given)
    weights = _fit_columns(model.weights, given.X.shape[1])
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


def _read_libsvm(name: str, model: LibsvmModel, given: Given, asked: Asked) -> Reading:
    kind, d = model.kind, given.X.shape[1]
    if kind not in ("c_svc", "nu_svc"):
        raise Unauditable(f"{name} is a {kind} model; an audit knows c_svc and nu_svc.")
    C = None if kind == "nu_svc" else _cost("LIBSVM", asked)
    if kind == "nu_svc" and (asked.C is not None or asked.class_weight is not None):
        raise ValueError(
            f"{name} is a nu_svc model: its C is read off its coefficients, and it has no class weights."
        )
    if model.kernel is None:
        raise Unauditable(
            f"A model file with kernel_type {model.kernel_name} does not hold its vectors; pass the fitted model."
        )
    labels, counts = _labels(model.labels, given), model.counts
    found: Any = model.vectors
    if found.shape[1] > d:
        raise ValueError(f"The model has a column {found.shape[1]} but X has only {d}.")
    vectors = sparse.csr_array((found.data, found.indices, found.indptr), shape=(found.shape[0], d))
    rows = _matching_rows(vectors, np.repeat([given.code(label) for label in labels], counts), given)
    support = SupportVectors(labels, model.coef, -model.rho, counts, vectors, rows)
    weights = class_weights(asked.class_weight, given, weighted=True)
    notes = [NU_NOTE] if kind == "nu_svc" else []
    if rows is None:
        notes.append("The support vectors were not all found among the rows of X.")
    return Reading(f"LIBSVM {kind} {name}", pair_claims(support, model.kernel, given, C, weights), notes)


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
