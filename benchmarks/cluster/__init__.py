"""The cluster beside one machine: agreement, faults, rounds, what a round costs, memory of a worker."""
