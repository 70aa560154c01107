"""`SVC` and `Perceptron` on a Dask cluster, with the certificates of one machine.

Partitions stay on the workers. Each worker runs the library's own solver steps on its rows; vectors of the length of
w travel, and sums. The proof is global: its gap is computed from all partitions, and `separatrix.verify` accepts it
on the collected data. Names load on first use: a worker needs no estimator.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from separatrix.dask.perceptron import Perceptron as Perceptron
    from separatrix.dask.svc import SVC as SVC
    from separatrix.dask.workers import WorkerFailureError as WorkerFailureError

_HOMES = {
    "SVC": "separatrix.dask.svc",
    "Perceptron": "separatrix.dask.perceptron",
    "WorkerFailureError": "separatrix.dask.workers",
}

__all__ = ["SVC", "Perceptron", "WorkerFailureError"]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'separatrix.dask' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
