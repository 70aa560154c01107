"""Model files, and exports to other formats."""
