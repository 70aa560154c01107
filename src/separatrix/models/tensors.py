"""Named arrays in a safetensors file whose metadata carry the format's version and a digest of all of them.

    8 bytes       length of the header, little-endian
    header        JSON: each array's type, shape and place; padded with spaces to a multiple of 8
    arrays        one after the other, the widest types first, so that every one is aligned

Written array by array: a model of many rows is not in memory a second time as the content of its file.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, deserialize

from separatrix.errors import ModelFileError, with_hint
from separatrix.models.parts import parse_json
from separatrix.models.values import Arrays, shown

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
