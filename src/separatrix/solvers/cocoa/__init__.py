"""Coordinate descent on blocks of rows that are joined (CoCoA+)."""
