"""Fast path for drags: solve with the quickest compiled solver, to a gap of 1e-9.

An estimator checks what it is given and keeps what it may be asked for, which takes longer here than solving. So the
solver is run on the page's own problem, up to the same gap and with the same bias and bounds as in `SVC.fit`.
"""

from __future__ import annotations

import numpy as np

from separatrix.fitting.binary import fit_problem
from separatrix.fitting.context import FitContext
from separatrix.fitting.parameters import Settings
from separatrix.fitting.results import BinaryFit
from separatrix.lab.limits import MAX_QUICK_SECONDS
from separatrix.lab.runs.frame import Frame
from separatrix.lab.scene import Scene
from separatrix.problem import Point, Problem

_COST = 1e3  # C above which block SMO takes longer than the factor of a small kernel matrix
_GAP = 1e-9  # relative gap below which two solvers' pictures are the same


def quick_answer(scene: Scene, problem: Problem, before: Frame | None = None) -> BinaryFit | None:
    """The solution of the scene's soft-margin problem; None where the quick solver has not proved enough.

    Two solvers agree to the gap that each of them proves. ``before`` is the answer of a scene that differs little, such
    as the last of a drag: starting from it, the answer is a fraction of the work away.

    >>> from separatrix.lab.runs.soft_margin import soft_problem
    >>> scene = Scene(points=((0.0, 0.0, -1), (2.0, 0.0, 1)), algorithm="soft-margin", C=10.0)
    >>> found = quick_answer(scene, soft_problem(scene))
    >>> found.coef.round(6).tolist(), round(found.intercept, 6)
    ([1.0, 0.0], -1.0)
    """
    linear = problem.kernel is None
    if not linear and scene.C > _COST:
        return None
    solver = "coordinate-descent" if linear else "block-smo"
    context = FitContext(Settings(solver=solver, tol=_GAP, max_time=MAX_QUICK_SECONDS))
    with np.errstate(over="ignore", invalid="ignore"):  # shows as a gap that is not reached
        found = fit_problem(problem, context, start=_start(problem, before))
    return found if found.gap <= _GAP else None


def _start(problem: Problem, before: Frame | None) -> Point | None:
    """The weights of an earlier answer on as many rows, kept within the bounds of this problem."""
    if before is None or problem.kernel is None or len(before.weights) != problem.n_rows:
        return None
    return Point(np.minimum(before.weights, problem.upper), None, before.b)
