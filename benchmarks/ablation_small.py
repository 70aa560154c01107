"""Each number of the solver for small problems changed alone, by counted work: python -m benchmarks.ablation_small

The work is counted in products of two numbers, so that the table is the same on every machine of one instruction set
whatever else it does. A cell is a set, linear or with a radial kernel, C = 0.01, 1 or 100, a loss and a kind of bias,
solved to 1e-3, as in cross-validation, or to the last digits, as in a fit. Printed: the geometric mean over the cells
of the work relative to the present numbers, for both kinds of space, the worst cell and the best; problems that do not
reach the aim; cells whose gap is above 1e-8 at the end. Results are in ABLATION.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.data import read_libsvm
from separatrix.problem import HINGE, SQUARED_HINGE, Problem
from separatrix.solvers.small.solver import TUNING, SmallAnswer, solve_small
from separatrix.solvers.small.tuning import Tuning

VARIANTS: dict[str, dict[str, float]] = {
    "first_width, none": {"first_width": 1e6},
    "first_width 1": {"first_width": 1.0},
    "softest, none": {"softest": 1e9},
    "softest 0.003": {"softest": 0.003},
    "softest 0.3": {"softest": 0.3},
    "stiffest, none": {"stiffest": 1e-12},
    "stiffest 1e-6": {"stiffest": 1e-6},
    "narrowing 0.003": {"narrowing": 0.003},
    "narrowing 0.3": {"narrowing": 0.3},
    "least 1e-5": {"least": 1e-5},
    "least 1e-9": {"least": 1e-9},
    "line_search 0.01": {"line_search": 0.01},
    "line_search 0.9": {"line_search": 0.9},
    "pair_tolerance 0.01": {"pair_tolerance": 0.01},
    "pair_tolerance 0.3": {"pair_tolerance": 0.3},
    "newton_share, pairs to the end": {"newton_share": 0.0},
    "newton_share 0.06": {"newton_share": 0.06},
    "newton_share 1": {"newton_share": 1.0},
    "newton_share, at once": {"newton_share": 1e9},
    "rows_per_column, never a matrix": {"rows_per_column": 0.0},
}


def sets() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, X and y of sets that no number was chosen on."""
    for name, rows in [
        ("heart_scale", 999),
        ("australian_scale", 999),
        ("diabetes_scale", 999),
        ("ionosphere", 999),
        ("splice_scale", 1000),
        ("colon-cancer_scaled", 99),
        ("leukemia_train", 99),
        ("svmguide1", 1500),
        ("mushrooms", 600),
        ("letter", 900),
    ]:
        X, y = read_libsvm(name)
        chosen = np.random.default_rng(7).permutation(len(y))[:rows]
        X, y = X[chosen].toarray()[:, :2000], y[chosen]
        few = y <= 6  # six of the 26 letters
        yield (name, X[few], y[few]) if name == "letter" else (name, X, y)
    for n, d, k, seed in [
        (60, 4, 2, 1),
        (200, 300, 2, 2),
        (250, 15, 3, 3),
        (900, 12, 2, 4),
        (1200, 40, 4, 5),
    ]:
        rng = np.random.default_rng(seed)
        y = rng.integers(0, k, n)
        X = rng.standard_normal((n, d)) + (2.4 / np.sqrt(d)) * rng.standard_normal((k, d))[y]
        yield f"{k} clouds {n} x {d}", X, y
        yield f"{k} clouds {n} x {d}, raw", X * 10.0 ** rng.uniform(-2, 3, d) + rng.standard_normal(d), y


@dataclass(frozen=True)
class Cell:
    """Binary problems that are solved in one call."""

    X: np.ndarray
    gram: np.ndarray | None
    signs: np.ndarray
    C: float
    squared: bool
    bias: str
    aim: float

    def solve(self, tuning: Tuning) -> SmallAnswer:
        """Its answer with these numbers."""
        data = {"rows": self.X} if self.gram is None else {"gram": self.gram}
        return solve_small(
            self.signs,
            np.full(self.signs.shape, self.C),
            squared=self.squared,
            bias=self.bias,  # type: ignore[arg-type]
            aim=self.aim,
            tuning=tuning,
            **data,
        )

    def gap(self, answer: SmallAnswer) -> float:
        """The largest relative gap of its problems."""
        gaps = []
        for k, y in enumerate(self.signs.astype(float)):
            loss, alpha, b = SQUARED_HINGE if self.squared else HINGE, answer.alpha[k], float(answer.b[k])
            problem = Problem(self.X, y, np.full(len(y), self.C), loss, self.bias)  # type: ignore[arg-type]
            if self.gram is None:
                assert answer.w is not None
                primal, dual = problem.primal(answer.w[k], b), problem.dual(alpha)
            else:
                f = self.gram @ (alpha * y)
                square = float(f @ (alpha * y))
                primal, dual = problem.primal_value(square, f + b, b), problem.dual_value(alpha, square)
            gaps.append((primal - dual) / primal)
        return max(gaps)


def cells(aim: float) -> Iterator[Cell]:
    """All of them, those without a kernel and those with one in turn."""
    for _, X, y in sets():
        X, found = np.ascontiguousarray(X, dtype=float), np.unique(y)
        chosen = found if len(found) > 2 else found[1:]
        signs = np.array([np.where(y == label, 1, -1) for label in chosen], np.int8)
        gram = rbf_kernel(X, gamma=1.0 / (X.shape[1] * X.var()))
        for K, C, squared, bias in product(
            (None, gram), (0.01, 1.0, 100.0), (False, True), ("free", "augmented")
        ):
            yield Cell(X, K, signs, C, squared, bias, aim)


def mean(ratios: list[float]) -> float:
    """The geometric mean."""
    return float(np.exp(np.mean(np.log(ratios))))


def main() -> None:
    """Print a row for each aim and variant."""
    print(f"{'':38} {'linear':>7} {'kernel':>7} {'worst':>7} {'best':>6}  not reached  gap > 1e-8")
    for aim in (1e-3, 1e-12):
        every = list(cells(aim))
        present = [cell.solve(TUNING) for cell in every]
        for name, change in {"the present numbers": {}, **VARIANTS}.items():
            answers = [cell.solve(replace(TUNING, **change)) for cell in every]
            ratios = [a.work.sum() / p.work.sum() for a, p in zip(answers, present, strict=True)]
            linear = [ratio for ratio, cell in zip(ratios, every, strict=True) if cell.gram is None]
            kernel = [ratio for ratio, cell in zip(ratios, every, strict=True) if cell.gram is not None]
            missed = sum(int(np.sum(~answer.reached)) for answer in answers)
            wide = sum(c.gap(a) > max(aim, 1e-8) for c, a in zip(every, answers, strict=True))
            print(
                f"{f'{name}, to {aim:g}':38} {mean(linear):7.2f} {mean(kernel):7.2f} {max(ratios):7.1f}"
                f" {min(ratios):6.2f}  {missed:11}  {wide:10}",
                flush=True,
            )


if __name__ == "__main__":
    main()
