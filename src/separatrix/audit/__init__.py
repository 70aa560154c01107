"""Other libraries' models: how far each is from the optimum of the problem it claims to solve."""

import sys
from types import ModuleType
from typing import Any

from separatrix.audit.ask import audit
from separatrix.audit.claim import Unauditable
from separatrix.audit.record import Audit, Audits

__all__ = ["Audit", "Audits", "Unauditable", "audit"]


class _CallableModule(ModuleType):
    """`separatrix.audit` is a function to users. Importing this package first would put a module in its place."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Audit | Audits:
        return audit(*arguments, **keywords)


sys.modules[__name__].__class__ = _CallableModule
