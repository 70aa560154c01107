"""pytest on the core that `make sanitize` has built, in place of the installed one: sanitized.py CORE ARGUMENTS."""

from __future__ import annotations

import importlib.util
import sys

import pytest


def main(core: str, *arguments: str) -> int:
    spec = importlib.util.spec_from_file_location("separatrix._core", core)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[spec.name] = module
    return pytest.main(list(arguments))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
