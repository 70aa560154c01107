"""Modules that are imported when something of them is first used: scikit-learn asks for them, but no fit uses them.

`sklearn.base` imports `scipy.stats` and, where it is installed, `pandas`: together most of the time in which a small
file could be read, fitted and proved. The program, whose process is its own, lets them wait. The library never does:
there the import system belongs to the user.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class _Postponed(ModuleType):
    """Stands for a module until an attribute of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        own = self.__name__
        if own not in sys.modules:  # the import system is about to put it there
            raise AttributeError(name)
        if sys.modules.get(own) is self:
            del sys.modules[own]
            # Whoever has imported this object sees the real module through it.
            self.__dict__.update(importlib.import_module(own).__dict__)
        return getattr(sys.modules[own], name)


class _Loader(Loader):
    """Makes the object that stands for a module."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a stand-in."""
        return _Postponed(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing yet."""


class _Finder:
    """Finds a stand-in the first time that a module is imported, and leaves the second time to others."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the stand-in's specification, where the module is one of those that wait, and exists."""
        if name not in self._names:
            return None
        self._names.remove(name)
        return None if importlib.util.find_spec(name) is None else ModuleSpec(name, _Loader())


def postpone(*names: str) -> None:
    """Let the import of these modules wait for their first use; those that are loaded or missing stay as they are.

    >>> postpone("this")
    >>> import this
    """
    sys.meta_path.insert(0, _Finder({name for name in names if name not in sys.modules}))
