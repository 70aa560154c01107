"""The cluster beside one machine: agreement, faults, rounds against averaging, what a round costs, memory of a worker."""
