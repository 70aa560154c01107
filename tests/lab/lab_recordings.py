"""Pages without a server, as tests make and read them."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any

from separatrix.lab.export.recording import Recording, record
from separatrix.lab.scene import Scene
from separatrix.lab.session import Session

CHECKED = "#lab[data-checked]"  # matches when the checker in the page has answered


def recorded(scene: Scene, **more: Any) -> Recording:
    return record(Session().handle, {"scene": scene.to_json(), **more})


def held(text: str) -> dict[str, Any]:
    """The recording in a page, its frames still as changes."""
    found = re.search(r'id="recording">([^<]*)<', text)
    assert found is not None
    data = zlib.decompress(base64.b64decode(found[1]))
    return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])


def app(page: Any, body: str) -> Any:
    return page.evaluate(
        "async () => { const app = document.getElementById('lab').app, c = app.client; " + body + " }"
    )
