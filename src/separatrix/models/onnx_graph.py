"""A small builder of ONNX graphs: constants and nodes are named in the order they are added."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import ModelFileError, with_hint

_OPSET = 17  # onnxruntime 1.12 and later


class Graph:
    """Nodes and constants so far. ``add`` returns the name of a node's output."""

    def __init__(self) -> None:
        try:
            import onnx
        except ImportError:
            raise with_hint(
                ModelFileError, "to_onnx needs the package onnx.", "pip install 'separatrix[onnx]'"
            ) from None
        self._onnx: Any = onnx
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._label_type: Any = None

    def add(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """A node; ``to="float64"`` and the like become ONNX types."""
        name = output or f"{operator.lower()}_{len(self._nodes)}"
        if "to" in attributes:
            attributes["to"] = self._type(attributes["to"])
        self._nodes.append(self._onnx.helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def reals(self, values: Any) -> str:
        """A float64 array."""
        return self._constant(np.array(values, dtype=np.float64, order="C"))

    def real(self, value: float) -> str:
        """A float64 number, shape ()."""
        return self._constant(np.array(value, dtype=np.float64))

    def integers(self, values: list[int]) -> str:
        """An int64 array."""
        return self._constant(np.array(values, dtype=np.int64))

    def labels(self, classes: NDArray[Any]) -> str:
        """Class names: integers as int64, floats, booleans or texts."""
        if classes.dtype.kind in "iu":
            classes = classes.astype(np.int64)
        self._label_type = self._type("text" if classes.dtype.kind in "UO" else str(classes.dtype))
        if classes.dtype.kind not in "UO":
            return self._constant(classes)
        texts = [text.encode("utf-8") for text in classes.tolist()]
        tensor = self._onnx.helper.make_tensor("classes", self._onnx.TensorProto.STRING, [len(texts)], texts)
        self._constants.append(tensor)
        return "classes"

    def model(
        self,
        inputs: dict[str, tuple[str, list[Any]]],
        outputs: dict[str, tuple[str, list[Any]]],
        notes: dict[str, str],
    ) -> Any:
        """The checked model. Types are "float64", "float32" or "label" (that of the classes)."""
        helper = self._onnx.helper
        values = [
            [
                helper.make_tensor_value_info(
                    name, self._label_type if kind == "label" else self._type(kind), shape
                )
                for name, (kind, shape) in group.items()
            ]
            for group in (inputs, outputs)
        ]
        graph = helper.make_graph(self._nodes, "separatrix", values[0], values[1], self._constants)
        made = helper.make_model(
            graph, producer_name="separatrix", opset_imports=[helper.make_opsetid("", _OPSET)]
        )
        made.ir_version = 8
        helper.set_model_props(made, notes)
        self._onnx.checker.check_model(made)
        return made

    def _constant(self, array: NDArray[Any]) -> str:
        name = f"constant_{len(self._constants)}"
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def _type(self, kind: str) -> int:
        types = self._onnx.TensorProto
        known = {"float64": types.DOUBLE, "float32": types.FLOAT, "int64": types.INT64}
        known |= {"bool": types.BOOL, "text": types.STRING, "float16": types.FLOAT16}
        return int(known[kind])
