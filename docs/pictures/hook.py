"""What MkDocs does before it builds: draw the pictures, and turn links to the rest of the repository into names.

Each script beside this one draws one picture, ``python docs/pictures/NAME.py TARGET``; the site has it as NAME.svg.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import Any

HERE = Path(__file__).parent
SCRIPTS = sorted(path for path in HERE.glob("*.py") if path.name != "hook.py")
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?://|#|mailto:)([^)#\s]+)(#[^)]*)?\)")


def on_pre_build(config: Any) -> None:
    """Draw every picture that is older than its script."""
    for script in SCRIPTS:
        target = script.with_suffix(".svg")
        if not target.exists() or target.stat().st_mtime < script.stat().st_mtime:
            subprocess.run([sys.executable, script, target], check=True)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Links that leave docs/ become the name of what they lead to."""
    return _LINK.sub(lambda link: _inside(link, PurePosixPath(page.file.src_uri)), markdown)


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
