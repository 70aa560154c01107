"""Python starts with the core that `make sanitize` has built, in place of the installed one.

Python imports a module of this name as it starts, so the processes that tests start get that core too.
SANITIZED_CORE names its file.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec
from typing import Any

CORE = os.environ.get("SANITIZED_CORE")


class SanitizedCore:
    """Finds `separatrix._core` and nothing else."""

    @staticmethod
    def find_spec(name: str, *_: Any) -> ModuleSpec | None:
        """The module in the file CORE; None for every other name."""
        assert CORE is not None
        return importlib.util.spec_from_file_location(name, CORE) if name == "separatrix._core" else None


if CORE is not None:
    sys.meta_path.insert(0, SanitizedCore)
