"""Separation in the models of others: what a statsmodels or scikit-learn model, or a formula, asks for."""

from separatrix.separation.check import check_separation
from separatrix.separation.warning import SeparationWarning, warn_on_separation

__all__ = ["SeparationWarning", "check_separation", "warn_on_separation"]
