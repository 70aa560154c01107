"""How much to believe a model: hold-outs that count their looks, bounds, leave-one-out, comparison, calibration."""

from separatrix.validation.enclosing_ball import Ball, enclosing_ball
from separatrix.validation.generalisation import Bound, compression_bound, margin_bound, online_to_batch
from separatrix.validation.held_out import BudgetSpentError
from separatrix.validation.holdout import Holdout, Look
from separatrix.validation.ladder import Ladder, Rung
from separatrix.validation.leave_one_out import LeaveOneOut, leave_one_out
from separatrix.validation.ledger import FileLedger, LedgerError, MemoryLedger
from separatrix.validation.loo_bounds import LooBound, LooBounds, leave_one_out_bounds
from separatrix.validation.removal import Removal, removal
from separatrix.validation.robustness import Radii, exact_radius, robustness_radius
from separatrix.validation.thresholdout import Answer, Thresholdout

__all__ = [
    "Answer",
    "Ball",
    "Bound",
    "BudgetSpentError",
    "FileLedger",
    "Holdout",
    "Ladder",
    "LeaveOneOut",
    "LedgerError",
    "LooBound",
    "LooBounds",
    "Look",
    "MemoryLedger",
    "Radii",
    "Removal",
    "Rung",
    "Thresholdout",
    "compression_bound",
    "enclosing_ball",
    "exact_radius",
    "leave_one_out",
    "leave_one_out_bounds",
    "margin_bound",
    "online_to_batch",
    "removal",
    "robustness_radius",
]
