"""The online perceptron between the log and the predictions: rows in, what it said of them before, and its bytes."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import ModelFileError
from separatrix.models.file import model_from_tensors, model_tensors
from separatrix.models.online import write_online
from separatrix.models.tensors import Arrays, read_tensors, write_tensors
from separatrix.perceptron.estimator import Perceptron
from separatrix.perceptron.partial_fit import begin, can_learn_online, learn_batch
from separatrix.serve.errors import RequestError
from separatrix.serve.labels import as_array, kind_of
from separatrix.serve.predictors import Predictor, of_online

_TENSOR = "serve"  # of a snapshot: where in the log it was made
MAX_CLASSES = 10_000


class Learner:
    """A perceptron that learns what the log says, in order. ``rows`` and ``mistakes`` count since the log began."""

    def __init__(self, model: Perceptron, rows: int = 0, mistakes: int = 0) -> None:
        self.model, self.rows, self.mistakes = model, rows, mistakes
        kind = kind_of(model.classes_)
        if kind is None:
            raise ModelFileError("The classes of a model that learns are numbers, texts, or true and false.")
        self.kind: str = kind
        can_learn_online(model)
        if model._online is None:
            model._online = begin(model, np.zeros((1, model.n_features_in_)))
        model._online.stop_recording()

    @property
    def columns(self) -> int:
        """Columns of a row."""
        return int(self.model.n_features_in_)

    @property
    def updates(self) -> int:
        """Updates of the model in its whole life."""
        return int(self._online.model.updates)

    @property
    def bound(self) -> float:
        """The most updates that the rows of its whole life can have caused."""
        return float(self._online.model.bound())

    @property
    def _online(self) -> Any:
        assert self.model._online is not None
        return self.model._online

    def new_classes(self, names: list[Any]) -> None:
        """Raise a sentence if these labels would make too many classes; nothing is changed."""
        known = self._online.codes
        if len(known) + len({name for name in names if name not in known}) > MAX_CLASSES:
            raise RequestError(f"A model has at most {MAX_CLASSES:,} classes; these rows would bring more.")

    def learn(self, X: NDArray[np.float64], names: list[Any]) -> list[Any]:
        """Predict each row (n, d), then learn it; the predictions as class names."""
        labels = as_array(names, self.kind)
        predicted = learn_batch(self.model, X, labels, None)
        said: list[Any] = self._online.labels[predicted].tolist()
        self.rows += len(names)
        self.mistakes += sum(a != b for a, b in zip(said, names, strict=True))
        return said

    def predictor(self) -> Predictor:
        """The model as it is now, for readers."""
        return of_online(self._online, self.columns)

    def fingerprint(self) -> str:
        """SHA-256 of all that learning changes: two models with the same one are the same, bit for bit."""
        arrays: Arrays = {}
        record = write_online(self._online, arrays)
        record["records"] = []
        total = hashlib.sha256(json.dumps([record, self.rows, self.mistakes], sort_keys=True).encode())
        for name in sorted(arrays):
            total.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}\n".encode())
            total.update(np.ascontiguousarray(arrays[name]).tobytes())
        return total.hexdigest()

    def tensors(self, seq: int, chain: bytes) -> Arrays:
        """The model file of a snapshot: the model, and its place in the log."""
        place = {"seq": seq, "chain": chain.hex(), "rows": self.rows, "mistakes": self.mistakes}
        text = json.dumps(place).encode("ascii")
        return {**model_tensors(self.model), _TENSOR: np.frombuffer(text, dtype=np.uint8)}

    def content(self, seq: int, chain: bytes) -> bytes:
        """The snapshot as bytes."""
        file = io.BytesIO()
        write_tensors(self.tensors(seq, chain), file)
        return file.getvalue()


def read_snapshot(content: bytes) -> tuple[Learner, int, bytes]:
    """The learner of a snapshot or of a model file, with its place in the log: number and chain.

    A model file that is no snapshot has the place 0 and no chain.
    """
    arrays = read_tensors(content)
    place = arrays.pop(_TENSOR, None)
    model = model_from_tensors(arrays)
    if not isinstance(model, Perceptron):
        raise ModelFileError("A learner is a Perceptron.")
    if place is None:
        return Learner(model), 0, b""
    try:
        known = json.loads(place.tobytes())
        seq, chain = int(known["seq"]), bytes.fromhex(known["chain"])
        return Learner(model, int(known["rows"]), int(known["mistakes"])), seq, chain
    except (ValueError, KeyError, TypeError):
        raise ModelFileError("The snapshot does not say where in the log it was made.") from None
