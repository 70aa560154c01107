"""What MkDocs does before it builds: draw pictures, record scenes, turn links to the rest of the repository into names.

Each script beside this one draws one picture, ``python docs/pictures/NAME.py TARGET``; the site has it as NAME.svg.

A picture that is a link to a scene, ``[![what it shows](../pictures/NAME.svg)](../scenes/STAGE.html)``, becomes that
stage of the lab, to be played in the page. Where the page is read elsewhere, it stays a picture.
"""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import Any

HERE = Path(__file__).parent
SCRIPTS = sorted(path for path in HERE.glob("*.py") if path.name != "hook.py")
SCENES = HERE.parent / "scenes"
LAB = HERE.parents[1] / "src" / "separatrix" / "lab"
_SCENE = re.compile(r"\[!\[([^\]]*)\]\(([^)\s]+)\)\]\(((?:\.\./)*scenes/([\w-]+)\.html)\)")
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?://|#|mailto:)([^)#\s]+)(#[^)]*)?\)")


def on_pre_build(config: Any) -> None:
    """Draw every picture that is older than its script, record every scene that is older than the lab."""
    _record({name for page in HERE.parent.rglob("*.md") for *_, name in _SCENE.findall(page.read_text())})
    for script in SCRIPTS:
        target = script.with_suffix(".svg")
        if not target.exists() or target.stat().st_mtime < script.stat().st_mtime:
            subprocess.run([sys.executable, script, target], check=True)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Scenes become frames; links that leave docs/ become the name of what they lead to."""
    framed = _SCENE.sub(_frame, markdown)
    return _LINK.sub(lambda link: _inside(link, PurePosixPath(page.file.src_uri)), framed)


def _record(names: set[str]) -> None:
    """Write the page of every stage that the documents show; one that the lab does not have is an error."""
    if not names:
        return
    from separatrix.lab import export_page
    from separatrix.lab.stages import STAGE

    unknown = sorted(names - set(STAGE))
    if unknown:
        raise ValueError(f"There is no stage {', '.join(unknown)}; there are {', '.join(STAGE)}.")
    SCENES.mkdir(exist_ok=True)
    newest = max(path.stat().st_mtime for path in LAB.rglob("*") if path.is_file())
    for name in sorted(names):
        target = SCENES / f"{name}.html"
        if not target.exists() or target.stat().st_mtime < newest:
            export_page(name, target)


def _frame(scene: re.Match[str]) -> str:
    """A frame that is filled when it comes into sight, and a link to the same in a window of its own."""
    title, _, address, _ = (html.escape(each) for each in scene.groups())
    return (
        f'<figure class="scene" markdown="0"><iframe src="{address}" title="{title}" loading="lazy"></iframe>'
        f'<figcaption>{title}. <a href="{address}" target="_blank" rel="noopener">Open it in a window of its own.</a>'
        "</figcaption></figure>"
    )


def _inside(link: re.Match[str], page: PurePosixPath) -> str:
    parts: list[str] = []
    for part in (page.parent / link[2]).parts:
        if part == "..":
            if not parts:
                return f"{link[1]} (`{link[2].lstrip('./')}` in the repository)"
            parts.pop()
        else:
            parts.append(part)
    return link[0] if Path(HERE.parent, *parts).is_file() else link[1]
