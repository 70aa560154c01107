"""Limits on what one page may ask for. Everything that comes in from outside is measured against these."""

from __future__ import annotations

MAX_MESSAGE_BYTES = 256 * 1024  #: of one message from the page
MAX_POINTS = 500  #: rows in a scene
MAX_COORDINATE = 1e6  #: |x| of a point
MAX_FRAMES = 2000  #: steps of a run that are kept, so that the page can go back
MAX_STEPS_AT_ONCE = 500  #: steps in one request
MAX_UNDO = 100  #: edits that can be taken back
MAX_SESSIONS = 64  #: pages open at once
MAX_GRID = 256  #: points on a side of a contour grid
MAX_FIT_SECONDS = 5.0  #: of one fit, however the points lie
MAX_FIT_EPOCHS = 5000  #: of coordinate descent in one fit
MAX_QUICK_SECONDS = 0.025  #: of a compiled solver while a point is dragged, before the scene's own is asked
