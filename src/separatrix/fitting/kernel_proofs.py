"""The certificate of a fitted kernel problem, built from the training data when it is first asked for."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from separatrix.fitting.proofs import CHANGED
from separatrix.fitting.training import TrainingData
from separatrix.problem import KernelProblem, Solution
from separatrix.proof.certificate import Certificate
from separatrix.proof.kernel_optimal import optimal_kernel
from separatrix.proof.kernel_value_bounds import kernel_bounds
from separatrix.proof.outward import Rejected

_CLOSE = 1e-6  # relative: the certificate's bounds are wider by what rounding may have done


def prove_kernel(
    data: TrainingData,
    problem: KernelProblem,
    rows: NDArray[np.intp],
    solution: Solution,
    positive: int,
    negative: int | None,
) -> Certificate:
    """The `optimal` certificate of a solution, once the data are found unchanged."""
    sides = data.sides(positive, negative)
    reached = solution.primal - solution.dual
    certificate = optimal_kernel(
        problem, solution.b, solution.alpha, data.fingerprint.get(), *sides, rows, reached=reached
    )
    check_values(certificate, problem, solution)
    return certificate


def check_values(certificate: Certificate, problem: KernelProblem, solution: Solution) -> None:
    """Raise a sentence if the values proved from the training data are not those of the fit."""
    near = _CLOSE * max(abs(solution.dual), abs(solution.primal))
    for what, then in (("primal", solution.primal), ("dual", solution.dual)):
        now = float.fromhex(certificate.proof[what])
        if not abs(now - then) <= near and not abs(now - then) <= near + _rounding(problem, solution):
            raise ValueError(CHANGED.format(what=f"the {what} value", now=now, then=then))


def _rounding(problem: KernelProblem, solution: Solution) -> float:
    """A bound on the rounding of the values at the fit; infinity where they leave the range of floating point."""
    alpha, magnitude = solution.alpha, np.abs(solution.w)
    try:
        one, four = (kernel_bounds(problem, None, solution.b, alpha, slack=slack) for slack in (1.0, 4.0))
    except Rejected:
        return math.inf
    known = float(four[0] - one[0] + one[1] - four[1])
    return known + float(2.0**-50 * (alpha @ magnitude + problem.C[np.isfinite(problem.C)].sum()))
