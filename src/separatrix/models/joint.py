"""An SVC whose classes share one problem (Crammer and Singer) as plain values, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.errors import ModelFileError
from separatrix.fitting.results import Deferred, JointFit, JointProblems
from separatrix.models.fields import Fields
from separatrix.models.parts import read_outcome, write_history
from separatrix.models.tensors import Arrays, write_value


def write_joint(joint: JointFit, n: int, arrays: Arrays) -> dict[str, Any]:
    """The record of the joint problem; its planes are those of the model."""
    everything = len(joint.rows) == n
    parts: dict[str, Any] = {"rows": None if everything else joint.rows.astype(np.int64)}
    names = ("cost", "A", "slack", "norms", "primal", "dual", "gap", "n_iter")
    parts |= {name: getattr(joint, name) for name in names}
    record = {name: write_value(value, f"joint.{name}", arrays) for name, value in parts.items()}
    return {**record, "status": joint.status.value, "history": write_history(joint.history)}


def read_joint(
    record: Fields, classes: NDArray[Any], planes: tuple[Any, Any], n: int, proof: Deferred[Any]
) -> JointProblems:
    """The joint problem of a model; ``planes`` are coef (k, d) and intercept (k,)."""
    k = len(classes)
    if k < 3:
        raise ModelFileError(f"A joint problem needs at least 3 classes; the model file has {k}.")
    rows = np.arange(n) if not record.has("rows") else record.indices("rows", None, n)
    m = len(rows)
    joint = JointFit(
        classes=tuple(classes.tolist()),
        rows=rows,
        cost=record.array("cost", (m,)),
        A=record.array("A", (m, k)),
        coef=planes[0],
        intercept=planes[1],
        slack=record.array("slack", (m,)),
        norms=record.array("norms", (k,)),
        **read_outcome(record),
        deferred=proof,
    )
    return JointProblems(joint)
