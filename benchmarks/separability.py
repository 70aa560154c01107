"""Separability on real data and beside other solvers.

    python -m benchmarks.separability data             every set of the data folder: verdict, margin, proof, seconds
    python -m benchmarks.separability random           10,000 small random problems against brute force
    python -m benchmarks.separability peers            hard margin beside QP solvers, separability beside a HiGHS LP

CPU seconds of one thread, in this process. Sets are read from the folder that SEPARATRIX_DATA names.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import tables
from benchmarks.data import folder
from separatrix.proof.verify import verify
from separatrix.separability import Separability, separability
from separatrix.solvers.active_set import hard_margin

SOLVED = 1e-9  # relative gap at which a peer counts as having solved the hard margin
ROOT = Path(__file__).parents[1]


def cpu(action: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    answer = action()
    return answer, time.process_time() - began


# -- every set of the data folder --------------------------------------------------------------------------


def libsvm_sets() -> Iterator[tuple[str, Any, np.ndarray]]:
    from sklearn.datasets import load_svmlight_file

    for path in sorted(folder().glob("*.bz2")):
        X, y = load_svmlight_file(str(path))
        X = sparse.csr_array(X)
        yield path.stem, (X.toarray() if 3 * X.nnz > X.shape[0] * X.shape[1] else X), y


def other_sets() -> Iterator[tuple[str, Any, np.ndarray]]:
    yield "spambase", *tables.spambase()
    for part in ("data", "test"):
        yield f"adult {part}", *tables.adult(part)
    yield "sms-spam", *tables.sms_spam()
    for name in ("mnist", "fashion-mnist"):
        images, labels = idx_images(folder() / name)
        for one, two in ((0, 1), (3, 5), (0, 6)):
            part = np.isin(labels, (one, two))
            yield f"{name} {one} v {two}", images[part], labels[part]
        yield f"{name} 8 v rest", images, (labels == 8).astype(int)


def idx_images(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    with gzip.open(folder / "train-images-idx3-ubyte.gz") as file:
        images = np.frombuffer(file.read()[16:], np.uint8).reshape(-1, 784)
    with gzip.open(folder / "train-labels-idx1-ubyte.gz") as file:
        return images, np.frombuffer(file.read()[8:], np.uint8)


def problems(only: str) -> Iterator[tuple[str, Any, np.ndarray]]:
    for source in (libsvm_sets, other_sets):
        for name, X, y in source():
            if only and only not in name:
                continue
            classes = np.unique(y)
            if len(classes) == 2:
                yield name, X, y
            else:
                for c in classes:
                    yield f"{name} {c:g} v rest", X, np.where(y == c, 1, 0)


def data(only: str, exact: bool) -> None:
    columns = (
        "set",
        "rows x columns",
        "verdict",
        "contradicting rows",
        "margin",
        "verdict s",
        "proof s",
        "verify s",
        "exact s",
    )
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for name, X, y in problems(only):
        print(
            f"| {name} | {X.shape[0]} x {X.shape[1]} | " + " | ".join(measured(X, y, exact)) + " |",
            flush=True,
        )


def measured(X: Any, y: np.ndarray, exact: bool) -> list[str]:
    found, seconds = cpu(lambda: separability(X, y))
    certificate, proof = cpu(lambda: found.certificate)
    checked = [cpu(lambda e=e: verify(certificate, X, y, exact=e)) for e in (False, True)[: 1 + exact]]
    assert all(outcome for outcome, _ in checked), [outcome.reason for outcome, _ in checked]
    return [described(found), *(f"{t:.2f}" for t in (seconds, proof, *(t for _, t in checked)))]


def described(found: Separability) -> str:
    tied = f" ({len(found.tied)} tied)" if found.verdict == "quasi-separable" else ""
    margin = ""
    if found.verdict == "separable":
        lower, upper = found.margin
        margin = f"{lower:.10g}, width {(upper - lower) / upper:.0e}"
    return f"{found.verdict}{tied} | {len(found.rows) or ''} | {margin}"


# -- random problems against brute force ---------------------------------------------------------------------


def random(count: int) -> None:
    sys.path.insert(0, str(ROOT / "tests" / "separability"))
    from small_data import KINDS, small_problem
    from test_random_verdicts import assert_proved

    generator = np.random.default_rng(2026)
    tally: dict[str, int] = {}
    for k in range(count):
        X, y, bias = small_problem(generator, KINDS[k % len(KINDS)])
        found = separability(X, y, bias)
        assert_proved(found, X, y, bias)
        tally[found.verdict] = tally.get(found.verdict, 0) + 1
    print(f"{count} problems, all as brute force says: {tally}")


# -- beside other solvers ------------------------------------------------------------------------------------


def slab(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian rows pushed out of a slab: the true margin is at least 0.01."""
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((n, d))
    w = generator.standard_normal(d)
    w /= np.linalg.norm(w)
    f = X @ w + 0.1
    y = np.where(f >= 0, 1.0, -1.0)
    return X + (np.maximum(0.0, 0.01 - y * f) * y)[:, None] * w, y


def relative_gap(X: np.ndarray, y: np.ndarray, w: np.ndarray, b: float, best: float) -> float:
    least = (y * (X @ w + b)).min()
    return float((w @ w) / least**2 / best - 1) if least > 0 else np.inf


def program(X: np.ndarray, y: np.ndarray, penalty: float) -> tuple[np.ndarray, np.ndarray]:
    """A and H of min 1/2 z.Hz with A z >= 1, z = (w, b); ``penalty`` is that of b, which some solvers need."""
    A = np.column_stack([X, np.ones(len(X))]) * y[:, None]
    H = np.eye(A.shape[1])
    H[-1, -1] = penalty
    return A, H


def peer_solvers() -> dict[str, Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, float]]]:
    found: dict[str, Any] = {}
    try:
        import daqp

        def by_daqp(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
            A, H = program(X, y, 1e-8)
            z = daqp.solve(
                H, np.zeros(len(H)), A, np.full(len(A), 1e30), np.ones(len(A)), np.zeros(len(A), np.int32)
            )[0]
            return np.asarray(z[:-1]), float(z[-1])

        found["daqp"] = by_daqp
    except ImportError:
        pass
    try:
        import quadprog

        def by_quadprog(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
            A, H = program(X, y, 1e-8)
            z = quadprog.solve_qp(H, np.zeros(len(H)), A.T, np.ones(len(A)))[0]
            return z[:-1], float(z[-1])

        found["quadprog"] = by_quadprog
    except ImportError:
        pass
    try:
        import piqp

        def by_piqp(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
            A, H = program(X, y, 0.0)
            solver = piqp.DenseSolver()
            solver.settings.eps_abs = solver.settings.eps_rel = 1e-9
            solver.setup(H, np.zeros(len(H)), None, None, A, np.ones(len(A)), None)
            solver.solve()
            z = solver.result.x
            return z[:-1], float(z[-1])

        found["piqp"] = by_piqp
    except ImportError:
        pass
    return found


def median_cpu(action: Callable[[], Any], budget: float = 20.0) -> tuple[Any, float]:
    times, answer = [], None
    while len(times) < 7 and sum(times) < budget:
        answer, seconds = cpu(action)
        times.append(seconds)
        if len(times) == 1 and seconds < 0.01:
            # Short runs: repeat inside one measurement.
            repeats = int(0.02 / max(seconds, 1e-6)) + 1
            for _ in range(5):
                _, seconds = cpu(lambda repeats=repeats: [action() for _ in range(repeats)])
                times.append(seconds / repeats)
            times.pop(0)
            break
    return answer, float(np.median(times))


def peers(most: int, slow: bool) -> None:
    solvers = peer_solvers()
    print(
        "| n | d | ours | gap | " + " | ".join(f"{name} | gap" for name in solvers) + " | best peer / ours |"
    )
    print("|" + "---|" * (5 + 2 * len(solvers)))
    for n in (1_000, 10_000, 100_000):
        for d in (2, 20, 200):
            if n > most:
                continue
            X, y = slab(n, d)
            ours, seconds = median_cpu(lambda X=X, y=y: hard_margin(X, y))
            v = X[ours.rows].T @ (ours.alpha * y[ours.rows])
            dual = 2 * ours.alpha.sum() - v @ v
            cells, best = [], np.inf
            for solve in solvers.values():
                if n * d >= 10_000_000 and not slow:
                    cells.append("- | -")
                    continue
                (w, b), t = median_cpu(lambda X=X, y=y, solve=solve: solve(X, y), budget=10.0)
                gap = relative_gap(X, y, w, b, dual)
                cells.append(f"{t:.5f} | {gap:.0e}")
                if gap <= SOLVED:
                    best = min(best, t)
            gap = relative_gap(X, y, ours.w, ours.b, dual)
            print(
                f"| {n} | {d} | {seconds:.5f} | {gap:.0e} | "
                + " | ".join(cells)
                + f" | {best / seconds:.1f} |",
                flush=True,
            )
    linear_program(most)


def linear_program(most: int) -> None:
    """separability beside the LP  min sum s  s.t.  A z + s >= 1, s >= 0  in HiGHS, as SciPy ships it."""
    from scipy.optimize import linprog

    print("\n| n | d | separable | separability | HiGHS LP | ratio |")
    print("|---|---|---|---|---|---|")
    for n, d in ((10_000, 20), (100_000, 2), (100_000, 20), (100_000, 100)):
        for separable in (True, False):
            if n > most:
                continue
            X, y = slab(n, d)
            if not separable:
                generator = np.random.default_rng(1)
                y = np.where(generator.random(n) < 0.1, -y, y)
            found, seconds = median_cpu(lambda X=X, y=y: separability(X, y), budget=3.0)
            assert (found.verdict == "separable") == separable
            A = np.column_stack([X, np.ones(n)]) * y[:, None]
            # Feasibility only: A z >= 1 with z free.
            _, lp = cpu(
                lambda A=A: linprog(
                    np.zeros(A.shape[1]), A_ub=-A, b_ub=-np.ones(len(A)), bounds=(None, None), method="highs"
                )
            )
            print(f"| {n} | {d} | {separable} | {seconds:.4f} | {lp:.3f} | {lp / seconds:.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["data", "random", "peers"])
    parser.add_argument("--only", default="", help="data: sets whose name contains this")
    parser.add_argument(
        "--no-exact", action="store_true", help="data: leave out the check in exact arithmetic"
    )
    parser.add_argument("--count", type=int, default=10_000, help="random: how many problems")
    parser.add_argument("--most", type=int, default=100_000, help="peers: largest number of rows")
    parser.add_argument("--slow", action="store_true", help="peers: also where they need minutes")
    options = parser.parse_args()
    if options.what == "data":
        data(options.only, not options.no_exact)
    elif options.what == "random":
        random(options.count)
    else:
        peers(options.most, options.slow)


if __name__ == "__main__":
    main()
