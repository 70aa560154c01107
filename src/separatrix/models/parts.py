"""Parts that the model files of all estimators share: kernels, parameters, histories, certificates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, fields
from typing import Any, TypeVar

import numpy as np

from separatrix.checker.document import FORMAT, json_pieces
from separatrix.errors import ModelFileError, with_hint
from separatrix.fitting.results import Deferred
from separatrix.models.fields import Fields
from separatrix.models.tensors import Arrays, parse_json, read_value, shown, write_value
from separatrix.problem import History, Record, Status
from separatrix.problem.kernels import KERNELS, Kernel
from separatrix.problem.mistakes import MistakeHistory, MistakeRecord
from separatrix.proof.certificate import Certificate, CertificateError

Made = TypeVar("Made")
_DEEPEST = 50  # sums and products within each other that a kernel may have in a file
_FORMAT_1 = with_hint(
    ValueError,
    "The certificate of this model is of format 1, which is no longer read: its claim was not compared with what its "
    "numbers prove.",
    "fit again, or make a new one with: separatrix audit MODEL DATA --certificate FILE",
)
#: Stands for certificates that the reader of a model does not want; no text of JSON is empty.
LEFT_UNREAD = np.empty(0, dtype=np.uint8)


def write_kernel(kernel: Any, depth: int = 0) -> dict[str, Any]:
    """The record of a kernel.

    >>> from separatrix.kernels import Linear, Rbf
    >>> write_kernel(Rbf(0.5) + Linear())
    {'name': 'sum', 'first': {'name': 'rbf', 'gamma': 0.5}, 'second': {'name': 'linear'}}
    """
    if type(kernel) not in KERNELS.values():
        raise with_hint(
            ModelFileError,
            "A model with a kernel function cannot be saved: a file holds numbers, never code.",
            "use a kernel by name, a sum or product of such kernels, or fit to the kernel's values with "
            "kernel='precomputed'",
        )
    if depth > _DEEPEST:
        raise ModelFileError(f"A kernel of more than {_DEEPEST} parts within parts cannot be saved.")
    record: dict[str, Any] = {"name": kernel.name}
    for field in fields(kernel):
        value = getattr(kernel, field.name)
        record[field.name] = value if isinstance(value, int | float | str) else write_kernel(value, depth + 1)
    return record


def read_kernel(record: Fields, *, fixed: bool = True, depth: int = 0) -> Kernel:
    """The kernel of a record; ``fixed``: every width is a number, as after a fit."""
    make = KERNELS[record.text("name", KERNELS)]
    if depth > _DEEPEST:
        raise record.wrong("name", f"a kernel of at most {_DEEPEST} parts within parts", "a deeper one")
    parts: dict[str, Any] = {}
    for field in fields(make):
        name = field.name
        if name in ("first", "second", "kernel"):
            parts[name] = read_kernel(record.record(name), fixed=fixed, depth=depth + 1)
        elif name == "degree":
            parts[name] = record.count(name, most=1 << 20)
        elif name == "gamma" and not fixed and isinstance(record.raw(name), str):
            parts[name] = record.text(name, ("scale", "auto"))
        else:
            parts[name] = record.real(name)
    try:
        kernel: Kernel = make(**parts)
    except ValueError as error:
        raise ModelFileError(f"{record.where} in the model file is no kernel: {error}") from None
    return kernel


def write_parameters(model: Any) -> Any:
    """The parameters of an estimator. A generator of random numbers is left behind: it only matters to a fit."""
    parameters = dict(model.get_params(deep=False))
    kernel = parameters["kernel"]
    if isinstance(parameters.get("random_state"), np.random.RandomState):
        parameters["random_state"] = None
    if isinstance(kernel, str):
        return write_value(parameters, "parameters", {})
    del parameters["kernel"]
    return {**write_value(parameters, "parameters", {}), "kernel": write_kernel(kernel)}


def read_parameters(document: Fields, make: Callable[..., Made], check: Callable[[Any], Any]) -> Made:
    """An estimator that is not fitted yet, with parameters that it accepts."""
    record = document.record("parameters")
    parameters = read_value({"pairs": record.raw("pairs")}, {})
    if not isinstance(parameters, dict) or not all(isinstance(name, str) for name in parameters):
        raise ModelFileError("The parameters in the model file must be values by name.")
    if record.has("kernel"):
        parameters["kernel"] = read_kernel(record.record("kernel"), fixed=False)
    try:
        model = make(**parameters)
        check(model.get_params(deep=False))  # type: ignore[attr-defined]
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"The parameters in the model file are not those of a model: {error}") from None
    return model


def write_history(history: Sequence[Any]) -> Any:
    """The records of a run, each as the list of its values."""
    return [write_value(list(astuple(record)), "history", {}) for record in history]


def read_outcome(record: Fields) -> dict[str, Any]:
    """Return values and history of a fit, by the names that every kind of fit gives them."""
    return {
        **{name: record.real(name, finite=False) for name in ("primal", "dual", "gap")},
        "status": Status(record.text("status", [status.value for status in Status])),
        "n_iter": record.count("n_iter"),
        "history": read_history(record),
    }


def read_history(record: Fields, name: str = "history") -> History:
    """The history of a soft or hard margin."""
    return History(_records(record, name, Record, (float, int, float, float, float, str, str, bool)))


def read_mistake_history(record: Fields, name: str = "history") -> MistakeHistory:
    """The history of a perceptron."""
    return MistakeHistory(_records(record, name, MistakeRecord, (float, int, int, int, int, float)))


def _records(record: Fields, name: str, make: type[Made], kinds: tuple[type, ...]) -> list[Made]:
    lines = record.raw(name)
    if not isinstance(lines, list):
        raise record.wrong(name, "a list of records", lines)
    out = []
    for line in lines:
        values = read_value(line, {})
        if not isinstance(values, list) or len(values) != len(kinds):
            raise record.wrong(name, f"a list of records of {len(kinds)} values", line)
        whole = [float(v) if k is float and type(v) is int else v for v, k in zip(values, kinds, strict=True)]
        if not all(type(value) is kind for value, kind in zip(whole, kinds, strict=True)):
            raise record.wrong(name, f"records of {', '.join(kind.__name__ for kind in kinds)}", line)
        out.append(make(*whole))
    return out


def write_certificates(proofs: Sequence[Deferred[Certificate]], arrays: Arrays) -> Any:
    """The certificates as one JSON text; where there is none, the sentence that says why."""
    entries: list[dict[str, Any]] = []
    for proof in proofs:
        try:
            entries.append({"certificate": proof.get().to_dict()})
        except ValueError as error:
            entries.append({"none": str(error)})
    text = bytearray()
    for piece in json_pieces(entries, sort_keys=False):
        text += piece.encode("ascii")
    return write_value(np.frombuffer(text, dtype=np.uint8), "certificates", arrays)


def read_certificates(document: Fields, count: int) -> list[Deferred[Certificate]]:
    """One for each problem. A certificate that differs from its digest is refused here, before it is used."""
    text = document.array("certificates", (None,), "byte")
    if len(text) == len(LEFT_UNREAD):
        return [failing(ValueError("The certificates of this model were not read with it."))] * count
    entries = parse_json(text.tobytes(), "certificates", _no_float)
    if not isinstance(entries, list) or len(entries) != count:
        raise ModelFileError(f"The model file must have {count} certificates; got {shown(entries)}.")
    return [_certificate(entry) for entry in entries]


def _certificate(entry: Any) -> Deferred[Certificate]:
    match entry:
        case {"certificate": {"format": str(name), "version": 1 as version}} if (
            name == FORMAT and type(version) is int
        ):
            return failing(_FORMAT_1)
        case {"certificate": dict(body)}:
            try:
                certificate = Certificate.from_dict(body)
            except CertificateError as error:
                raise ModelFileError(f"A certificate in the model file is not one: {error}") from None
            return Deferred(lambda: certificate)
        case {"none": str(sentence)}:
            return failing(ValueError(sentence))
    raise ModelFileError(f"A certificate in the model file is not one: {shown(entry)}.")


def failing(error: Exception) -> Deferred[Any]:
    """A value that is not there; asking for it says why."""

    def refuse() -> Any:
        raise error.with_traceback(None)  # the same error each time, and no longer for it

    return Deferred(refuse)


def _no_float(text: str) -> float:
    raise ValueError(f"a certificate holds no JSON float such as {text[:40]}")
