"""The solver for small problems alone, beside whole fits of scikit-learn: python -m benchmarks.small_solver

Sets made at random, on which none of its numbers but `patience` was chosen, and scikit-learn's own, raw and
standardised. The time is the least CPU time of several calls on one thread; the kernel matrix is given. scikit-learn's
is that of a whole ``fit``, of the faster of SVC and, for the linear kernel, LinearSVC with the hinge, at their
default tolerances, which promise no gap.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from sklearn import datasets
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, LinearSVC

from separatrix.problem import HINGE, Problem
from separatrix.problem.kernels import Precomputed
from separatrix.solvers.small.solver import SmallAnswer, solve_small

COSTS = (0.01, 1.0, 100.0)


def sets() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield name, X and y of each set."""
    for name, load in [
        ("iris", datasets.load_iris),
        ("wine", datasets.load_wine),
        ("breast cancer", datasets.load_breast_cancer),
        ("digits", datasets.load_digits),
    ]:
        X, y = load(return_X_y=True)
        yield name, X, y
        yield f"{name}, standardised", _standardised(X), y
    for n, d, k in [
        (40, 3, 2),
        (120, 200, 2),
        (150, 20, 4),
        (300, 60, 2),
        (700, 10, 2),
        (1500, 30, 6),
        (2000, 5, 3),
    ]:
        rng = np.random.default_rng(n * d)
        y = rng.integers(0, k, n)
        X = rng.standard_normal((n, d)) + (1.5 / np.sqrt(d)) * rng.standard_normal((k, d))[y] * np.sqrt(5)
        yield f"{k} clouds {n} x {d}", X, y
        yield f"{k} clouds {n} x {d}, raw", X * 10.0 ** rng.uniform(-2, 3, d) + rng.standard_normal(d), y


def _standardised(X: np.ndarray) -> np.ndarray:
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _signs(y: np.ndarray) -> np.ndarray:
    found = np.unique(y)
    return np.array([np.where(y == c, 1, -1) for c in (found if len(found) > 2 else found[1:])], np.int8)


def _cpu_ms(call: Callable[[], object], seconds: float = 0.1) -> float:
    """Return the least CPU time of calls that take so many seconds together, two at least."""
    times: list[float] = []
    while len(times) < 2 or (sum(times) < 1e3 * seconds and len(times) < 200):
        began = time.process_time_ns()
        call()
        times.append((time.process_time_ns() - began) / 1e6)
    return min(times)


def _worst_gap(
    X: np.ndarray, signs: np.ndarray, C: float, answer: SmallAnswer, gram: np.ndarray | None
) -> float:
    gaps = []
    for k, sign in enumerate(signs.astype(float)):
        costs, alpha, b = np.full(len(sign), C), answer.alpha[k], float(answer.b[k])
        if gram is None:
            assert answer.w is not None
            problem = Problem(X, sign, costs, HINGE, "free")
            primal, dual = problem.primal(answer.w[k], b), problem.dual(alpha)
        else:
            problem = Problem(gram, sign, costs, HINGE, "free", Precomputed())
            f = gram @ (alpha * sign)
            square = float(f @ (alpha * sign))
            primal, dual = problem.primal_value(square, f + b, b), problem.dual_value(alpha, square)
        gaps.append((primal - dual) / primal)
    return max(gaps)


def main() -> None:
    """Print a row for each set, kernel and C."""
    warnings.simplefilter("ignore")  # LinearSVC says that it has not converged
    print(f"{'set':34} {'kernel':7} {'C':>6} {'ms':>8} {'sklearn':>8} {'gap':>8}  reached")
    ratios = []
    for name, X, y in sets():
        X, signs = np.ascontiguousarray(X, dtype=float), _signs(y)
        gram = rbf_kernel(X, gamma=1.0 / (X.shape[1] * X.var()))
        for kernel, data in (("linear", {"rows": X}), ("rbf", {"gram": gram})):
            for C in COSTS:
                costs = np.full(signs.shape, C)
                call = partial(solve_small, signs, costs, **data)
                answer, ours = call(), _cpu_ms(call)
                peers = [SVC(C=C, kernel=kernel, max_iter=100_000)]
                if kernel == "linear":
                    peers.append(LinearSVC(C=C, loss="hinge"))
                theirs = min(_cpu_ms(partial(peer.fit, X, y)) for peer in peers)
                gap = _worst_gap(X, signs, C, answer, gram if kernel == "rbf" else None)
                ratios.append(theirs / ours)
                reached = "all" if answer.reached.all() else f"{np.sum(answer.reached)} of {len(signs)}"
                print(
                    f"{name:34} {kernel:7} {C:6} {ours:8.3f} {theirs:8.2f} {gap:8.0e}  {reached}", flush=True
                )
    print(
        f"geometric mean of sklearn's time over ours {np.exp(np.mean(np.log(ratios))):.1f}, least {min(ratios):.2f}"
    )


if __name__ == "__main__":
    main()
