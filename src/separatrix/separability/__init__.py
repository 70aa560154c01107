"""Can a hyperplane separate these points? An exact three-way verdict, with a proof."""

from separatrix.separability.api import binomial_rows, matched_rows, separability, two_sides
from separatrix.separability.verdict import Separability

__all__ = ["Separability", "binomial_rows", "matched_rows", "separability", "two_sides"]
