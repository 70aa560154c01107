"""Fast path for drags: solve with the quickest compiled solver, to a gap of 1e-9.

An estimator checks what it is given and keeps what it may be asked for, which takes longer here than solving. So the
solver is run on the page's own problem, up to the same gap and with the same bias and bounds as in `SVC.fit`.
"""

from __future__ import annotations

import numpy as np

from separatrix.fitting.binary import plan, solve
from separatrix.fitting.parameters import Settings
from separatrix.fitting.settle import settle
from separatrix.lab.limits import MAX_QUICK_SECONDS
from separatrix.lab.scene import Scene
from separatrix.problem import Problem, Solution
from separatrix.proof.duality import certify

_COST = 1e3  # C above which block SMO takes longer than the factor of a small kernel matrix
_GAP = 1e-9  # relative gap below which two solvers' pictures are the same
_TOL = 1e-3  # as SVC's; small problems are solved far beyond it


def quick_answer(scene: Scene, problem: Problem) -> Solution | None:
    """The solution of the scene's soft-margin problem; None where the quick solver has not proved enough.

    Two solvers agree to the gap that each of them proves.

    >>> from separatrix.lab.runs.soft_margin import soft_problem
    >>> scene = Scene(points=((0.0, 0.0, -1), (2.0, 0.0, 1)), algorithm="soft-margin", C=10.0)
    >>> found = quick_answer(scene, soft_problem(scene))
    >>> found.w.round(6).tolist(), round(found.b, 6)
    ([1.0, 0.0], -1.0)
    """
    kernel = problem.kernel
    if kernel is not None and scene.C > _COST:
        return None
    settings = Settings(
        C=scene.C,
        loss=problem.loss,
        bias=problem.bias,
        solver="coordinate-descent" if kernel is None else "block-smo",
        tol=_TOL,
        max_iter=None,
        max_time=MAX_QUICK_SECONDS,
        n_threads=1,
        kernel=kernel,
    )
    with np.errstate(over="ignore", invalid="ignore"):  # shows as a gap that is not reached
        found = solve(
            problem,
            settings,
            lambda goal: plan(problem, settings, goal, 0),
            certify,
            None,
            (),
            lambda stage: stage,
        )
        settled, _, _ = settle(problem, found, _TOL)
    return settled if settled.gap <= _GAP else None
