"""The arrays and plain values of a model file.

A model file is a safetensors file whose metadata carry the format's version and a digest of all of its arrays:

    8 bytes       length of the header, little-endian
    header        JSON: each array's type, shape and place; padded with spaces to a multiple of 8
    arrays        one after the other, the widest types first, so that every one is aligned

Written array by array: a model of many rows is not in memory a second time as the content of its file. A plain value is
JSON where it is small, and names the arrays that hold the rest:

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

import hashlib
import json
import math
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, deserialize
from scipy import sparse

from separatrix.errors import ModelFileError, with_hint

Arrays = dict[str, NDArray[Any]]
_WIDEST_TEXT = 1 << 16  # letters of the longest text in an array of texts
FORMAT, VERSION = "separatrix-model", 1
_MAX_HEADER = 1 << 24
_DTYPES = {
    "F64": np.float64,
    "F32": np.float32,
    "F16": np.float16,
    "I64": np.int64,
    "U64": np.uint64,
    "I32": np.int32,
    "U32": np.uint32,
    "I16": np.int16,
    "U16": np.uint16,
    "I8": np.int8,
    "U8": np.uint8,
    "BOOL": np.bool_,
}
_NAMES = {np.dtype(dtype): name for name, dtype in _DTYPES.items()}


def write_tensors(arrays: Arrays, file: BinaryIO) -> None:
    """Write the arrays. The metadata have one entry: the order of several would be left to chance.

    >>> import io
    >>> file = io.BytesIO()
    >>> write_tensors({"x": np.array([1.0, 2.0])}, file)
    >>> read_tensors(file.getvalue())
    {'x': array([1., 2.])}
    """
    header: dict[str, Any] = {"__metadata__": {FORMAT: f"{VERSION} sha256 {_digest(arrays)}"}}
    names = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    end = 0
    for name in names:
        array = arrays[name]
        begin, end = end, end + array.nbytes
        header[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
    text = json.dumps(header, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % 8)
    file.write(len(text).to_bytes(8, "little") + text)
    for name in names:
        file.write(_memory(arrays[name]))


def _memory(array: NDArray[Any]) -> memoryview:
    """The bytes of an array as they are stored; without a copy where it is contiguous."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _digest(arrays: Arrays) -> str:
    """SHA-256 of the tensors in the order of their names: each name, type and shape as a line, then the numbers."""
    total = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        total.update(f"{json.dumps(name)} {array.dtype.str} {list(array.shape)}\n".encode("ascii"))
        total.update(_memory(array))
    return total.hexdigest()


def read_tensors(content: bytes) -> Arrays:
    """The tensors of a safetensors file, which share no memory with its content."""
    if len(content) < 10:
        raise ModelFileError("The file is too short to be a model.")
    header = int.from_bytes(content[:8], "little")
    if header > min(_MAX_HEADER, len(content) - 8):
        raise ModelFileError("This is no safetensors file: the length of its header is out of range.")
    claimed = _claimed(content[8 : 8 + header])
    try:
        parts: Any = deserialize(content)  # type: ignore[no-untyped-call]
    except (SafetensorError, ValueError, OverflowError, TypeError) as error:
        raise ModelFileError(f"This is no safetensors file: {error}.") from None
    arrays: Arrays = {}
    for name, part in parts:
        dtype = _DTYPES.get(part["dtype"])
        if dtype is None:
            raise ModelFileError(f"The tensor {shown(name)} has the type {shown(part['dtype'])}.")
        flat: Any = np.frombuffer(part["data"], dtype=np.uint8 if dtype is np.bool_ else dtype)
        if dtype is np.bool_:
            if len(flat) and flat.max() > 1:
                raise ModelFileError(f"The tensor {shown(name)} holds bytes that are neither true nor false.")
            flat = flat.view(np.bool_)
        try:
            arrays[name] = flat.reshape(part["shape"])
        except (ValueError, OverflowError):
            raise ModelFileError(f"The tensor {shown(name)} does not have the size it claims.") from None
    if _digest(arrays) != claimed:
        raise ModelFileError(
            "The model file was changed after it was written: its content differs from its digest."
        )
    return arrays


def _claimed(header: bytes) -> str:
    """The digest that the metadata of a file claim, once they say that it is a model of this version."""
    known = parse_json(header, "header")
    entry = known.get("__metadata__") if isinstance(known, dict) else None
    text = entry.get(FORMAT) if isinstance(entry, dict) else None
    if not isinstance(text, str):
        raise ModelFileError(f"This is no model of separatrix: its metadata have no entry {FORMAT!r}.")
    version, *rest = text.split(" ")
    if version != str(VERSION):
        raise with_hint(
            ModelFileError,
            f"The file has version {shown(version)} of the format; this separatrix reads version {VERSION}.",
            "a newer separatrix may read it",
        )
    if len(rest) != 2 or rest[0] != "sha256":
        raise ModelFileError("The metadata of the model file have no digest.")
    return rest[1]


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


def parse_json(content: bytes, what: str, parse_float: Callable[[str], float] = float) -> Any:
    """A JSON document within a model file."""
    try:
        return json.loads(content.decode("utf-8"), parse_constant=_no_constant, parse_float=parse_float)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"No JSON document: the {what} of the model file ({error}).") from None


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")
