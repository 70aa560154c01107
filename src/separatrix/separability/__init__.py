"""Can a hyperplane separate these points? An exact three-way verdict, with a proof."""

from separatrix.separability.api import separability, two_sides
from separatrix.separability.verdict import Separability

__all__ = ["Separability", "separability", "two_sides"]
