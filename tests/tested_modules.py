"""Finds the tests of a module, or the modules of a test file: python tests/tested_modules.py PATH.

A test file tests the modules that it imports by their own name, and those that its docstring names as `room/module.py`
(a path under src/separatrix). `test_project.py` checks that no module is left out and that no name leads nowhere.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "separatrix"
MODULES = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if path.name != "__init__.py"}
TEST_FILES = sorted(TESTS.rglob("test_*.py"))


def named(test: Path) -> set[str]:
    """The paths that the docstring of a test file names; they need not exist."""
    found = re.findall(r"`([\w/]+\.py)`", ast.get_docstring(ast.parse(test.read_text())) or "")
    return {name for name in found if not name.startswith("test_")}


def imported(test: Path) -> set[str]:
    """The modules that a test file imports by their own name, not by that of a package."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(test.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name.removeprefix("separatrix.").replace(".", "/") + ".py" for name in names} & MODULES


def main(path: str) -> None:
    """Print the other side of a path."""
    wanted = Path(path).resolve()
    if wanted in TEST_FILES:
        print(*sorted(named(wanted) | imported(wanted)), sep="\n")
        return
    module = wanted.relative_to(SOURCE).as_posix()
    for test in TEST_FILES:
        if module in named(test) | imported(test):
            print(test.relative_to(TESTS.parent))


if __name__ == "__main__":
    main(sys.argv[1])
