"""Readers of scikit-learn's SVC and NuSVC, and of scikit-learn-intelex's, which have the same attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from separatrix.audit.claim import Given, Reading, Unauditable, class_weights
from separatrix.audit.libsvm_layout import NU_NOTE, SupportVectors, pair_claims
from separatrix.problem.kernels import Kernel, make_kernel
from separatrix.types import Index


def read_svc(name: str, model: Any, given: Given) -> Reading:
    """SVC: C is a parameter."""
    weights = np.ones(len(given.classes))
    order = [given.code(label) for label in model.classes_.tolist()]
    if getattr(model, "class_weight_", None) is not None:
        weights[order] = np.asarray(model.class_weight_, dtype=np.float64)
    else:
        weights = class_weights(model.class_weight, given, weighted=False)
    support, notes = _support(name, model, given)
    return Reading(name, pair_claims(support, _kernel(model, given), given, float(model.C), weights), notes)


def read_nu_svc(name: str, model: Any, given: Given) -> Reading:
    """NuSVC: C is read off the dual variables."""
    if model.class_weight is not None:
        raise Unauditable(
            f"{name} with class_weight has no C-SVC that it maps to; only without class_weight."
        )
    support, notes = _support(name, model, given)
    weights = np.ones(len(given.classes))
    return Reading(name, pair_claims(support, _kernel(model, given), given, None, weights), [NU_NOTE, *notes])


def _kernel(model: Any, given: Given) -> Kernel:
    gamma = model._gamma if isinstance(getattr(model, "_gamma", None), int | float) else model.gamma
    return make_kernel(model.kernel, given.X, model.degree, gamma, model.coef0)


def _support(name: str, model: Any, given: Given) -> tuple[SupportVectors, list[str]]:
    known = model.classes_.tolist()
    given.check_classes(known)
    is_sparse = bool(sparse.issparse(model.dual_coef_))
    coef = np.asarray(model.dual_coef_.toarray() if is_sparse else model.dual_coef_, dtype=np.float64)
    intercept = np.asarray(model.intercept_, dtype=np.float64).ravel()
    if len(known) == 2:  # back to LIBSVM's signs, the first class positive
        coef, intercept = -coef, -intercept
    counts = [int(count) for count in model.n_support_]
    precomputed = isinstance(model.kernel, str) and model.kernel == "precomputed"
    codes = [given.code(label) for label in known]
    # Grouped by class; only intelex leaves the vectors of two classes in the order of the rows.
    expected = np.repeat(codes, counts) if len(known) > 2 else np.where(coef[0] > 0, *codes)
    rows = _rows(np.asarray(model.support_, dtype=np.intp), expected, given)
    vectors: Any = None
    if not precomputed:
        vectors = model.support_vectors_
        if callable(model.kernel):  # scikit-learn keeps no vectors there
            vectors = None if rows is None else given.X[rows]
        elif vectors.shape[1] != given.X.shape[1]:
            raise ValueError(f"The model has {vectors.shape[1]} columns but X has {given.X.shape[1]}.")
        else:
            is_sparse = bool(sparse.issparse(vectors))
            vectors = sparse.csr_array(vectors) if is_sparse else np.asarray(vectors)
            rows = rows if rows is not None and _same(given.X[rows], vectors) else None
    notes: list[str] = []
    if rows is None:
        notes.append(
            "X and y are not those the model was trained on: its support vectors are not where it says. "
            "All values below are about the rows that were given."
        )
        if vectors is None:
            raise ValueError(f"{name} refers to its training rows by number, and X and y are not those.")
    return SupportVectors(known, coef, intercept, counts, vectors, rows), notes


def _rows(support: Index, expected: Index, given: Given) -> Index | None:
    """The training row of each vector; None if those rows are not of the classes the model says."""
    # Rows of weight zero are removed before LIBSVM counts them.
    for candidate in (np.arange(len(given.codes)), np.flatnonzero(given.weights > 0)):
        if not len(support) or support.max() >= len(candidate):
            continue
        rows = candidate[support]
        if np.array_equal(given.codes[rows], expected) and np.all(given.weights[rows] > 0):
            return np.asarray(rows, dtype=np.intp)
    return None


def _same(rows: Any, vectors: Any) -> bool:
    difference = sparse.csr_array(rows) - sparse.csr_array(vectors)
    return difference.nnz == 0 or not np.any(difference.data)
