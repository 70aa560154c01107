"""How a fit ended: each status keeps its sentence beside its name."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """How a run ended. ``status.sentence`` says what the returned numbers mean.

    >>> Status.MAX_TIME
    <Status.MAX_TIME: 'max_time'>
    >>> print(Status.CONVERGED, "-", Status.CONVERGED.sentence)
    converged - The requested gap was proved from the data.
    """

    CONVERGED = "converged"
    MAX_ITER = "max_iter"
    MAX_TIME = "max_time"
    INTERRUPTED = "interrupted"
    INSEPARABLE = "inseparable"

    @property
    def sentence(self) -> str:
        """What happened, and what the returned vectors are."""
        return _SENTENCES[self]


_SENTENCES = {
    Status.CONVERGED: "The requested gap was proved from the data.",
    Status.MAX_ITER: "The iteration limit came first; the best iterate is returned with the gap it has.",
    Status.MAX_TIME: "The time limit came first; the best iterate is returned with the gap it has.",
    Status.INTERRUPTED: "The run was interrupted; the best iterate is returned with the gap it has.",
    Status.INSEPARABLE: "No hyperplane separates the rows; the certificate proves it.",
}
