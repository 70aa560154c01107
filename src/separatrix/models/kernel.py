"""Kernels in a model file: a record with the kernel's name and numbers; sums and products hold records in turn."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from separatrix.errors import ModelFileError, with_hint
from separatrix.models.fields import Fields
from separatrix.problem.kernels import KERNELS, Kernel

_DEEPEST = 50


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
