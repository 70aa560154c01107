"""Numbers, vectors and kernels as a certificate writes them (docs/certificate-format.md, sections 2 and 5)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.checker import kernels as exact
from separatrix.checker.numbers import Rejected
from separatrix.problem.kernels import KERNELS, Combines, Kernel, Precomputed, number
from separatrix.problem.scaling import Scaling

_AT_ONCE = 1 << 14  # Python floats made at a time: a list of all takes four times the memory of the vector


def write_real(value: float) -> str:
    """The float as hexadecimal text.

    >>> write_real(1.5), write_real(-0.0)
    ('0x1.8000000000000p+0', '0x0.0p+0')
    """
    if not math.isfinite(value):
        raise ValueError(f"A certificate holds finite numbers only; got {value}.")
    return (float(value) + 0.0).hex()


def write_integer(value: int) -> str:
    """An integer of any size as hexadecimal text (decimal text is slow, and limited, beyond 4300 digits).

    >>> write_integer(-31)
    '-0x1f'
    """
    return hex(value)


def write_vector(
    values: NDArray[np.float64], places: NDArray[np.intp] | None = None, length: int | None = None
) -> dict[str, Any]:
    """A vector of reals by its nonzero entries; ``values[i]`` stands at ``places[i]`` of ``length``, increasing.

    >>> write_vector(np.array([0.0, 2.0]))
    {'length': 2, 'indices': [1], 'values': ['0x1.0000000000000p+1']}
    """
    used = np.flatnonzero(values)
    indices = used if places is None else np.asarray(places)[used]
    size = len(values) if length is None else length
    entries, texts = np.asarray(values, dtype=np.float64)[used], list[str]()
    written = lru_cache(maxsize=16)(float.hex)  # most alphas are one C or the other, whose text is kept once
    for start in range(0, len(entries), _AT_ONCE):
        texts.extend(map(written, entries[start : start + _AT_ONCE].tolist()))
    if not {"inf", "-inf", "nan"}.isdisjoint(texts):
        raise ValueError("A certificate holds finite numbers only.")
    return _written(size, indices.tolist(), texts)


def write_scaling(scaling: Scaling) -> dict[str, Any]:
    """Shift and factor of every column."""
    return {"shift": write_vector(scaling.shift), "factor": write_vector(scaling.factor)}


def write_integers(values: Sequence[int]) -> dict[str, Any]:
    """A vector of integers by its nonzero entries.

    >>> write_integers([0, -3])
    {'length': 2, 'indices': [1], 'values': ['-0x3']}
    """
    used = [j for j, value in enumerate(values) if value]
    return _written(len(values), used, [write_integer(int(values[j])) for j in used])


def write_weights(rows: Iterable[int], values: Iterable[int], length: int) -> dict[str, Any]:
    """Integers on some of the rows, in any order.

    >>> write_weights([4, 1], [2, 1], 6)
    {'length': 6, 'indices': [1, 4], 'values': ['0x1', '0x2']}
    """
    pairs = sorted(zip(map(int, rows), map(int, values), strict=True))
    used = [(row, value) for row, value in pairs if value]
    return _written(length, [row for row, _ in used], [write_integer(value) for _, value in used])


def _written(length: int, indices: list[int], texts: list[str]) -> dict[str, Any]:
    if len(texts) == length:
        return {"length": length, "values": texts}
    return {"length": length, "indices": indices, "values": texts}


def round_up(value: Fraction) -> float:
    """The smallest float not below value.

    >>> round_up(Fraction(1, 3)) > Fraction(1, 3) > math.nextafter(round_up(Fraction(1, 3)), 0)
    True
    """
    try:
        near = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.nextafter(math.inf, 0.0)
    return near if near >= value else math.nextafter(near, math.inf)


def round_down(value: Fraction) -> float:
    """The largest float not above value."""
    return -round_up(-value)


def write_kernel(kernel: Kernel) -> dict[str, Any]:
    """The JSON form; a function of the caller's has a name and nothing else. Raises a sentence where there is none.

    >>> from separatrix.kernels import Linear
    >>> write_kernel(2 * Linear())
    {'name': 'scaled', 'factor': '0x1.0000000000000p+1', 'parts': [{'name': 'linear'}]}
    """
    record = _kernel_record(kernel)
    try:
        exact.read_kernel(record)
    except Rejected as rejection:
        raise ValueError(f"No certificate can be made with this kernel: {rejection}") from None
    return record


def _kernel_record(kernel: Any) -> dict[str, Any]:
    record: dict[str, Any] = {"name": kernel.name}
    values = {f.name: getattr(kernel, f.name) for f in fields(KERNELS.get(kernel.name, Precomputed))}
    parts = [_kernel_record(value) for value in values.values() if isinstance(value, Combines)]
    for name, value in values.items():
        if name == "degree":
            record[name] = int(value)
        elif not isinstance(value, Combines):
            record[name] = write_real(number(value))
    return {**record, "parts": parts} if parts else record


def build_kernel(kernel: exact.Kernel) -> Kernel:
    """The kernel that a certificate speaks of; a function of the caller's is known by its values alone."""
    kind = KERNELS.get(kernel.name, Precomputed)
    numbers = [getattr(kernel, f.name) for f in fields(kind) if hasattr(kernel, f.name)]
    built: Kernel = kind(*numbers, *map(build_kernel, kernel.parts))
    return built
