"""What a check ends in: Proved or Rejected inside a kind, a Verification for whoever asked."""

from __future__ import annotations

from dataclasses import dataclass


class Rejected(Exception):
    """The certificate does not prove its claim for these data; the sentence says why.

    Raised to leave a check early; whoever asked gets a `Verification`, not an exception.
    """


class CertificateError(ValueError):
    """A document that is not a readable certificate, or whose content differs from its digest."""


@dataclass(frozen=True)
class Proved:
    """What a kind's check established: a sentence, and the bounds where the kind has them."""

    sentence: str
    primal: float | None = None
    dual: float | None = None
    gap: float | None = None


@dataclass(frozen=True)
class Verification:
    """The outcome of a check: true if the claim is proved. ``reason`` says why, or why not.

    primal, dual and gap are what the check itself established, at least as sharp as the claim.

    >>> bool(Verification(False, "The data are not those of the certificate.", "optimal"))
    False
    """

    proved: bool
    reason: str
    kind: str
    primal: float | None = None  #: proved upper bound on the optimum
    dual: float | None = None  #: proved lower bound on the optimum
    gap: float | None = None  #: proved relative gap

    def __bool__(self) -> bool:
        return self.proved
