"""The chapters in the order of the subject."""

from __future__ import annotations

from separatrix.lab.tour.chapter import Chapter
from separatrix.lab.tour.kernels import KERNELS
from separatrix.lab.tour.margins import PROGRAM, SLAB
from separatrix.lab.tour.online import NO_LINE, ONLINE
from separatrix.lab.tour.perceptron import BIAS, UPDATES
from separatrix.lab.tour.spaces import RISK, TWO_SPACES
from separatrix.lab.tour.step_size import STEP_SIZE
from separatrix.lab.tour.support import KINDS, SLACK
from separatrix.lab.tour.theorem import THEOREM
from separatrix.lab.tour.validation import MARK_ONE, VALIDATION

CHAPTERS: tuple[Chapter, ...] = (
    TWO_SPACES,
    RISK,
    STEP_SIZE,
    UPDATES,
    BIAS,
    THEOREM,
    ONLINE,
    NO_LINE,
    SLAB,
    PROGRAM,
    SLACK,
    KINDS,
    KERNELS,
    VALIDATION,
    MARK_ONE,
)
