"""separatrix: classifiers that prove their answer."""

__version__ = "0.1.0"
