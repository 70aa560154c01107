"""Other libraries' models: how far each is from the optimum of the problem it claims to solve."""

from separatrix.audit.api import audit
from separatrix.audit.claim import Unauditable
from separatrix.audit.record import Audit, Audits

__all__ = ["Audit", "Audits", "Unauditable", "audit"]
