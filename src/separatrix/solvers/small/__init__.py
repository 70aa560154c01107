"""The solver for small problems: all binary problems of a fit in one compiled call."""
