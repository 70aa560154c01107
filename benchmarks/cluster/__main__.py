"""Training on a Dask cluster, measured on this machine.

    python -m benchmarks.cluster agreement | faults | rounds | costs | memory  [--quick]

agreement  1, 2, 4, 8 partitions, every bias, with and without weights, against one machine
faults     20 runs in which a worker is killed or frozen at a random exchange
rounds     rounds to a gap of 1e-3 against averaging and gradient methods; figure of the gap for 1 and 2 workers
costs      an exchange and a round against bare actors; bytes of a round against the formula
memory     peak memory of a worker in parts of its partitions

Workers are processes of one thread each.
"""

from __future__ import annotations

import argparse
import warnings

from benchmarks.cluster import agreement, costs, faults, memory, rounds

_PROGRAMS = {
    "agreement": agreement.run,
    "faults": faults.run,
    "rounds": rounds.run,
    "costs": costs.run,
    "memory": memory.run,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cluster",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=_PROGRAMS)
    parser.add_argument("--quick", action="store_true", help="fewer rows, fewer runs")
    parser.add_argument("--tol", type=float, default=1e-3, help="agreement: the relative gap to ask for")
    parser.add_argument("--set", action="append", choices=agreement.SETS, help="agreement: only these data")
    parser.add_argument("--figure", help="rounds: where to write the figure (.svg)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # Dask's advice on large graphs
        options = parser.parse_args()
        _PROGRAMS[options.what](options)


if __name__ == "__main__":
    main()
