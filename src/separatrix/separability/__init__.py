"""Can a hyperplane separate these points? An exact three-way verdict, with a proof."""

from separatrix.separability.ask import separability
from separatrix.separability.verdict import Separability

__all__ = ["Separability", "separability"]
