"""How much to believe a model: hold-outs that count their looks, bounds, leave-one-out, comparison, calibration."""

from separatrix.validation.c_path import path_predictions
from separatrix.validation.calibration import VennAbers, calibrate
from separatrix.validation.comparison import Comparison, Tuned, compare
from separatrix.validation.conformal import ConformalSets
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
from separatrix.validation.significance import corrected_t, mcnemar
from separatrix.validation.thresholdout import Answer, Thresholdout
from separatrix.validation.unseen import check_unseen

__all__ = [
    "Answer",
    "Ball",
    "Bound",
    "BudgetSpentError",
    "Comparison",
    "ConformalSets",
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
    "Tuned",
    "VennAbers",
    "calibrate",
    "check_unseen",
    "compare",
    "compression_bound",
    "corrected_t",
    "enclosing_ball",
    "exact_radius",
    "leave_one_out",
    "leave_one_out_bounds",
    "margin_bound",
    "mcnemar",
    "online_to_batch",
    "path_predictions",
    "removal",
    "robustness_radius",
]
