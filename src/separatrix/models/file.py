"""save and load: a fitted model as one safetensors file, with its certificates inside.

A model file is a safetensors file (eight bytes of length, a JSON header, raw arrays) whose metadata have the entry
``separatrix-model: 1 sha256 <digest of all tensors>``; 1 is the version of the format. The tensor ``document`` holds
a JSON text: versions, parameters, column names, the encoding of the data, and records whose arrays are other tensors
(`models/tensors.py`); the tensor ``certificates`` holds the certificates as JSON. docs/models.md says more.

Nothing in a file is executed, and no size, index or shape in it is believed before it is checked: a damaged or
hostile file ends in a `ModelFileError` with a sentence.
"""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import separatrix
from separatrix.atomic import replacing
from separatrix.errors import ModelFileError
from separatrix.models.calibration import read_calibration, write_calibration
from separatrix.models.fields import Fields
from separatrix.models.libsvm_models import TEXT_BEGINS, import_model
from separatrix.models.parts import LEFT_UNREAD
from separatrix.models.perceptron import read_perceptron, write_perceptron
from separatrix.models.svc import read_svc, write_svc
from separatrix.models.tensors import Arrays, parse_json, read_tensors, write_tensors, write_value
from separatrix.perceptron.estimator import Perceptron
from separatrix.svm.svc import SVC

MAX_BYTES = 1 << 33  #: largest file, in bytes, that `load` reads unless max_bytes says otherwise
_MAX_DOCUMENT = 1 << 28


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    columns: Any = None,
    encoding: Any = None,
    support_vectors: bool | None = None,
) -> None:
    """Write a fitted `SVC` or `Perceptron` to a file, whole or not at all.

    Parameters
    ----------
    model
        The fitted model. Its certificates are built now if they were not yet: that reads the training data once.
    path
        The file, usually ``*.safetensors``. It is replaced in one step: a reader sees the old or the new model.
    columns : list of str, default None
        Names of the columns of X; None takes those of the data frame it was fitted to, or ``model.column_names_``.
    encoding : dict, default None
        How the rows were made from a file (texts, numbers, lists and dictionaries), kept for whoever predicts from
        the same kind of file; None takes ``model.data_encoding_``.
    support_vectors : bool, default None
        Whether to store ``support_vectors_``; None stores them where predictions need them.

    Example
    -------
    >>> import tempfile, separatrix as sx
    >>> model = sx.SVC().fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sx.save(model, f"{folder}/model.safetensors", columns=["size"])
    ...     again = sx.load(f"{folder}/model.safetensors")
    >>> again.predict([[0.4]]).tolist(), again.certificate_ == model.certificate_, again.column_names_
    (['low'], True, ['size'])
    """
    arrays = model_tensors(model, columns, encoding, support_vectors)
    with replacing(path) as file:
        write_tensors(arrays, file)


def model_bytes(
    model: Any, columns: Any = None, encoding: Any = None, support_vectors: bool | None = None
) -> bytes:
    """The content of the file that `save` writes."""
    file = io.BytesIO()
    write_tensors(model_tensors(model, columns, encoding, support_vectors), file)
    return file.getvalue()


def model_tensors(
    model: Any, columns: Any = None, encoding: Any = None, support_vectors: bool | None = None
) -> Arrays:
    """The arrays of the file that `save` writes, by their names."""
    if not isinstance(model, SVC | Perceptron):
        raise ModelFileError(
            f"A model file holds a separatrix.SVC or a separatrix.Perceptron; got {type(model).__name__}."
        )
    check_is_fitted(model, "classes_")
    arrays: Arrays = {}
    kind = "SVC" if isinstance(model, SVC) else "Perceptron"
    body = (
        write_svc(model, arrays, bool(support_vectors))
        if isinstance(model, SVC)
        else write_perceptron(model, arrays)
    )
    document = {
        "separatrix": separatrix.__version__,
        "numpy": np.__version__,
        "model": kind,
        "n_features": int(model.n_features_in_),
        "feature_names": _names(getattr(model, "feature_names_in_", None), model.n_features_in_),
        "columns": _names(
            columns if columns is not None else getattr(model, "column_names_", None), model.n_features_in_
        ),
        "encoding": _plain(encoding if encoding is not None else getattr(model, "data_encoding_", None)),
        kind: body,
    }
    if "calibration_" in vars(model):
        document["calibration"] = write_calibration(model.calibration_, arrays)
    if "held_out_" in vars(model):
        document["held_out"] = write_value(np.asarray(model.held_out_, np.int64), "held_out", arrays)
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode("ascii")
    if len(text) > _MAX_DOCUMENT:
        raise ModelFileError(f"The model is too large for a file: its document would have {len(text)} bytes.")
    arrays["document"] = np.frombuffer(text, dtype=np.uint8)
    return arrays


def _names(names: Any, count: int) -> list[str] | None:
    if names is None:
        return None
    out = [str(name) for name in names]
    if len(out) != count:
        raise ModelFileError(f"The model has {count} columns, but {len(out)} names were given.")
    return out


def _plain(encoding: Any) -> Any:
    if encoding is None:
        return None
    try:
        if not isinstance(encoding, dict):
            raise TypeError(f"it is a {type(encoding).__name__}")
        again = json.loads(json.dumps(encoding, allow_nan=False))
        if again != encoding:
            raise ValueError("it would not read back as it is (keys must be texts, sequences lists)")
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"encoding must be a dictionary of plain JSON values; {error}.") from None
    return again


def load(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES, certificates: bool = True) -> Any:
    """The model that `save` wrote. Its predictions are those of the saved model, bit for bit.

    A model text of LIBSVM or LIBLINEAR is read too, as an `ImportedModel` that predicts what those programs would.
    ``column_names_`` (list or None) and ``data_encoding_`` (dict or None) are what `save` was given. A file that is
    damaged, too large or made to mislead ends in a `ModelFileError`; nothing in it is executed.
    ``certificates=False`` leaves the certificates unread, which for many rows are most of the file: who only predicts
    needs less memory then.
    """
    file = Path(path)
    try:
        size = file.stat().st_size
        if size > max_bytes:
            raise ModelFileError(f"{file.name} has {size} bytes, more than the limit of {max_bytes}.")
        content = file.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        raise ModelFileError(f"There is no model file {str(path)!r}.") from None
    if content.startswith(TEXT_BEGINS):
        return import_model(file)
    try:
        arrays = read_tensors(content)
        del content  # the arrays are copies
        if not certificates:
            arrays["certificates"] = LEFT_UNREAD
        return model_from_tensors(arrays)
    except ModelFileError as error:
        raise ModelFileError(f"{file.name}: {error}") from None


def model_from_bytes(content: bytes) -> Any:
    """The model in the content of a file."""
    return model_from_tensors(read_tensors(content))


def model_from_tensors(arrays: Arrays) -> Any:
    """The model that `model_tensors` took apart."""
    text = arrays.pop("document", None)
    if text is None or text.dtype != np.uint8 or text.ndim != 1 or len(text) > _MAX_DOCUMENT:
        raise ModelFileError("This is no model of separatrix: it has no document.")
    try:
        document = Fields(parse_json(text.tobytes(), "document"), "document", arrays)
        return _model(document)
    except (RecursionError, MemoryError):
        raise ModelFileError("The model file holds values nested too deeply, or too many.") from None


def _model(document: Fields) -> Any:
    kind = document.text("model", ("SVC", "Perceptron"))
    n_columns = document.count("n_features")
    body = document.record(kind)
    model = read_svc(body, n_columns) if kind == "SVC" else read_perceptron(body, n_columns)
    model.n_features_in_ = n_columns
    names = _read_names(document, "feature_names", n_columns)
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    model.column_names_ = _read_names(document, "columns", n_columns)
    encoding = document.raw("encoding")
    if encoding is not None and not isinstance(encoding, dict):
        raise document.wrong("encoding", "a record or null", encoding)
    model.data_encoding_ = encoding
    if document.has("calibration"):
        model.calibration_ = read_calibration(document.record("calibration"), len(model.classes_))
    if document.has("held_out"):
        model.held_out_ = document.indices("held_out", None, 1 << 40)
    return model


def _read_names(document: Fields, name: str, count: int) -> list[str] | None:
    names = document.raw(name)
    if names is None:
        return None
    if not isinstance(names, list) or len(names) != count or not all(isinstance(n, str) for n in names):
        raise document.wrong(name, f"{count} texts or null", names)
    return names
