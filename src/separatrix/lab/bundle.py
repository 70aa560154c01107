"""The page's modules as one, and its sheets as one: what a notebook and a page without a server need.

Modules are joined in the order of their imports, each in a function of its own, so that names stay apart; an import
becomes a look into what the other module has exported.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

FOLDER = Path(__file__).parent / "static" / "js"
SHEETS = ("lab", "perceptron", "margin", "kernels", "teach", "recorded")  #: as `index.html` links them
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w./]+)";$', re.MULTILINE)
_NAMED = re.compile(r"^export \{([^}]*)\};$", re.MULTILINE)
_COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)  # a line of its own
_EXPORT = re.compile(r"^export (?=(async function|function|class|const) (\w+))", re.MULTILINE)


def stylesheet() -> str:
    """All sheets of the page as the text of one."""
    return "\n".join((FOLDER.parent / "css" / f"{name}.css").read_text(encoding="utf-8") for name in SHEETS)


def checker() -> Path:
    """The folder of the second checker: inside an installed package, in the repository beside it."""
    inside = Path(__file__).parent / "checkers" / "javascript"
    return inside if inside.is_dir() else Path(__file__).parents[3] / "checkers" / "javascript"


def bundle(entry: str) -> str:
    """The module ``entry`` and all it imports as the text of one module without imports.

    Its own ``export default`` is kept. Modules of ``checker/`` are those of the second checker.
    """
    texts: dict[str, str] = {}
    _visit(entry, texts)
    last = _looked_up(entry, texts.pop(entry))
    return "const modules = {};\n" + "".join(_wrapped(*each) for each in texts.items()) + last


def _visit(name: str, texts: dict[str, str]) -> None:
    """Add a module's text behind those of all it imports."""
    own = name.removeprefix("checker/")
    text = (FOLDER / name if own == name else checker() / own).read_text(encoding="utf-8")
    for _, other in _IMPORT.findall(text):
        path = _place(name, other)
        if path not in texts:
            _visit(path, texts)
    texts[name] = _COMMENT.sub("", text)


def _place(name: str, other: str) -> str:
    """Path of ``other``, as module ``name`` imports it, in the folder of all modules.

    >>> _place("views/risk.js", "../draw/dom.js")
    'draw/dom.js'
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), other))


def _wrapped(name: str, text: str) -> str:
    exported = [found[1] for found in _EXPORT.findall(text)]
    exported += [each.strip() for names in _NAMED.findall(text) for each in names.split(",")]
    body = _NAMED.sub("", _EXPORT.sub("", _looked_up(name, text)))
    return f"modules[{name!r}] = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();\n"


def _looked_up(name: str, text: str) -> str:
    return _IMPORT.sub(lambda found: f"const {{{found[1]}}} = modules[{_place(name, found[2])!r}];", text)
