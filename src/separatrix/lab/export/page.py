"""A recording as one page: the lab's own front end, the checker and the recording in a single file that asks nobody.

The policy in its head forbids every request. Scripts and styles are allowed by their fingerprints, so nothing that a
recording holds can run. The program is compressed like the recording; a few lines open it.
"""

from __future__ import annotations

import base64
import hashlib
import html
import zlib
from functools import cache

from separatrix.lab.bundle import bundle, stylesheet
from separatrix.lab.export.recording import Recording
from separatrix.lab.scene import SceneError

MAX_BYTES = 500_000  #: of a page, so that a dozen may go with a course
_FEWEST, _ENOUGH = 2, 40  # frames that make a recording, and a good one

# The only line of program that is not compressed: it opens the other two.
_OPEN = """\
const open = async (name) => {
  const bytes = Uint8Array.from(atob(document.getElementById(name).textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
};
(async () => {
  try {
    const [program, recording] = await Promise.all([open("program"), open("recording")]);
    globalThis.recording = recording;
    const script = document.createElement("script");
    script.type = "module";
    script.textContent = new TextDecoder().decode(program);
    document.head.append(script);
  } catch {
    document.querySelector(".loading").textContent = "This page is damaged, or the browser is too old to open it.";
  }
})();
"""
_PAGE = """\
<!doctype html>
<!-- Made by separatrix lab. The program below is compressed; in the open page it is the last script of the head. -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="lab" class="lab recorded"><p class="loading" role="status">Opening the recording…</p></div>
<noscript>This page draws with JavaScript; please allow it.</noscript>
<script type="application/octet-stream" id="program">{program}</script>
<script type="application/octet-stream" id="recording">{recording}</script>
<script>{opener}</script>
</body>
</html>
"""


def page(recording: Recording) -> str:
    """The page as text, with as many of the frames as it has room for.

    >>> from separatrix.lab.session import Session
    >>> from separatrix.lab.export.recording import record
    >>> text = page(record(Session().handle, {"stage": "two-spaces"}))
    >>> len(text) < MAX_BYTES, "http:" in text.partition("<style>")[0]
    (True, False)
    """
    room = MAX_BYTES - len(_around(recording).encode())
    frames, packed = len(recording.steps), _base64(recording.packed())
    if room / len(packed) * frames < min(frames, _ENOUGH):  # rather more steps than every way to look at them
        recording = recording.plainer()
        packed = _base64(recording.packed())
    while len(packed) > room:
        if frames <= _FEWEST:
            raise SceneError(f"No page of {MAX_BYTES:,} bytes holds this scene: it has too many points.")
        frames = max(_FEWEST, min(frames - 1, int(0.97 * room / len(packed) * frames)))
        packed = _base64(recording.thinned(frames).packed())
    return _around(recording, packed)


@cache
def _program() -> tuple[str, str, str]:
    """The program compressed, its fingerprint, and the style sheet: the same for all pages."""
    text = bundle("recorded.js")
    return _base64(zlib.compress(text.encode(), 9)), _fingerprint(text), stylesheet()


def _around(recording: Recording, packed: str = "") -> str:
    """The page with a recording that is packed already."""
    program, fingerprint, style = _program()
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data: blob:; "
        f"script-src {_fingerprint(_OPEN)} {fingerprint}; style-src {_fingerprint(style)}"
    )
    scene = recording.more["scene"]
    title = (
        recording.more["title"] or f"{scene['algorithm'].replace('-', ' ')}, {len(scene['points'])} points"
    )
    return _PAGE.format(
        policy=policy,
        title=html.escape(f"{title} · separatrix"),
        style=style,
        program=program,
        recording=packed,
        opener=_OPEN,
    )


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _fingerprint(text: str) -> str:
    """A script or style as a policy names it."""
    return f"'sha256-{_base64(hashlib.sha256(text.encode()).digest())}'"
