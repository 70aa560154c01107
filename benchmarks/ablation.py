"""Each number or heuristic of a solver changed alone, by another `Tuning`, on data that nothing was tuned on.

    python -m benchmarks.ablation FAMILY [--fits 3] [--longest 3] [--sets ...] [--variants ...]

The families are descent, path, newton, smo, joint and joint-path. One thread, processor time, the least of several
fits of a cell with the same seeds; variants take turns within a cell. A cell is a set, C, tol and the kind of bias.
Printed: the geometric mean over the cells of the time relative to the present numbers, the worst cell and the best.
Results are in ABLATION.md.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from benchmarks.ablation_sets import CLASS_SETS, SETS
from separatrix.problem import HINGE, SQUARED_HINGE, JointProblem, Problem, Status
from separatrix.problem.kernels import make_kernel
from separatrix.proof.duality import certify
from separatrix.proof.joint_duality import certify_joint
from separatrix.solvers.coordinate_descent.solver import CoordinateDescent
from separatrix.solvers.coordinate_descent.tuning import Tuning as DescentTuning
from separatrix.solvers.interior_point.solver import InteriorPoint
from separatrix.solvers.interior_point.tuning import RowTuning
from separatrix.solvers.interior_point.tuning import Tuning as PathTuning
from separatrix.solvers.joint.descent import JointDescent
from separatrix.solvers.joint.descent import Tuning as JointTuning
from separatrix.solvers.joint.interior_point import JointInteriorPoint
from separatrix.solvers.joint.interior_point import Tuning as JointPathTuning
from separatrix.solvers.loop.run import Limits, Stage, run
from separatrix.solvers.newton import Newton
from separatrix.solvers.newton import Tuning as NewtonTuning
from separatrix.solvers.smo.solver import BlockSmo
from separatrix.solvers.smo.tuning import Tuning as SmoTuning

Cell = tuple[str, Any, float]  # what to call it, the problem, tol


def linear_cells(names: list[str]) -> Iterator[Cell]:
    """Linear problems with the hinge."""
    for name in names:
        X, y = SETS[name]()
        for C, tol, bias in product((0.1, 3.0, 100.0), (1e-3, 1e-6), ("none", "free")):
            problem = Problem(X, y, np.full(len(y), C), HINGE, bias)  # type: ignore[arg-type]
            yield f"{name}, C={C:g}, tol={tol:g}, {bias}", problem, tol


def squared_cells(names: list[str]) -> Iterator[Cell]:
    """The same with the squared hinge."""
    for name, problem, tol in linear_cells(names):
        yield name, replace(problem, loss=SQUARED_HINGE), tol


def kernel_cells(names: list[str]) -> Iterator[Cell]:
    """Radial kernels on a random part of the rows: 500, 2,500 and 8,000 of them, where there are as many."""
    for name in names:
        X, y = SETS[name]()
        order = np.random.default_rng(0).permutation(len(y))
        for n, C, tol in product((500, 2500, 8000), (1.0, 100.0), (1e-3, 1e-6)):
            if n > 1.2 * len(y):
                continue
            rows, labels = X[order[:n]], y[order[:n]]
            problem = Problem(rows, labels, np.full(len(labels), C), HINGE, "free", make_kernel("rbf", rows))
            yield f"{name}, {len(labels)} rows, C={C:g}, tol={tol:g}", problem, tol


def joint_cells(names: list[str]) -> Iterator[Cell]:
    """All classes in one problem, without a kernel."""
    for name in names:
        X, y = CLASS_SETS[name]()
        classes, codes = np.unique(y, return_inverse=True)
        for C, tol, bias in product((0.1, 10.0), (1e-3, 1e-6), ("none", "free")):
            problem = JointProblem(X, codes, np.full(len(y), C), len(classes), bias)  # type: ignore[arg-type]
            yield f"{name}, C={C:g}, tol={tol:g}, {bias}", problem, tol


#: Sets of so few columns, or rows, that a matrix of them is worth its factorisation.
FEW_COLUMNS = [
    "spambase",
    "letter",
    "svmguide1",
    "splice",
    "diabetes",
    "kddcup04_bio",
    "adult",
    "wdbc",
    "dense 20k x 20",
]


@dataclass(frozen=True)
class Family:
    """A solver, its problems, and what is changed."""

    solver: Callable[[int, Any], Any]  #: from a seed and a record of numbers
    present: Any
    cells: Callable[[list[str]], Iterator[Cell]]
    sets: list[str]
    certify: Any
    changes: dict[str, dict[str, Any]]


FAMILIES = {
    "descent": Family(
        CoordinateDescent,
        DescentTuning(),
        linear_cells,
        list(SETS),
        certify,
        {
            "no shrinking": {"shrink": False},
            "the largest gradient sets the bound": {"outlier": math.inf},
            "inactive rows only after a rejected proof": {"inactive_visits": math.inf},
            "inactive rows return above a tenth": {"inactive_share": 0.1},
            "no copy of the active rows": {"copy": False},
            "no smaller copies, no dense ones": {"copy_below": 0.0},
            "copy and acceleration from the start": {"slow_after": 1},
            "no acceleration": {"moves": 0},
            "acceleration with 2 moves": {"moves": 2},
            "acceleration every epoch": {"epochs_per_acceleration": 1},
            "runs of 1 row": {"run_length": 1},
            "runs of 8 rows": {"run_length": 8},
            "estimates trusted after a rejected proof": {"check_factor": 1.0},
            "a tenth of the penalty": {"penalty": 0.003},
            "ten times the penalty": {"penalty": 0.3},
        },
    ),
    "smo": Family(
        lambda seed, tuning: BlockSmo(tuning=tuning),
        SmoTuning(),
        kernel_cells,
        list(SETS),
        certify,
        {
            "F renewed before every check": {"few_rows": 10**9},
            "a sample whatever the rows": {"few_rows": 0},
            "a sample of 32": {"sample": 32},
            "rounding as the sample shows it": {"doubt": 1.0},
            "256 rows in a round": {"large_round": 256},
            "512 rows in a round": {"small_round": 512, "large_round": 512},
            "768 rows in a round": {"small_round": 768, "large_round": 768},
            "all of 160 rows in a round": {"all_rows": 160},
            "all of 640 rows in a round": {"all_rows": 640},
            "steps of 40 rounds": {"step_rounds": 40, "step_values": 1 << 28},
        },
    ),
    "path": Family(
        lambda seed, tuning: InteriorPoint(seed=seed, tuning=tuning),
        PathTuning(),
        linear_cells,
        FEW_COLUMNS,
        certify,
        {
            "no further corrections": {"correctors": 0},
            "2 further corrections": {"correctors": 2},
            "a long step is 0.9": {"long_step": 0.9},
            "a step longer by 0.1": {"longer_by": 0.1},
            "0.9 of the way to a bound": {"to_boundary": 0.9},
            "no merging": {"merged_share": 0.0},
            "all rows at once": {"few_rows": 10**9},
            "a sample from 1,000 rows on": {"few_rows": 1000},
            "a sample from 4 rows a column on": {"few_rows_per_column": 4},
            "100 rows of a sample a column": {"sample_per_column": 100},
            "a sample of any size": {"sample_per_column": 10**9},
            "a sample to 1e-3": {"loose": (1e-3, 1e-3, 1e-5)},
            "bands to 1e-5 at once": {"loose": (1e-2, 1e-5, 1e-5)},
            "everything to 1e-3": {"loose": (1e-3,)},
            "a third of the band": {"band_share": 1.0},
            "three times the band": {"band_share": 9.0},
            "no least band by columns": {"band_per_column": 0},
            "no least band by rows": {"band_rows": 1},
            "no corner": {"few_free": 0, "free_per_column": 0},
            "a corner of 2,000 rows": {"few_free": 2000},
            "a corner of no more than 4 rows a column": {"few_free": 0},
            "a corner of no more than 600 rows": {"free_per_column": 0},
            "a tenth as undecided": {"undecided": 0.003},
            "one round of the corner": {"corner_rounds": 1},
            "10 steps are a corner's stall": {"corner_stall": 10},
            "one refinement": {"refinements": 1},
            "blocks of 1 MiB": {"rows": RowTuning(block_bytes=1 << 20)},
            "no copies": {"rows": RowTuning(copied_rows=0, copied_bytes=0, copied_share=0.0)},
            "copies up to 32 MiB": {"rows": RowTuning(copied_share=0.0)},
            "signed copies of all dense rows": {"rows": RowTuning(copied_rows=10**9)},
            "no products of pairs": {"rows": RowTuning(pair_cost=math.inf)},
            "spans of 2^12 rows": {"rows": RowTuning(span=1 << 12)},
            "all rows in one span": {"rows": RowTuning(span=1 << 30)},
            "SYRK from 64 columns on": {"rows": RowTuning(few_columns=64)},
            "SYRK always": {"rows": RowTuning(few_columns=0)},
        },
    ),
    "newton": Family(
        lambda seed, tuning: Newton(seed=seed, tuning=tuning),
        NewtonTuning(),
        squared_cells,
        FEW_COLUMNS,
        certify,
        {
            "all rows at once": {"few_rows": 10**9},
            "a sample from 1,000 rows on": {"few_rows": 1000},
            "ten times the sample's gain": {"sample_gain": 1.0},
            "a line search for every step": {"flat": 0.0},
        },
    ),
    "joint": Family(
        JointDescent,
        JointTuning(),
        joint_cells,
        list(CLASS_SETS),
        certify_joint,
        {
            "every pass over all rows": {"partial_passes": 0},
            "4 passes over the active rows": {"partial_passes": 4},
            "16 passes over the active rows": {"partial_passes": 16},
            "no pause after a failed check": {"check_pause": 0.0},
        },
    ),
    "joint-path": Family(
        lambda seed, tuning: JointInteriorPoint(tuning=tuning),
        JointPathTuning(),
        joint_cells,
        list(CLASS_SETS),
        certify_joint,
        {
            "0.9 of the way to a bound": {"to_boundary": 0.9},
            "0.9995 of the way to a bound": {"to_boundary": 0.9995},
            "nothing put at zero": {"vanished": 0.0},
        },
    ),
}


def seconds(family: Family, problem: Any, tol: float, tuning: Any, seed: int, longest: float) -> float:
    """Processor time of a fit; infinite if it does not converge in time."""
    began = time.process_time()
    stage = Stage(family.solver(seed, tuning), "ablation")
    found = run([stage], problem, Limits(tol, max_time=longest), family.certify)
    took = time.process_time() - began
    return took if found.status is Status.CONVERGED else math.inf


def main() -> None:
    """Compare variants and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("solver", choices=list(FAMILIES))
    parser.add_argument("--fits", type=int, default=3)
    parser.add_argument(
        "--longest", type=float, default=3.0, help="seconds; cells that take longer are left out"
    )
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--variants", nargs="*")
    asked = parser.parse_args()
    family = FAMILIES[asked.solver]
    tunings = {"": family.present, "again": family.present}
    for name in asked.variants or family.changes:
        tunings[name] = replace(family.present, **family.changes[name])
    ratios: dict[str, list[tuple[float, str]]] = {name: [] for name in tunings if name}
    for name, problem, tol in family.cells(asked.sets or family.sets):
        if seconds(family, problem, tol, family.present, 0, asked.longest) == math.inf:
            print(f"{name}: left out, longer than {asked.longest} s", flush=True)
            continue
        least = dict.fromkeys(tunings, math.inf)
        for fit in range(asked.fits):
            order = list(tunings)
            for each in order[fit:] + order[:fit]:  # the first finds the caches cold
                took = seconds(family, problem, tol, tunings[each], fit, 5 * asked.longest)
                least[each] = min(least[each], took)
        for each, found in ratios.items():
            found.append((min(least[each], 5 * asked.longest) / least[""], name))
        times = (f"{least[each] / least['']:.2f}" for each in ratios)
        print(f"{name}: {least['']:.4f} s", *times, flush=True)
    print(f"\n{'changed':42} cells  mean  worst  best")
    for each, found in ratios.items():
        mean = math.exp(sum(math.log(ratio) for ratio, _ in found) / len(found))
        worst, best = max(found), min(found)
        print(f"{each:42} {len(found):5} {mean:5.2f} {worst[0]:6.2f} {best[0]:5.2f}  {worst[1]}; {best[1]}")


if __name__ == "__main__":
    main()
