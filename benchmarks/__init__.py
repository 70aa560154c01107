"""Measurements against other libraries: ``python -m benchmarks`` and ``python -m benchmarks.agreement``."""
