"""separatrix: classifiers that prove their answer.

The names below load their parts on first use, so that ``import separatrix`` costs next to nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from separatrix import kernels as kernels
    from separatrix import validation as validation
    from separatrix.audit import audit as audit
    from separatrix.data.convert import convert as convert
    from separatrix.data.read import read as read
    from separatrix.errors import IndefiniteKernelError as IndefiniteKernelError
    from separatrix.errors import InseparableError as InseparableError
    from separatrix.errors import ModelFileError as ModelFileError
    from separatrix.errors import NotConvergedError as NotConvergedError
    from separatrix.errors import ParameterError as ParameterError
    from separatrix.models.file import load as load
    from separatrix.models.file import save as save
    from separatrix.models.onnx_export import to_onnx as to_onnx
    from separatrix.perceptron.estimator import Perceptron as Perceptron
    from separatrix.proof.certificate import Certificate as Certificate
    from separatrix.proof.verify import verify as verify
    from separatrix.separability import separability as separability
    from separatrix.separation import check_separation as check_separation
    from separatrix.separation import warn_on_separation as warn_on_separation
    from separatrix.streaming import stream as stream
    from separatrix.svm.path import path as path
    from separatrix.svm.svc import SVC as SVC
    from separatrix.validation.calibration import calibrate as calibrate
    from separatrix.validation.search import search as search
    from separatrix.validation.select import SVCCV as SVCCV

__version__ = "0.1.0"

_HOMES = {
    "SVC": "separatrix.svm.svc",
    "SVCCV": "separatrix.validation.select",
    "path": "separatrix.svm.path",
    "Perceptron": "separatrix.perceptron.estimator",
    "stream": "separatrix.streaming",
    "audit": "separatrix.audit",
    "calibrate": "separatrix.validation.calibration",
    "save": "separatrix.models.file",
    "load": "separatrix.models.file",
    "to_onnx": "separatrix.models.onnx_export",
    "convert": "separatrix.data.convert",
    "read": "separatrix.data.read",
    "search": "separatrix.validation.search",
    "separability": "separatrix.separability",
    "check_separation": "separatrix.separation",
    "warn_on_separation": "separatrix.separation",
    "Certificate": "separatrix.proof.certificate",
    "verify": "separatrix.proof.verify",
    "IndefiniteKernelError": "separatrix.errors",
    "InseparableError": "separatrix.errors",
    "ModelFileError": "separatrix.errors",
    "NotConvergedError": "separatrix.errors",
    "ParameterError": "separatrix.errors",
}

#: Parts that are used by their own name: ``separatrix.validation.Holdout``.
_ROOMS = ("kernels", "validation")

__all__ = [
    "SVC",
    "SVCCV",
    "Certificate",
    "IndefiniteKernelError",
    "InseparableError",
    "ModelFileError",
    "NotConvergedError",
    "ParameterError",
    "Perceptron",
    "__version__",
    "audit",
    "calibrate",
    "check_separation",
    "convert",
    "kernels",
    "load",
    "path",
    "read",
    "save",
    "search",
    "separability",
    "stream",
    "to_onnx",
    "validation",
    "verify",
    "warn_on_separation",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for (PEP 562)."""
    if name in _ROOMS:
        return import_module(f"separatrix.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'separatrix' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_ROOMS})


class _Package(ModuleType):
    """Keeps a room from hiding the function of the same name: `separatrix.audit` is a function to users."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
