"""The one loop that drives every solver, and its limits."""
