"""The certificate of a fitted kernel problem, built from the training data when it is first asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from separatrix.estimators.proofs import CHANGED
from separatrix.estimators.training import TrainingData
from separatrix.problem import KernelProblem, Solution
from separatrix.proof.certificate import Certificate
from separatrix.proof.kernel_optimal import optimal_kernel

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
    certificate = optimal_kernel(problem, solution.b, solution.alpha, data.fingerprint.get(), *sides, rows)
    check_values(certificate, solution)
    return certificate


def check_values(certificate: Certificate, solution: Solution) -> None:
    """Raise a sentence if the values proved from the training data are not those of the fit."""
    for what, then in (("primal", solution.primal), ("dual", solution.dual)):
        now = float.fromhex(certificate.proof[what])
        if not abs(now - then) <= _CLOSE * max(abs(then), abs(solution.primal)):
            raise ValueError(CHANGED.format(what=f"the {what} value", now=now, then=then))
