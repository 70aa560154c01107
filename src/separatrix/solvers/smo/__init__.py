"""Sequential minimal optimisation on blocks, for kernels."""
