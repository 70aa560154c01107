"""Certificates as the rest of the library sees them: the record, and the makers of each kind."""

from separatrix.checker.certificate import Certificate, Source
from separatrix.checker.verdict import CertificateError, Verification
from separatrix.proof.fingerprint import Fingerprint, fingerprint
from separatrix.proof.optimal import optimal

__all__ = [
    "Certificate",
    "CertificateError",
    "Fingerprint",
    "Source",
    "Verification",
    "fingerprint",
    "optimal",
]
