"""The kinds of certificate and the exact check of each.

A check gets the certificate, the rows, and the side (+1, -1, or 0: takes no part) of each row. It returns
`Proved`, or raises `Rejected` with a sentence. By then the fingerprint of the data has been compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from separatrix.checker import mistakes, optimal, separation
from separatrix.checker.certificate import Certificate
from separatrix.checker.rows import Rows
from separatrix.checker.verdict import Proved

ExactCheck: TypeAlias = Callable[[Certificate, Rows, Sequence[int]], Proved]

EXACT_CHECKS: dict[str, ExactCheck] = {
    "optimal": optimal.check,
    "separating": separation.check_separating,
    "inseparable": separation.check_inseparable,
    "quasi-separable": separation.check_quasi,
    "mistakes": mistakes.check,
}
