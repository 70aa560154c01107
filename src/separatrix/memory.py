"""Memory that this process may still take: the least of what the system, its control group and its limits leave.

And how much of what it has freed it keeps for the next fit.
"""

from __future__ import annotations

import math
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

try:
    import resource
except ImportError:  # no POSIX system
    resource = None  # type: ignore[assignment]

_SYSTEM = Path("/proc/meminfo")
_OWN = Path("/proc/self")
_GROUPS = Path("/sys/fs/cgroup")
_KEPT = 1 << 24  # bytes; half of what is kept at most
_TRIFLE = 1 << 20  # bytes for which it is not worth the 0.7 ms to ask what is left
MEGABYTE = 1e6


def available_memory() -> float:
    """Bytes; infinite where nothing is known.

    >>> available_memory() > 0
    True
    """
    return min(_left_in_system(), _left_in_group(), _left_of_limits())


def require_memory(needed: float, purpose: str) -> None:
    """Raise MemoryError with a sentence if ``needed`` bytes are not there.

    A system may promise memory it does not have, and end the process when it is used: better to say so before.

    >>> require_memory(1e18, "This verdict")
    Traceback (most recent call last):
    ...
    MemoryError: This verdict needs about 1,000,000,000,000 MB of memory; ... MB are left.
    """
    if needed < _TRIFLE:
        return
    left = available_memory()
    if needed > left:
        raise MemoryError(
            f"{purpose} needs about {needed / MEGABYTE:,.0f} MB of memory; {left / MEGABYTE:,.0f} MB are left."
        )


@cache
def keep_freed_memory() -> None:
    """Let the C library keep a few megabytes of freed memory rather than return them after every fit.

    Without it a second fit to 60,000 rows of 8 columns takes 3,400 page faults and a fifth more CPU time (59 ms instead
    of 47); fits to 5,000 rows or fewer take none either way. glibc returns what is free at the end of its heap once
    that is more than twice the largest block freed so far; one block of 16 MiB, never touched, is freed here, once in a
    process (docs/decisions/2026-11-17-freed-memory.md). Elsewhere than on glibc this does nothing.
    """
    with suppress(MemoryError):
        np.empty(_KEPT, dtype=np.uint8)


def _left_in_system() -> float:
    return 1024.0 * _field(_SYSTEM, "MemAvailable:")


def _left_in_group() -> float:
    """Memory that the control group of the process leaves, of version 2 or 1; its cached pages can be dropped."""
    left = math.inf
    for line in _lines(_OWN / "cgroup"):
        _, kinds, path = [*line.split(":", 2), "", ""][:3]
        if kinds == "":
            folder, limit, used, cached = _GROUPS, "memory.max", "memory.current", "file"
        elif "memory" in kinds.split(","):
            folder, limit, used, cached = (
                _GROUPS / "memory",
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "cache",
            )
        else:
            continue
        folder = folder / path.lstrip("/")
        most, now = (_number(folder / name) for name in (limit, used))
        if math.isfinite(most) and math.isfinite(now):
            left = min(left, most - now + _field(folder / "memory.stat", cached, 0.0))
    return left


def _left_of_limits() -> float:
    if resource is None:
        return math.inf
    left = math.inf
    for kind, field in ((resource.RLIMIT_AS, "VmSize:"), (resource.RLIMIT_DATA, "VmData:")):
        most = resource.getrlimit(kind)[0]
        if most != resource.RLIM_INFINITY:
            left = min(left, most - 1024.0 * _field(_OWN / "status", field, 0.0))
    return left


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


def _field(path: Path, name: str, otherwise: float = math.inf) -> float:
    """The number after a name in a file of such lines."""
    for line in _lines(path):
        words = line.split()
        if words[:1] == [name]:
            return float(words[1])
    return otherwise


def _number(path: Path) -> float:
    """The number that a file holds; infinite for the word max, or where there is no file."""
    text = "".join(_lines(path)).strip()
    return float(text) if text.isdecimal() else math.inf
