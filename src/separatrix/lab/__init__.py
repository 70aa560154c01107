"""The lab: a page on this machine where points can be put down and every algorithm of the subject watched.

`separatrix lab` serves it; `separatrix.lab.Widget` shows the same in a notebook. The solver stays here, in Python;
the page shows the library's own numbers and draws them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from separatrix.lab.widget import Widget as Widget

__all__ = ["Widget"]


def __getattr__(name: str) -> Any:
    """Load the widget, and with it anywidget, when it is first asked for (PEP 562)."""
    if name != "Widget":
        raise AttributeError(f"module 'separatrix.lab' has no attribute {name!r}")
    from separatrix.lab.widget import Widget

    return Widget
