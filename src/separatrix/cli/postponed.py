"""Modules that are imported when something of them is first used: scikit-learn asks for them, but no fit uses them.

`sklearn.base` imports `scipy.stats` and, where it is installed, `pandas`: together most of the time in which a small
file could be read, fitted and proved. The program, whose process is its own, lets them wait. The library never does:
there the import system belongs to the user.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any


class _Postponed(ModuleType):
    """Stands for a module until an attribute of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        own = self.__name__
        if sys.modules.get(own) is self:
            del sys.modules[own]
            # Whoever has imported this object sees the real module through it.
            self.__dict__.update(importlib.import_module(own).__dict__)
        return getattr(sys.modules[own], name)


def postpone(*names: str) -> None:
    """Let the import of these modules wait for their first use; those that are loaded or missing stay as they are.

    >>> postpone("this")
    >>> import this
    """
    for name in names:
        if name in sys.modules:
            continue
        spec = importlib.util.find_spec(name)
        if spec is not None:
            module = _Postponed(name, "Not yet imported.")
            module.__spec__ = spec
            sys.modules[name] = module
            parent, _, child = name.rpartition(".")
            if parent:
                setattr(sys.modules[parent], child, module)
