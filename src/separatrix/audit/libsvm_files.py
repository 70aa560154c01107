"""Readers of the model files of LIBSVM and LIBLINEAR (`models.libsvm_text` parses them).

Neither stores C nor the weights of the classes; the caller states them. LIBSVM writes the values of its vectors with
8 digits only, so that vectors are matched with rows of X rounded alike.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.audit.claim import AuditData, CallerOptions, ModelClaims, Unauditable, class_weights
from separatrix.audit.kernel_models import NU_NOTE, SupportVectors, pair_claims
from separatrix.audit.linear_models import read_liblinear, stated_cost
from separatrix.models.libsvm_text import LiblinearModel, LibsvmModel, parse
from separatrix.types import Index

#: Ends of the names of files that hold pickles, and their first bytes.
_PICKLE_SUFFIXES, _PICKLE_BYTES = (".pkl", ".pickle", ".joblib", ".skops"), (b"\x80", b"\x1f", b"P", b"(")
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
        if path.suffix in _PICKLE_SUFFIXES or head.startswith(_PICKLE_BYTES):
            raise Unauditable(_PICKLE.format(name=path.name))
        raise Unauditable(
            f"{path.name} is no model file of LIBSVM or LIBLINEAR, which begin with 'svm_type' or 'solver_type'."
        )
    return path.name, path.read_text(encoding="ascii")


def read_model_file(source: Any, data: AuditData, options: CallerOptions) -> ModelClaims:
    """Read the model in a file of LIBSVM or LIBLINEAR, or in its text."""
    name, text = text_of(source)
    if options.loss is not None or options.bias is not None:
        raise ValueError("A model file states its loss and its bias; only C and class_weight may be passed.")
    parsed = parse(text)
    if isinstance(parsed, LiblinearModel):
        return read_liblinear(name, parsed, _labels(parsed.labels, data), data, options)
    return _read_libsvm(name, parsed, data, options)


def _labels(labels: list[int], data: AuditData) -> list[Any]:
    """The labels as y has them, which may be texts."""
    known: list[Any] = [str(label) for label in labels] if data.classes.dtype.kind in "US" else list(labels)
    data.check_classes(known)
    return known


def _read_libsvm(name: str, model: LibsvmModel, data: AuditData, options: CallerOptions) -> ModelClaims:
    kind, d = model.kind, data.X.shape[1]
    if kind not in ("c_svc", "nu_svc"):
        raise Unauditable(f"{name} is a {kind} model; an audit knows c_svc and nu_svc.")
    C = None if kind == "nu_svc" else stated_cost("LIBSVM", options)
    if kind == "nu_svc" and (options.C is not None or options.class_weight is not None):
        raise ValueError(
            f"{name} is a nu_svc model: its C is read off its coefficients, and it has no class weights."
        )
    if model.kernel is None:
        raise Unauditable(
            f"A model file with kernel_type {model.kernel_name} does not hold its vectors; pass the fitted model."
        )
    labels, counts = _labels(model.labels, data), model.counts
    found: Any = model.vectors
    if found.shape[1] > d:
        raise ValueError(f"The model has a column {found.shape[1]} but X has only {d}.")
    vectors = sparse.csr_array((found.data, found.indices, found.indptr), shape=(found.shape[0], d))
    rows = _matching_rows(vectors, np.repeat([data.code(label) for label in labels], counts), data)
    support = SupportVectors(labels, model.coef, -model.rho, counts, vectors, rows)
    weights = class_weights(options.class_weight, data, weighted=True)
    notes = [NU_NOTE] if kind == "nu_svc" else []
    if rows is None:
        notes.append("The support vectors were not all found among the rows of X.")
    return ModelClaims(f"LIBSVM {kind} {name}", pair_claims(support, model.kernel, data, C, weights), notes)


def _matching_rows(vectors: sparse.csr_array, codes: Index, data: AuditData) -> Index | None:
    """Row of X for each vector, of its class and each used once; None if one is not found."""
    found: dict[tuple[int, bytes], list[int]] = {}
    for row, key in enumerate(_keys(sparse.csr_array(data.X))):
        found.setdefault((int(data.codes[row]), key), []).append(row)
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
