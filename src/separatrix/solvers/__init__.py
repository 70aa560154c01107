"""One algorithm per file, and the one loop that drives them all."""
