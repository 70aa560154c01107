"""The page's modules as one: what a notebook needs, which loads a single file.

Modules are joined in the order of their imports, each in a function of its own, so that names stay apart; an import
becomes a look into what the other module has exported.
"""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parent / "static" / "js"
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w.]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(async function|function|class|const) (\w+))", re.MULTILINE)


def bundle(entry: str, folder: Path = FOLDER) -> str:
    """The module ``entry`` and all it imports as the text of one module without imports.

    Its own ``export default`` is kept.
    """
    order: list[str] = []
    _visit(entry, folder, order)
    parts = [_wrapped(name, (folder / name).read_text(encoding="utf-8")) for name in order[:-1]]
    last = _looked_up((folder / entry).read_text(encoding="utf-8"))
    return "const modules = {};\n" + "".join(parts) + last


def _visit(name: str, folder: Path, order: list[str]) -> None:
    for _, other in _IMPORT.findall((folder / name).read_text(encoding="utf-8")):
        if other not in order:
            _visit(other, folder, order)
    order.append(name)


def _wrapped(name: str, text: str) -> str:
    exported = [found[1] for found in _EXPORT.findall(text)]
    body = _EXPORT.sub("", _looked_up(text))
    return f"modules[{name!r}] = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();\n"


def _looked_up(text: str) -> str:
    return _IMPORT.sub(lambda found: f"const {{{found[1]}}} = modules[{found[2]!r}];", text)
