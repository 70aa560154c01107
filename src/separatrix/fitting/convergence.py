"""The sentence for a fit whose requested gap was not reached."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from separatrix.errors import NotConvergedError
from separatrix.fitting.callbacks import AVAILABLE
from separatrix.fitting.parameters import Settings
from separatrix.fitting.results import BinaryFit, JointFit, JointProblems
from separatrix.problem import Status


class GapWarning(ConvergenceWarning):  # type: ignore[misc]  # scikit-learn is untyped
    """The fit ended before the requested gap was proved; the model says how large its gap is.

    ``fact`` is the message without its advice, which is for Python; ``status`` says what ended the fit.
    """

    def __init__(self, fact: str, advice: str = "", status: str = "") -> None:
        super().__init__(f"{fact} {advice}".strip())
        self.fact, self.status = fact, status


def report_gap(found: Mapping[Any, Any], settings: Settings, *, strict: bool) -> None:
    """Warn, or raise if strict, of the problems that did not converge; there is one."""
    problems: Mapping[Any, BinaryFit | JointFit] = (
        {"joint": found.joint} if isinstance(found, JointProblems) else found
    )
    late = {key: result for key, result in problems.items() if result.status != Status.CONVERGED}
    worst_key, worst = max(late.items(), key=lambda item: item[1].gap)
    where = (
        "" if len(problems) == 1 else f" in {len(late)} of {len(problems)} problems (worst: {worst_key!r})"
    )
    fact = (
        f"SVC reached a relative duality gap of {worst.gap:.2g}{where}, not tol={settings.tol:g}: "
        f"{_cause(worst, settings)}. The optimum lies between {worst.dual:.6g} and {worst.primal:.6g}; the "
        "best iterate is kept with its certificate."
    )
    warning = GapWarning(fact, _advice(worst, settings), _ending(worst, settings))
    if strict:
        raise NotConvergedError(str(warning), problems, worst.gap)
    warnings.warn(warning, stacklevel=5 if AVAILABLE else 4)


def _ending(result: BinaryFit | JointFit, settings: Settings) -> str:
    """The cause of the end: "interrupted", "max_time", "max_iter" or "stalled"."""
    if result.status in (Status.MAX_TIME, Status.INTERRUPTED):
        return str(result.status)
    return "max_iter" if settings.max_iter is not None and result.n_iter >= settings.max_iter else "stalled"


def _cause(result: BinaryFit | JointFit, settings: Settings) -> str:
    causes = {
        "interrupted": "the fit was interrupted",
        "max_time": f"max_time={settings.max_time or 0.0:g} s came first",
        "max_iter": f"max_iter={settings.max_iter} came first",
    }
    return causes.get(_ending(result, settings), "rounding left no further progress to make")


def _advice(result: BinaryFit | JointFit, settings: Settings) -> str:
    limit = "Raise the limit, go on from here with warm_start=True, or accept the gap with a larger tol."
    advice = {
        "interrupted": "To go on from here: set_params(warm_start=True).fit(X, y).",
        "max_time": limit,
        "max_iter": limit,
    }
    rounding = (
        "Scale the columns (sklearn.preprocessing.StandardScaler), lower C, or accept it with a larger tol."
    )
    return advice.get(_ending(result, settings), rounding)
