"""The question and its answer: losses, spaces, Problem, Point, Solution, Status."""

from separatrix.problem.conversion import is_mapped, is_sparse, require_room
from separatrix.problem.joint_problem import JointProblem
from separatrix.problem.losses import HINGE, LOSSES, SQUARED_HINGE, Loss, best_bias, bias_interval, middle
from separatrix.problem.problem import Problem, ProblemSet, relative_gap
from separatrix.problem.rows import row_blocks, rows_between, scores, weighted_sum, widened
from separatrix.problem.solution import (
    History,
    JointPoint,
    JointSolution,
    Point,
    Record,
    Result,
    Solution,
    Status,
)
from separatrix.problem.spaces import KernelSpace, LinearSpace, Space
from separatrix.types import Bias, Matrix

__all__ = [
    "HINGE",
    "LOSSES",
    "SQUARED_HINGE",
    "Bias",
    "History",
    "JointPoint",
    "JointProblem",
    "JointSolution",
    "KernelSpace",
    "LinearSpace",
    "Loss",
    "Matrix",
    "Point",
    "Problem",
    "ProblemSet",
    "Record",
    "Result",
    "Solution",
    "Space",
    "Status",
    "best_bias",
    "bias_interval",
    "is_mapped",
    "is_sparse",
    "middle",
    "relative_gap",
    "require_room",
    "row_blocks",
    "rows_between",
    "scores",
    "weighted_sum",
    "widened",
]
