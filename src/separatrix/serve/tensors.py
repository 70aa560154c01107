"""Tensors of the Open Inference Protocol (v2): JSON, with the binary extension for their numbers.

    {"id": "...", "inputs": [{"name": "X", "shape": [n, d], "datatype": "FP64", "data": [...]}, ...], "outputs": [...]}

With the header ``Inference-Header-Content-Length`` the JSON text has that many bytes and the numbers of tensors with
``parameters.binary_data_size`` follow it, in order, little-endian; texts each with their length in four bytes.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.serve.errors import RequestError

TYPES = {
    "BOOL": np.bool_,
    "UINT8": np.uint8,
    "UINT16": np.uint16,
    "UINT32": np.uint32,
    "UINT64": np.uint64,
    "INT8": np.int8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "FP16": np.float16,
    "FP32": np.float32,
    "FP64": np.float64,
}
MAX_ENTRY = 1e100  #: size of an entry of X, so that sums of products stay finite
_FEW = 4096  # entries
_NO_ROOM = "There are fewer bytes in the body than the tensors have."


@dataclass
class Asked:
    """A request for rows: to predict, or with labels to learn."""

    X: NDArray[np.float64] | None
    labels: list[Any] | None = None
    id: str | None = None
    prediction: str | None = None  #: the id of an earlier prediction whose labels these are
    remember: bool = False
    outputs: list[str] | None = None  #: names of the outputs wanted; None: all
    binary: set[str] = field(default_factory=set)  #: outputs wanted as bytes; "*" for all


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is not a number that JSON has")


_decode = json.JSONDecoder(parse_constant=_refuse).decode


def parse(body: bytes) -> Any:
    """The JSON value of a body; a sentence if it is none."""
    try:
        return _decode(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        said = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise RequestError(f"The body is not JSON: {said[:200]}.") from None


def read_request(body: bytes, header: str | None) -> Asked:
    """The request in a JSON body, with or without binary tensors behind it."""
    rest = memoryview(b"")
    if header is not None:
        if not header.isascii() or not header.isdecimal() or int(header) > len(body):
            raise RequestError(
                f"Inference-Header-Content-Length must be a number up to {len(body)}; got {header[:40]!r}."
            )
        rest = memoryview(body)[int(header) :]
        body = body[: int(header)]
    document = parse(body)
    if not isinstance(document, dict):
        raise RequestError("The body must be a JSON object with 'inputs'.")
    inputs = document.get("inputs")
    if not isinstance(inputs, list) or not 1 <= len(inputs) <= 16:
        raise RequestError("'inputs' must be a list of tensors: 'X' with rows, and 'y' with labels to learn.")
    tensors: dict[str, Any] = {}
    for tensor in inputs:
        name, value, rest = _tensor(tensor, rest)
        if name in tensors:
            raise RequestError(f"There are two tensors named {name[:40]!r}.")
        tensors[name] = value
    if len(rest):
        raise RequestError(f"{len(rest)} bytes follow the last tensor.")
    asked = Asked(None)
    _common(asked, document)
    if "y" in tensors:
        asked.labels = _labels(tensors.pop("y"))
    if len(tensors) > 1 and "X" not in tensors:
        raise RequestError(f"The tensor with the rows is named 'X'; got {sorted(tensors)[:5]}.")
    if tensors:
        asked.X = as_rows(tensors["X"] if "X" in tensors else next(iter(tensors.values())))
    return asked


def _common(asked: Asked, document: dict[str, Any]) -> None:
    """Read the fields of a request other than its tensors."""
    asked.id = _text(document.get("id"), "id")
    parameters = document.get("parameters")
    if parameters is not None:
        if not isinstance(parameters, dict):
            raise RequestError("'parameters' must be an object.")
        asked.prediction = _text(parameters.get("prediction"), "parameters.prediction")
        asked.remember = parameters.get("remember") is True
        if parameters.get("binary_data_output") is True:
            asked.binary.add("*")
    outputs = document.get("outputs")
    if outputs is not None:
        if not isinstance(outputs, list) or len(outputs) > 16:
            raise RequestError("'outputs' must be a list of names of outputs.")
        asked.outputs = []
        for output in outputs:
            if not isinstance(output, dict) or not isinstance(output.get("name"), str):
                raise RequestError("Each of 'outputs' must be an object with a 'name'.")
            asked.outputs.append(output["name"])
            own = output.get("parameters")
            if isinstance(own, dict) and own.get("binary_data") is True:
                asked.binary.add(output["name"])


def _text(value: Any, name: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not 0 < len(value) <= 200:
        raise RequestError(f"'{name}' must be a text of 1 to 200 characters.")
    return value


def _tensor(tensor: Any, rest: memoryview) -> tuple[str, Any, memoryview]:
    """Name and value of a tensor, and the bytes after it."""
    if not isinstance(tensor, dict):
        raise RequestError("Each of 'inputs' must be an object: name, shape, datatype, data.")
    name, shape, kind = tensor.get("name"), tensor.get("shape"), tensor.get("datatype")
    if not isinstance(name, str):
        raise RequestError("A tensor has no name.")
    if (
        not isinstance(shape, list)
        or not 1 <= len(shape) <= 8
        or not all(type(size) is int and 0 <= size < 2**40 for size in shape)
    ):
        raise RequestError(f"The shape of the tensor {name[:40]!r} must be a list of sizes.")
    if kind != "BYTES" and kind not in TYPES:
        raise RequestError(
            f"The datatype of the tensor {name[:40]!r} is {str(kind)[:40]!r}; there is no such type."
        )
    count = math.prod(shape)
    own = tensor.get("parameters")
    size = own.get("binary_data_size") if isinstance(own, dict) else None
    if size is not None:
        if type(size) is not int or not 0 <= size <= len(rest):
            raise RequestError(_NO_ROOM)
        return name, _binary(name, rest[:size], kind, shape, count), rest[size:]
    data = tensor.get("data")
    if not isinstance(data, list):
        raise RequestError(f"The tensor {name[:40]!r} has no 'data'.")
    if kind == "BYTES":
        flat = _flat(data, count)
        if len(flat) != count or not all(isinstance(value, str) for value in flat):
            raise RequestError(f"The tensor {name[:40]!r} must hold {count} texts.")
        return name, flat, rest
    return name, _numbers(name, data, kind, shape, count), rest


def _flat(data: list[Any], count: int) -> list[Any]:
    if len(data) == count and not (data and isinstance(data[0], list)):
        return data
    return [value for part in data for value in (part if isinstance(part, list) else [part])]


def _numbers(name: str, data: list[Any], kind: str, shape: list[int], count: int) -> NDArray[Any]:
    """The numbers of a tensor, flat or nested; texts, null and ragged lists are no numbers."""
    try:
        values = np.array(data) if data else np.zeros(0)
    except (ValueError, OverflowError):
        raise RequestError(f"The data of the tensor {name[:40]!r} are not a box of numbers.") from None
    if values.dtype.kind not in "iufb":
        raise RequestError(f"The data of the tensor {name[:40]!r} are not all numbers that a {kind} holds.")
    if values.size != count or (values.ndim > 1 and list(values.shape) != shape):
        raise RequestError(
            f"The tensor {name[:40]!r} has {values.size} numbers; its shape {shape} needs {count}."
        )
    if kind[0] in "IU" and values.dtype.kind == "f":
        whole = np.floor(values)
        if not np.array_equal(whole, values) or np.abs(values).max(initial=0) >= 2**53:
            raise RequestError(
                f"The tensor {name[:40]!r} is of {kind}, but its data are not all whole numbers."
            )
        values = whole.astype(np.int64)
    return values.reshape(shape)


def _binary(name: str, content: memoryview, kind: str, shape: list[int], count: int) -> Any:
    if kind == "BYTES":
        out = []
        while len(content):
            size = int.from_bytes(content[:4], "little")
            if len(content) < 4 + size:
                raise RequestError(_NO_ROOM)
            try:
                out.append(bytes(content[4 : 4 + size]).decode("utf-8"))
            except UnicodeDecodeError:
                raise RequestError(f"A text of the tensor {name[:40]!r} is not UTF-8.") from None
            content = content[4 + size :]
        if len(out) != count:
            raise RequestError(f"The tensor {name[:40]!r} has {len(out)} texts; its shape needs {count}.")
        return out
    dtype = np.dtype(TYPES[kind]).newbyteorder("<")
    if len(content) != count * dtype.itemsize:
        raise RequestError(
            f"The tensor {name[:40]!r} has {len(content)} bytes; its shape {shape} needs another number."
        )
    if kind == "BOOL":
        return (np.frombuffer(content, dtype=np.uint8) != 0).reshape(shape)
    return np.frombuffer(content, dtype=dtype).reshape(shape)


def as_rows(values: Any) -> NDArray[np.float64]:
    """Rows X (n, d) as float64, every entry finite; a sentence for the first that is not."""
    if not isinstance(values, np.ndarray):
        raise RequestError("The rows must be numbers, not texts.")
    if values.ndim != 2 or not values.size:
        raise RequestError(
            f"The rows must have the shape [rows, columns], with at least one; got {list(values.shape)}."
        )
    wide = values.dtype.kind in "iu" and values.dtype.itemsize == 8
    if wide and (values.max() > 2**53 or values.min() < -(2**53)):
        raise RequestError("The rows hold integers beyond 2^53, which float64 does not hold.")
    X = np.ascontiguousarray(values, dtype=np.float64)
    flat = X.ravel()
    # One product settles it for a few ordinary rows; what is not finite makes it so, too.
    few = X.size <= _FEW and flat.dot(flat) <= MAX_ENTRY
    if not few and not max(X.max(), -X.min()) <= MAX_ENTRY:
        row, column = (int(place) for place in np.argwhere(~(np.abs(X) <= MAX_ENTRY))[0])
        raise RequestError(
            f"Row {row}, column {column} is {X[row, column]}; entries must be finite and at most {MAX_ENTRY:g} in size."
        )
    return X


def _labels(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    if value.ndim == 2 and value.shape[1] == 1:
        value = value[:, 0]
    if value.ndim != 1:
        raise RequestError(f"The labels 'y' must have the shape [rows]; got {list(value.shape)}.")
    return list(value.tolist())


def output(name: str, values: Any, kind: str, binary: bool) -> tuple[dict[str, Any], bytes]:
    """A tensor of an answer: its description, with the data or with their bytes."""
    shape = [len(values)] if isinstance(values, list) else list(values.shape)
    described: dict[str, Any] = {"name": name, "shape": shape, "datatype": kind}
    if not binary:
        flat = values if isinstance(values, list) else values.ravel().tolist()
        return {**described, "data": flat}, b""
    if kind == "BYTES":
        texts = [value.encode() for value in values]
        content = b"".join(len(text).to_bytes(4, "little") + text for text in texts)
    else:
        content = np.ascontiguousarray(values, dtype=np.dtype(TYPES[kind]).newbyteorder("<")).tobytes()
    return {**described, "parameters": {"binary_data_size": len(content)}}, content
