"""Readers of data files, and the memory-mapped store."""
