"""The two courses a binary problem may take: with w at hand, or with a kernel in its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from separatrix.fitting.binary import settle, warm_point
from separatrix.fitting.kernel_binary import settle_kernel, warm_alpha
from separatrix.fitting.kernel_proofs import prove_kernel
from separatrix.fitting.parameters import Settings
from separatrix.fitting.proofs import prove
from separatrix.problem import KernelProblem, Point, Problem, Solution
from separatrix.proof.certificate import Certificate
from separatrix.proof.duality import certify
from separatrix.proof.kernel_duality import certify_kernel
from separatrix.solvers.choose import stages
from separatrix.solvers.loop.run import Stage
from separatrix.types import Vector


@dataclass(frozen=True)
class Course:
    """What is done with a problem, in order: where to start, which solvers, how to judge, settle and prove."""

    start: Callable[..., Point | None]  #: (previous result, problem, rows)
    plan: Callable[[Any, Settings, float, int], list[Stage]]  #: (problem, settings, goal, seed)
    certify: Callable[[Any, Point], Solution]
    settle: Callable[[Any, Solution, float], tuple[Solution, tuple[float, float], Vector]]
    prove: Callable[..., Certificate]  #: (data, problem, rows, solution, positive, negative)


def _linear_plan(problem: Problem, settings: Settings, goal: float, seed: int) -> list[Stage]:
    return stages(problem, settings.solver, goal, seed)


def _kernel_plan(problem: KernelProblem, settings: Settings, goal: float, seed: int) -> list[Stage]:
    return stages(problem, settings.solver, goal, seed, settings.cache_mb)


LINEAR = Course(warm_point, _linear_plan, certify, settle, prove)
KERNEL = Course(warm_alpha, _kernel_plan, certify_kernel, settle_kernel, prove_kernel)


def course_of(problem: Problem | KernelProblem) -> Course:
    """The course for this kind of problem."""
    return KERNEL if isinstance(problem, KernelProblem) else LINEAR
