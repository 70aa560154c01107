"""The stand-alone checker: certificates checked in exact arithmetic with the standard library alone.

    python -m separatrix.checker certificate.json data.libsvm

Nothing here imports NumPy or any other part of the library, so that a proof can be checked without trusting
the code that found it.
"""
