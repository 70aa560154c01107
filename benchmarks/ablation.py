"""Each number or heuristic of a solver changed alone, by another `Tuning`, on data that nothing was tuned on.

    python -m benchmarks.ablation FAMILY [--fits 3] [--longest 3] [--sets ...] [--variants ...]

The families are descent, path, newton, smo, joint, joint-path and choice (of the solver). One thread, processor time,
the least of several fits of a cell with the same seeds; variants take turns within a cell, and those that run the same
solvers with the same numbers are one. A cell is a set, C, tol and the kind of bias.
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
from separatrix.solvers.choose import Tuning as ChoiceTuning
from separatrix.solvers.choose import stages
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


def alone(solver: Callable[[int, Any], Any]) -> Callable[[Any, float, int, Any], list[Stage]]:
    """One solver from beginning to end, made from a seed and a record of numbers."""
    return lambda problem, tol, seed, tuning: [Stage(solver(seed, tuning), "ablation")]


def choice_cells(names: list[str]) -> Iterator[Cell]:
    """Linear problems with either loss."""
    for name in names:
        yield from linear_cells([name])
        for cell, problem, tol in squared_cells([name]):
            yield f"{cell}, squared", problem, tol


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

    stages: Callable[
        [Any, float, int, Any], list[Stage]
    ]  #: from a problem, tol, a seed and a record of numbers
    present: Any
    cells: Callable[[list[str]], Iterator[Cell]]
    sets: list[str]
    certify: Any
    changes: dict[str, dict[str, Any]]


FAMILIES = {
    "descent": Family(
        alone(CoordinateDescent),
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
            "short runs from memory": {"long_run": 2},
            "estimates trusted after a rejected proof": {"check_factor": 1.0},
            "a tenth of the penalty": {"penalty": 0.003},
            "ten times the penalty": {"penalty": 0.3},
        },
    ),
    "smo": Family(
        alone(lambda seed, tuning: BlockSmo(tuning=tuning)),
        SmoTuning(),
        kernel_cells,
        list(SETS),
        certify,
        {
            "F renewed before every check": {"few_rows": 10**9},
            "a sample whatever the rows": {"few_rows": 0},
            "a sample of 32": {"sample": 32},
            "256 rows in a round": {"large_round": 256},
            "512 rows in a round": {"small_round": 512, "large_round": 512},
            "768 rows in a round": {"small_round": 768, "large_round": 768},
            "all of 160 rows in a round": {"all_rows": 160},
            "all of 640 rows in a round": {"all_rows": 640},
            "steps of 40 rounds": {"step_rounds": 40, "step_values": 1 << 28},
        },
    ),
    "path": Family(
        alone(lambda seed, tuning: InteriorPoint(seed=seed, tuning=tuning)),
        PathTuning(),
        linear_cells,
        FEW_COLUMNS,
        certify,
        {
            "0.9 of the way to a bound": {"to_boundary": 0.9},
            "no merging": {"merge": False},
            "all rows at once": {"few_rows": 10**9},
            "a sample from 1,000 rows on": {"few_rows": 1000},
            "a sample to 1e-3": {"loose_sample": 1e-3},
            "bands to 1e-3": {"loose_band": 1e-3},
            "a third of the band": {"band_share": 1.0},
            "three times the band": {"band_share": 9.0},
            "no corner": {"free_per_column": 0},
            "a corner of 40 rows a column": {"free_per_column": 40},
            "a tenth as undecided": {"undecided": 0.003},
            "undecided as the corner has it": {"undecided": 1.0},
            "10 steps are a corner's stall": {"corner_stall": 10},
            "blocks of 1 MiB": {"rows": RowTuning(block_bytes=1 << 20)},
            "no copies": {"rows": RowTuning(copied_bytes=0)},
            "no products of pairs": {"rows": RowTuning(pair_cost=math.inf)},
            "spans of 2^12 rows": {"rows": RowTuning(span=1 << 12)},
            "SYRK from 64 columns on": {"rows": RowTuning(few_columns=64)},
            "SYRK always": {"rows": RowTuning(few_columns=0)},
        },
    ),
    "newton": Family(
        alone(lambda seed, tuning: Newton(seed=seed, tuning=tuning)),
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
        alone(JointDescent),
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
        alone(lambda seed, tuning: JointInteriorPoint(tuning=tuning)),
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
    "choice": Family(
        lambda problem, tol, seed, tuning: stages(problem, "auto", tol, seed, tuning=tuning),
        ChoiceTuning(),
        choice_cells,
        list(SETS),
        certify,
        {
            "a visit costs nothing but entries": {"row_visit": 0.0},
            "a visit costs 20 entries": {"row_visit": 20.0},
            "a visit costs 180 entries": {"row_visit": 180.0},
            "half the passes": {"passes": 4.0},
            "twice the passes": {"passes": 16.0},
            "as many passes with few rows": {"rows_per_column": 1e-9},
            "5 rows a column": {"rows_per_column": 5.0},
            "20 rows a column": {"rows_per_column": 20.0},
            "no passes in an interior point": {"path_passes": 0.0},
            "16 passes in an interior point": {"path_passes": 16.0},
            "an interior point on all rows": {"whole_rows": math.inf},
            "on 100 rows a column": {"whole_rows": 100.0},
            "never Newton": {"newton_matrices": math.inf},
            "4 matrices of Newton": {"newton_matrices": 4.0},
            "always descent": {"largest_matrix": 0},
        },
    ),
}


def seconds(family: Family, problem: Any, tol: float, plan: list[Stage], longest: float) -> float:
    """Processor time of a fit; infinite if it does not converge in time."""
    began = time.process_time()
    found = run(plan, problem, Limits(tol, max_time=longest), family.certify)
    took = time.process_time() - began
    return took if found.status is Status.CONVERGED else math.inf


def least_times(
    family: Family, problem: Any, tol: float, tunings: dict[str, Any], fits: int, longest: float
) -> dict[str, float]:
    """The least time of each variant over several fits, in turn."""
    least = dict.fromkeys(tunings, math.inf)
    for fit in range(fits):
        plans = {name: family.stages(problem, tol, fit, tuning) for name, tuning in tunings.items()}
        order, took = list(plans), dict[Any, float]()
        for name in order[fit:] + order[:fit]:  # the first finds the caches cold
            same = name == "again", tuple((stage.solver, stage.patience) for stage in plans[name])
            if same not in took:
                took[same] = seconds(family, problem, tol, plans[name], longest)
            least[name] = min(least[name], took[same])
    return least


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
        plan = family.stages(problem, tol, 0, family.present)
        if seconds(family, problem, tol, plan, asked.longest) == math.inf:
            print(f"{name}: left out, longer than {asked.longest} s", flush=True)
            continue
        least = least_times(family, problem, tol, tunings, asked.fits, 5 * asked.longest)
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
