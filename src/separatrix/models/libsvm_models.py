"""Models of LIBSVM and LIBLINEAR in, and ours out in their formats.

| ours                                   | file                                                             |
|----------------------------------------|------------------------------------------------------------------|
| linear, two classes or one against rest | LIBLINEAR, with a bias column of 1 unless bias="none"            |
| kernel, two classes or ovo              | LIBSVM c_svc: linear, polynomial, rbf, sigmoid                   |
| linear ovo                              | LIBSVM c_svc with kernel_type linear, from the support vectors   |
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from separatrix.atomic import write_atomically
from separatrix.errors import ModelFileError, with_hint
from separatrix.models.imported import ImportedModel
from separatrix.models.libsvm_text import LiblinearModel, LibsvmModel, parse, write_liblinear, write_libsvm
from separatrix.perceptron.estimator import Perceptron
from separatrix.problem.kernels import Linear
from separatrix.svm.svc import SVC

_SOLVERS = {"hinge": "L2R_L1LOSS_SVC_DUAL", "squared_hinge": "L2R_L2LOSS_SVC_DUAL"}
_NAMES = {"linear": "linear", "poly": "polynomial", "rbf": "rbf", "sigmoid": "sigmoid"}
MAX_BYTES = 1 << 32  #: largest model text that is read
TEXT_BEGINS = (b"svm_type ", b"solver_type ")  #: how a model text of LIBSVM or LIBLINEAR begins


def import_model(source: str | os.PathLike[str]) -> ImportedModel:
    """The model in a file of LIBSVM (svm-train) or LIBLINEAR (train), or in its text.

    >>> text = "solver_type L2R_L1LOSS_SVC_DUAL\\nnr_class 2\\nlabel 1 -1\\nnr_feature 1\\nbias 1\\nw\\n2\\n-1\\n"
    >>> import_model(text).predict([[0.0], [1.0]]).tolist()
    [-1, 1]
    """
    if isinstance(source, str) and "\n" in source:
        return ImportedModel(parse(source))
    path = Path(source)
    if not path.is_file():
        raise ModelFileError(f"There is no model file {str(path)!r}.")
    if path.stat().st_size > MAX_BYTES:
        raise ModelFileError(f"{path.name} is larger than the limit of {MAX_BYTES} bytes.")
    try:
        return ImportedModel(parse(path.read_text(encoding="ascii")), path.name)
    except UnicodeDecodeError:
        raise ModelFileError(f"{path.name} is no model text of LIBSVM or LIBLINEAR.") from None


def export_model(
    model: Any, path: str | os.PathLike[str], format: Literal["auto", "libsvm", "liblinear"] = "auto"
) -> None:
    """Write a fitted model for ``svm-predict`` (LIBSVM) or ``predict`` (LIBLINEAR), whole or not at all.

    "auto" writes what the model is: LIBLINEAR for planes of two classes or one against the rest, else LIBSVM.
    """
    write_atomically(path, model_text(model, format).encode("ascii"))


def model_text(model: Any, format: str = "auto") -> str:
    """The text that `export_model` writes."""
    if not isinstance(model, SVC | Perceptron):
        raise ModelFileError(f"A separatrix.SVC or Perceptron can be exported; got {type(model).__name__}.")
    if format not in ("auto", "libsvm", "liblinear"):
        raise ModelFileError(f"format must be 'auto', 'libsvm' or 'liblinear'; got {format!r}.")
    check_is_fitted(model, "classes_")
    if isinstance(model, Perceptron) and model.output == "voted":
        raise ModelFileError("The votes of a perceptron are no plane; export output='averaged' instead.")
    if getattr(model, "scaling_", None) is not None:
        raise with_hint(
            ModelFileError,
            f"This model scales its columns first (scaling={model.scaling!r}), which their files cannot hold.",
            "to_onnx(model) holds it; or scale the rows, then fit with scaling=None",
        )
    pairwise = isinstance(model, SVC) and bool(model._pairwise)
    planes = hasattr(model, "coef_") and not pairwise
    if format == "liblinear" or (format == "auto" and planes):
        if not planes:
            raise ModelFileError(
                "LIBLINEAR holds planes, one for each class; this model has pairs or a kernel."
            )
        return write_liblinear(_as_liblinear(model))
    return write_libsvm(_as_libsvm(model))


def _labels(model: Any) -> list[int]:
    names = model.classes_.tolist()
    if len(names) < 2:
        raise ModelFileError("A model of one class has nothing to export.")
    if not all(isinstance(name, int) or (isinstance(name, float) and name.is_integer()) for name in names):
        raise ModelFileError(
            f"LIBSVM and LIBLINEAR know whole numbers for labels; this model has {names[:5]}."
        )
    return [int(name) for name in names]


def _as_liblinear(model: Any) -> LiblinearModel:
    labels = _labels(model)
    if len(labels) == 2:  # positive for the first label
        labels = labels[::-1]
    bias = -1.0 if model.bias == "none" and not np.any(model.intercept_) else 1.0
    joint = getattr(model, "multi_class", "") == "crammer-singer" and len(labels) > 2
    solver = "MCSVM_CS" if joint else _SOLVERS[getattr(model, "loss", "hinge")]
    weights = np.ascontiguousarray(model.coef_.T)
    return LiblinearModel(solver, labels, bias, weights, np.asarray(model.intercept_))


def _as_libsvm(model: Any) -> LibsvmModel:
    if not isinstance(model, SVC):
        raise ModelFileError("LIBSVM files are written for SVC; a perceptron with weights goes to LIBLINEAR.")
    labels, two = _labels(model), len(model.classes_) == 2
    if not (two or model._pairwise):
        raise with_hint(
            ModelFileError, "LIBSVM decides between pairs of classes.", "fit with multi_class='ovo'"
        )
    surface = getattr(model, "_surface", None)
    kernel = Linear() if surface is None else surface.kernel
    if kernel.name not in _NAMES:
        raise ModelFileError(f"LIBSVM has no kernel {kernel.name!r}; it has {', '.join(_NAMES)}.")
    vectors: Any = model.support_vectors_
    if not sparse.issparse(vectors):
        vectors = sparse.csr_array(np.asarray(vectors, dtype=np.float64))
    coef, rho = model.dual_coef_, -model.intercept_
    if two:  # ours are positive for the second class, theirs for the first
        coef, rho = -coef, -rho
    counts = model.n_support_.tolist()
    return LibsvmModel("c_svc", kernel, _NAMES[kernel.name], labels, counts, rho, coef, vectors)
