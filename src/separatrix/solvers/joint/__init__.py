"""Solvers of the joint multi-class problem."""
