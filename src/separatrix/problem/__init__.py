"""What is asked and what is answered: losses, Problem, Point, Solution, Status."""

from separatrix.problem.bias import best_bias, bias_interval
from separatrix.problem.joint_problem import JointProblem
from separatrix.problem.kernel_problem import KernelProblem
from separatrix.problem.losses import HINGE, LOSSES, SQUARED_HINGE, Loss
from separatrix.problem.mapped import is_mapped, require_room
from separatrix.problem.problem import Problem
from separatrix.problem.rows import row_blocks, rows_between, scores, weighted_sum, widened
from separatrix.problem.solution import History, Point, Record, Solution
from separatrix.problem.status import Status
from separatrix.types import Bias, Matrix

__all__ = [
    "HINGE",
    "LOSSES",
    "SQUARED_HINGE",
    "Bias",
    "History",
    "JointProblem",
    "KernelProblem",
    "Loss",
    "Matrix",
    "Point",
    "Problem",
    "Record",
    "Solution",
    "Status",
    "best_bias",
    "bias_interval",
    "is_mapped",
    "require_room",
    "row_blocks",
    "rows_between",
    "scores",
    "weighted_sum",
    "widened",
]
