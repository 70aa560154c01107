"""Proofs recomputed from the data: duality, certificates, exact arithmetic, the checker. Never the core."""
