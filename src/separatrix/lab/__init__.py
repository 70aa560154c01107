"""The lab: a page on this machine where points can be put down and every algorithm of the subject watched.

`separatrix lab` serves it; `separatrix.lab.Widget` shows the same in a notebook. The solver stays here, in Python;
the page shows the library's own numbers and draws them. `separatrix.lab.export_page` makes a page that needs no solver.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from separatrix.lab.export.exported import export_page as export_page
    from separatrix.lab.widget import Widget as Widget

__all__ = ["Widget", "export_page"]
_HOMES = {"Widget": "separatrix.lab.widget", "export_page": "separatrix.lab.export.exported"}


def __getattr__(name: str) -> Any:
    """Load a part, and with it what it needs (anywidget, NumPy), when it is first asked for (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'separatrix.lab' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
