"""The page's modules as one, and its sheets as one: what a notebook and a page without a server need.

Modules are joined in the order of their imports, each in a function of its own, so that names stay apart; an import
becomes a look into what the other module has exported.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

FOLDER = Path(__file__).parent / "static" / "js"
SHEETS = ("lab", "perceptron", "margin", "kernels", "teach")  #: as `index.html` links them
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w./]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(async function|function|class|const) (\w+))", re.MULTILINE)


def stylesheet() -> str:
    """All sheets of the page as the text of one."""
    return "\n".join((FOLDER.parent / "css" / f"{name}.css").read_text(encoding="utf-8") for name in SHEETS)


def bundle(entry: str, folder: Path = FOLDER) -> str:
    """The module ``entry`` and all it imports as the text of one module without imports.

    Its own ``export default`` is kept.
    """
    order: list[str] = []
    _visit(entry, folder, order)
    parts = [_wrapped(name, (folder / name).read_text(encoding="utf-8")) for name in order[:-1]]
    last = _looked_up(entry, (folder / entry).read_text(encoding="utf-8"))
    return "const modules = {};\n" + "".join(parts) + last


def _visit(name: str, folder: Path, order: list[str]) -> None:
    for _, other in _IMPORT.findall((folder / name).read_text(encoding="utf-8")):
        path = _place(name, other)
        if path not in order:
            _visit(path, folder, order)
    order.append(name)


def _place(name: str, other: str) -> str:
    """Where ``other``, as module ``name`` imports it, is in the folder of all modules.

    >>> _place("views/risk.js", "../draw/dom.js")
    'draw/dom.js'
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), other))


def _wrapped(name: str, text: str) -> str:
    exported = [found[1] for found in _EXPORT.findall(text)]
    body = _EXPORT.sub("", _looked_up(name, text))
    return f"modules[{name!r}] = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();\n"


def _looked_up(name: str, text: str) -> str:
    return _IMPORT.sub(lambda found: f"const {{{found[1]}}} = modules[{_place(name, found[2])!r}];", text)
