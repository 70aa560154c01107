"""Time to a given accuracy, side by side: ``python -m benchmarks [suite ...] [--quick] [--only text]``.

Each method runs in a process of its own with one thread. A peer is swept over its own tolerance (and over
its iteration limit where it has one), scored on its true primal objective, and credited with the fastest
setting that is within 1e-2, 1e-3, 1e-6 of the optimum. Ours is scored twice: by the same rule ("ours"), and by when it
has proved a gap of that size and stops on it ("proved"). The optimum is ours at a proved gap of 1e-9.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import queue
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks.methods import METHODS, OURS, PEERS
from benchmarks.problems import CASES, SUITES, Case
from benchmarks.table import TARGETS, credited, header, row, summary

_LOOKS = 4  # at who is the fastest
RESULTS = Path(__file__).parent / "results"
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMEXPR")
}


def measure(method: str, case: Case, options: argparse.Namespace, **extra: Any) -> dict[str, Any]:
    """Run one worker for at most ``limit`` CPU seconds of measuring; returns its lines and how it ended."""
    spec = {
        "method": method,
        "case": asdict(case),
        "repeats": options.repeats,
        "limit": options.limit,
        "core": options.core,
        "solver": options.solver if METHODS[method] in OURS else None,
        "settings": None,
        "enough": None,
        **extra,
    }
    worker = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
        env={**os.environ, **ONE_THREAD},
    )
    assert worker.stdin
    assert worker.stdout
    assert worker.stderr
    worker.stdin.write(json.dumps(spec) + "\n")
    worker.stdin.flush()
    lines: queue.Queue[str | None] = queue.Queue()
    threading.Thread(target=_drain, args=(worker.stdout, lines), daemon=True).start()
    errors: list[str] = []
    complaints = threading.Thread(target=lambda: errors.extend(worker.stderr), daemon=True)
    complaints.start()
    outcome: dict[str, Any] = {"method": method, "points": [], "ended": "done"}
    deadline = time.monotonic() + 120  # imports and reading the data; the limit begins at "ready"
    allowed = float("inf")
    while True:
        try:
            line = lines.get(timeout=0.2)
        except queue.Empty:
            if time.monotonic() < deadline and cpu_seconds(worker.pid) < allowed:
                continue
            outcome["ended"] = "time limit"
            break
        if line is None:
            break
        said = json.loads(line)
        if "missing" in said:
            outcome["ended"] = said["missing"]
        elif "ready" in said:
            deadline = time.monotonic() + 5 * options.limit  # on a busy machine CPU seconds take longer
            allowed = cpu_seconds(worker.pid) + options.limit
        else:
            outcome["points"].append(said)
    worker.kill()
    code = worker.wait()
    if code > 0:
        complaints.join(1)
        outcome["ended"] = "failed: " + (errors[-1].strip() if errors else "no message")
    return outcome


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far; 0 where the system has no /proc to tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _drain(stream: Any, lines: queue.Queue[str | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def compare(case: Case, options: argparse.Namespace) -> dict[str, Any]:
    """All methods on one problem."""
    data.load(case.data)  # fills the cache, so that no method pays for reading text
    reference = measure("separatrix f64", case, options, settings=[{"tol": 1e-9}], repeats=1)
    best = min((point["primal"] for point in reference["points"]), default=None)
    runs = [measure(method.name, case, options) for method in OURS]
    enough = None if best is None else best * (1 + TARGETS[-1])
    for method in PEERS:
        if method.takes(case) and (not options.peers or method.name in options.peers):
            runs.append(measure(method.name, case, options, enough=enough))
    values = [point["primal"] for run in [reference, *runs] for point in run["points"]]
    proved = [point["gap"] for point in reference["points"]]
    result = {
        "case": asdict(case),
        "label": case.label,
        "optimum": min(values, default=None),
        "optimum_proved_to": proved[0] if proved else None,
        "runs": runs,
    }
    measure_again(result, case, options)
    return result


def measure_again(result: dict[str, Any], case: Case, options: argparse.Namespace) -> None:
    """The fits that the table rests on once more, in turn: a quiet moment of the machine is luck, and must not decide.

    Each counts with the median of these; if another one is the fastest then, it is measured again too.
    """
    for _ in range(_LOOKS if options.turns else 0):
        fresh = [(method, point) for method, point in credited(result) if "turns" not in point]
        for method, point in fresh * options.turns:
            for again in measure(method, case, options, settings=[point["setting"]])["points"]:
                point.setdefault("turns", []).append(again["cpu"])
        for _, point in fresh:
            point["cpu"] = statistics.median(point.get("turns", [point["cpu"]]))


def chosen(options: argparse.Namespace) -> list[Case]:
    cases = [case for case in CASES if "all" in options.suites or case.suite in options.suites]
    if options.only:
        cases = [case for case in cases if options.only in case.label]
    if options.quick:
        small = {"cod-rna", "a9a", "ijcnn1", "sparse 20k x 100k", "news20 class 1", "a9a 5k rows"}
        cases = [case for case in cases if case.data in small and case.C == 1.0]
    return cases


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("suites", nargs="*", default=["all"], help=f"all, or any of {', '.join(SUITES)}")
    parser.add_argument("--only", help="problems whose name contains this text")
    parser.add_argument("--quick", action="store_true", help="small problems, C = 1, at most 5 s a method")
    parser.add_argument(
        "--limit", type=float, default=20.0, help="CPU seconds a method may take on a problem"
    )
    parser.add_argument("--repeats", type=int, default=5, help="runs of each setting; the median counts")
    parser.add_argument(
        "--turns", type=int, default=3, help="how often the fastest fits are measured again, in turn"
    )
    parser.add_argument("--core", type=int, help="pin every measurement to this core")
    parser.add_argument("--solver", help="pass this solver= to separatrix instead of auto")
    parser.add_argument("--peers", nargs="*", help="only these peers, by name")
    options = parser.parse_args()
    unknown = set(options.suites) - {*SUITES, "all"}
    if unknown:
        parser.error(f"unknown suite {', '.join(sorted(unknown))}; there are all, {', '.join(SUITES)}")
    if options.quick:
        options.limit, options.repeats = min(options.limit, 5.0), min(options.repeats, 3)
    return options


def main() -> None:
    options = arguments()
    cases = chosen(options)
    methods = sum(len(OURS) + 1 + sum(peer.takes(case) for peer in PEERS) for case in cases)
    worst = methods * options.limit / 60
    print(
        f"{len(cases)} problems, {methods} sweeps: about {worst / 4:.0f} min, at most {worst:.0f} min",
        file=sys.stderr,
    )
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{time.strftime('%Y%m%d-%H%M%S')}.json"
    machine = {"processor": platform.processor() or platform.machine(), "python": platform.python_version()}
    results: list[dict[str, Any]] = []
    said: set[tuple[str, str]] = set()
    print(header())
    for case in cases:
        result = compare(case, options)
        results.append(result)
        print(row(result), flush=True)
        path.write_text(json.dumps({"machine": machine, "results": results}, indent=1) + "\n")
        for run in result["runs"]:
            if run["ended"] not in ("done", "time limit") and (run["method"], run["ended"]) not in said:
                said.add((run["method"], run["ended"]))
                print(f"{run['method']} left out: {run['ended']}", file=sys.stderr, flush=True)
    print(summary(results))
    print(f"all points: {path.relative_to(Path(__file__).parents[1])}", file=sys.stderr)


if __name__ == "__main__":
    main()
