"""Plain values in a model file: JSON for what is small, named tensors for arrays.

    JSON      null, true, integers, finite floats (written so that they read back exactly), texts, lists
    {"float": "inf"}                    a float that JSON has no word for
    {"tuple": [...]}                    a tuple
    {"pairs": [[key, value], ...]}      a dictionary, whose keys need not be texts
    {"array": "name"}                   a numeric array: the tensor of that name
    {"texts": [...], "width": 5}        an array of texts, as wide as NumPy made it; width null: of objects
    {"csr": "name", "shape": [n, d]}    a sparse matrix: the tensors name.data, name.indices, name.indptr

Nothing here knows of estimators, and nothing that is read can be more than such values.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from separatrix.errors import ModelFileError

Arrays = dict[str, NDArray[Any]]
_WIDEST_TEXT = 1 << 16


def write_value(value: Any, name: str, arrays: Arrays) -> Any:
    """The JSON form of a value; its arrays are added to ``arrays`` under names that begin with ``name``.

    >>> write_value((1, float("inf")), "x", {})
    {'tuple': [1, {'float': 'inf'}]}
    """
    if isinstance(value, np.ndarray):
        return _write_array(value, name, arrays)
    if sparse.issparse(value):
        return _write_csr(value, name, arrays)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, list | tuple):
        items = [write_value(item, f"{name}.{place}", arrays) for place, item in enumerate(value)]
        return items if isinstance(value, list) else {"tuple": items}
    if isinstance(value, dict):
        pairs = enumerate(value.items())
        return {
            "pairs": [
                [write_value(key, f"{name}.{i}", arrays), write_value(item, f"{name}.{i}", arrays)]
                for i, (key, item) in pairs
            ]
        }
    raise ModelFileError(f"A model file holds numbers, texts and arrays; {name} is a {type(value).__name__}.")


def _write_array(value: NDArray[Any], name: str, arrays: Arrays) -> Any:
    if value.dtype.kind == "U":
        return {"texts": value.tolist(), "width": value.dtype.itemsize // 4}
    if value.dtype.kind == "O" and all(isinstance(item, str) for item in value.ravel()):
        return {"texts": value.tolist(), "width": None}
    if value.dtype.kind not in "biuf" or value.dtype.itemsize > 8:
        raise ModelFileError(
            f"A model file holds arrays of numbers or of texts; {name} has the type {value.dtype}."
        )
    # safetensors is little-endian and reads memory in one piece; ascontiguousarray would lift 0-d to 1-d.
    arrays[name] = np.asarray(value, dtype=value.dtype.newbyteorder("<"), order="C")
    return {"array": name}


def _write_csr(value: Any, name: str, arrays: Arrays) -> Any:
    for part in ("data", "indices", "indptr"):
        _write_array(getattr(value, part), f"{name}.{part}", arrays)
    return {"csr": name, "shape": list(value.shape)}


def read_value(node: Any, arrays: Arrays) -> Any:
    """The value that `write_value` wrote; arrays are fresh copies that the reader may change.

    >>> read_value({"tuple": [1, {"float": "inf"}]}, {})
    (1, inf)
    """
    if node is None or isinstance(node, bool | int | float | str):
        return node
    if isinstance(node, list):
        return [read_value(item, arrays) for item in node]
    if isinstance(node, dict):
        match node:
            case {"float": "inf" | "-inf" | "nan" as text, **rest} if not rest:
                return float(text)
            case {"tuple": list(items), **rest} if not rest:
                return tuple(read_value(item, arrays) for item in items)
            case {"pairs": list(pairs), **rest} if not rest:
                return _read_pairs(pairs, arrays)
            case {"array": str(name), **rest} if not rest:
                return tensor(name, arrays).copy()
            case {"texts": list(texts), "width": width, **rest} if not rest:
                return _read_texts(texts, width)
            case {"csr": str(name), "shape": [int(rows), int(columns)], **rest} if not rest:
                return _read_csr(name, (rows, columns), arrays)
    raise ModelFileError(f"The model file holds a value of no known kind: {shown(node)}.")


def tensor(name: str, arrays: Arrays) -> NDArray[Any]:
    """The tensor of that name."""
    if name not in arrays:
        raise ModelFileError(f"The model file has no tensor {shown(name)}.")
    return arrays[name]


def _read_pairs(pairs: list[Any], arrays: Arrays) -> dict[Any, Any]:
    out: dict[Any, Any] = {}
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            raise ModelFileError(
                f"A pair of key and value was expected in the model file; got {shown(pair)}."
            )
        key = read_value(pair[0], arrays)
        try:
            out[key] = read_value(pair[1], arrays)
        except TypeError:
            raise ModelFileError(f"A key in the model file cannot be one: {shown(pair[0])}.") from None
    return out


def _read_texts(texts: list[Any], width: Any) -> NDArray[Any]:
    if not all(isinstance(text, str) for text in texts):
        raise ModelFileError("An array of texts in the model file holds something else.")
    if width is None:
        out = np.empty(len(texts), dtype=object)
        out[:] = texts
        return out
    longest = max(map(len, texts), default=0)
    if isinstance(width, bool) or not isinstance(width, int) or not longest <= width <= _WIDEST_TEXT:
        raise ModelFileError(f"Texts of up to {longest} letters cannot have the width {shown(width)}.")
    if width * len(texts) > (1 << 28):
        raise ModelFileError(f"{len(texts)} texts of width {width} are more than a model file may hold.")
    return np.array(texts, dtype=f"<U{max(1, width)}")


def _read_csr(name: str, shape: tuple[int, int], arrays: Arrays) -> sparse.csr_array:
    """A sparse matrix whose every index was checked: compiled code trusts them."""
    data, indices, indptr = (tensor(f"{name}.{part}", arrays) for part in ("data", "indices", "indptr"))
    rows, columns = shape
    good = (
        data.ndim == indices.ndim == indptr.ndim == 1
        and data.dtype in (np.float32, np.float64)
        and indices.dtype == indptr.dtype
        and indices.dtype in (np.int32, np.int64)
        and 0 <= columns < 2**62
        and len(indptr) == rows + 1
        and len(data) == len(indices)
        and int(indptr[0]) == 0
        and int(indptr[-1]) == len(data)
        and bool(np.all(indptr[1:] >= indptr[:-1]))
        and (len(indices) == 0 or (int(indices.min()) >= 0 and int(indices.max()) < columns))
    )
    if not good:
        raise ModelFileError(f"The sparse matrix {name!r} in the model file is malformed.")
    matrix = sparse.csr_array((data.copy(), indices.copy(), indptr.copy()), shape=shape)
    if not matrix.has_canonical_format:
        raise ModelFileError(f"The sparse matrix {name!r} in the model file names a column twice in a row.")
    return matrix


def shown(value: Any) -> str:
    """A value in few words, for a sentence."""
    text = repr(value) if isinstance(value, str | int | float | bool | None) else type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."
