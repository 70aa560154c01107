"""How much to believe a model: hold-outs that count their looks, bounds, leave-one-out, comparison, calibration."""

from separatrix.validation.held_out import BudgetSpentError
from separatrix.validation.holdout import Holdout, Look
from separatrix.validation.ladder import Ladder, Rung
from separatrix.validation.ledger import FileLedger, LedgerError, MemoryLedger
from separatrix.validation.thresholdout import Answer, Thresholdout

__all__ = [
    "Answer",
    "BudgetSpentError",
    "FileLedger",
    "Holdout",
    "Ladder",
    "LedgerError",
    "Look",
    "MemoryLedger",
    "Rung",
    "Thresholdout",
]
