"""Tools to judge a model: hold-outs that count their looks, bounds, leave-one-out, comparison, calibration.

The names below load their parts on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from separatrix.validation.calibration import calibrate as calibrate
    from separatrix.validation.calibration import venn_abers as venn_abers
    from separatrix.validation.comparison import Comparison as Comparison
    from separatrix.validation.comparison import Tuned as Tuned
    from separatrix.validation.comparison import compare as compare
    from separatrix.validation.comparison import corrected_t as corrected_t
    from separatrix.validation.comparison import mcnemar as mcnemar
    from separatrix.validation.conformal import ConformalSets as ConformalSets
    from separatrix.validation.exact_loo import LeaveOneOut as LeaveOneOut
    from separatrix.validation.exact_loo import Removal as Removal
    from separatrix.validation.exact_loo import leave_one_out as leave_one_out
    from separatrix.validation.exact_loo import removal as removal
    from separatrix.validation.folds import path_predictions as path_predictions
    from separatrix.validation.generalisation import Bound as Bound
    from separatrix.validation.generalisation import compression_bound as compression_bound
    from separatrix.validation.generalisation import margin_bound as margin_bound
    from separatrix.validation.generalisation import online_to_batch as online_to_batch
    from separatrix.validation.held_out import BudgetSpentError as BudgetSpentError
    from separatrix.validation.held_out import check_unseen as check_unseen
    from separatrix.validation.holdout import Holdout as Holdout
    from separatrix.validation.holdout import Look as Look
    from separatrix.validation.ladder import Ladder as Ladder
    from separatrix.validation.ladder import Rung as Rung
    from separatrix.validation.ledger import FileLedger as FileLedger
    from separatrix.validation.ledger import LedgerError as LedgerError
    from separatrix.validation.ledger import MemoryLedger as MemoryLedger
    from separatrix.validation.loo_bounds import Ball as Ball
    from separatrix.validation.loo_bounds import LooBound as LooBound
    from separatrix.validation.loo_bounds import LooBounds as LooBounds
    from separatrix.validation.loo_bounds import enclosing_ball as enclosing_ball
    from separatrix.validation.loo_bounds import leave_one_out_bounds as leave_one_out_bounds
    from separatrix.validation.robustness import Radii as Radii
    from separatrix.validation.robustness import exact_radius as exact_radius
    from separatrix.validation.robustness import robustness_radius as robustness_radius
    from separatrix.validation.thresholdout import Answer as Answer
    from separatrix.validation.thresholdout import Thresholdout as Thresholdout

_HOMES = {
    "Answer": "thresholdout",
    "Ball": "loo_bounds",
    "Bound": "generalisation",
    "BudgetSpentError": "held_out",
    "Comparison": "comparison",
    "ConformalSets": "conformal",
    "FileLedger": "ledger",
    "Holdout": "holdout",
    "Ladder": "ladder",
    "LeaveOneOut": "exact_loo",
    "LedgerError": "ledger",
    "LooBound": "loo_bounds",
    "LooBounds": "loo_bounds",
    "Look": "holdout",
    "MemoryLedger": "ledger",
    "Radii": "robustness",
    "Removal": "exact_loo",
    "Rung": "ladder",
    "Thresholdout": "thresholdout",
    "Tuned": "comparison",
    "calibrate": "calibration",
    "check_unseen": "held_out",
    "compare": "comparison",
    "compression_bound": "generalisation",
    "corrected_t": "comparison",
    "enclosing_ball": "loo_bounds",
    "exact_radius": "robustness",
    "leave_one_out": "exact_loo",
    "leave_one_out_bounds": "loo_bounds",
    "margin_bound": "generalisation",
    "mcnemar": "comparison",
    "online_to_batch": "generalisation",
    "path_predictions": "folds",
    "removal": "exact_loo",
    "robustness_radius": "robustness",
    "venn_abers": "calibration",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'separatrix.validation' has no attribute {name!r}")
    value = getattr(import_module(f"separatrix.validation.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
