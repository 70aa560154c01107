"""Each heuristic of coordinate descent turned off alone, by another `Tuning`, on data that nothing was tuned on.

    python -m benchmarks.ablation [--fits 3] [--longest 3] [--sets ...] [--variants ...]

One thread, processor time, the least of several fits of a cell with the same seeds; variants take turns within a
cell. A cell is a set, C, tol and the kind of bias. Printed: the geometric mean over the cells of the time relative to
the present numbers, the worst cell and the best. Results are in ABLATION.md.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from benchmarks.data import Data, folder, images, read_libsvm, signs
from separatrix.problem import HINGE, Problem, Status
from separatrix.proof.duality import certify
from separatrix.solvers.coordinate_descent.solver import CoordinateDescent
from separatrix.solvers.coordinate_descent.tuning import Tuning
from separatrix.solvers.loop.run import Limits, Stage, run

VARIANTS = {
    "no shrinking": Tuning(shrink=False),
    "the largest gradient sets the bound": Tuning(outlier=math.inf),
    "inactive rows only after a rejected proof": Tuning(inactive_visits=math.inf),
    "inactive rows return above a tenth": Tuning(inactive_share=0.1),
    "no copy of the active rows": Tuning(copy=False),
    "no smaller copies, no dense ones": Tuning(copy_below=0.0),
    "copy and acceleration from the start": Tuning(slow_after=1),
    "no acceleration": Tuning(moves=0),
    "acceleration with 2 moves": Tuning(moves=2),
    "acceleration every epoch": Tuning(epochs_per_acceleration=1),
    "runs of 1 row": Tuning(run_length=1),
    "runs of 8 rows": Tuning(run_length=8),
    "estimates trusted after a rejected proof": Tuning(check_factor=1.0),
    "a tenth of the penalty": Tuning(penalty=0.003),
    "ten times the penalty": Tuning(penalty=0.3),
}


def _sms(vectorizer: Any) -> Callable[[], Data]:
    def make() -> Data:
        with gzip.open(folder() / "SMSSpamCollection.tsv.gz", "rt") as stream:
            kinds, texts = zip(*(line.rstrip("\n").split("\t", 1) for line in stream), strict=True)
        return sparse.csr_matrix(vectorizer.fit_transform(texts), dtype=float), signs(np.array(kinds), "spam")

    return make


def _standardised(X: np.ndarray) -> np.ndarray:
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _spambase() -> Data:
    with gzip.open(folder() / "spambase.csv.gz", "rt") as stream:
        table = np.loadtxt(stream, delimiter=",")
    return _standardised(table[:, :-1]), signs(table[:, -1], 1)


def _adult() -> Data:
    """Categories one-hot, numbers as they are in units of their deviation: sparse, 14 entries a row."""
    with gzip.open(folder() / "adult.data.csv.gz", "rt") as stream:
        rows = [[cell.strip() for cell in line.split(",")] for line in stream if line.count(",") == 14][1:]
    blocks = []
    for column in list(zip(*rows, strict=True))[:-1]:
        if column[0].isdigit():
            values = np.array(column, dtype=float)
            blocks.append(sparse.csr_matrix(values[:, np.newaxis] / values.std()))
        else:
            names, codes = np.unique(column, return_inverse=True)
            ones = np.ones(len(codes)), (np.arange(len(codes)), codes)
            blocks.append(sparse.csr_matrix(ones, shape=(len(codes), len(names))))
    return sparse.csr_matrix(sparse.hstack(blocks)), signs(np.array([row[-1] for row in rows]), ">50K")


def _libsvm(name: str, positive: Callable[[np.ndarray], np.ndarray]) -> Callable[[], Data]:
    def make() -> Data:
        X, y = read_libsvm(name)
        return _standardised(X.toarray()), np.where(positive(y), 1.0, -1.0)

    return make


def _digits() -> Data:
    X, y = load_digits(return_X_y=True)
    return X / 16.0, signs(y % 2, 1)


def _wdbc() -> Data:
    X, y = load_breast_cancer(return_X_y=True)
    return _standardised(X), signs(y, 1)


def _fashion(first: int, second: int) -> Callable[[], Data]:
    def make() -> Data:
        X, y = images("fashion-mnist")
        keep = (y == first) | (y == second)
        return np.ascontiguousarray(X[keep][:6000]), signs(y[keep][:6000], second)

    return make


def _random_sparse(n: int, d: int, entries: int, noise: float, seed: int) -> Callable[[], Data]:
    """Rows of so many exponential values in columns drawn by a power law; labels of a hyperplane, some flipped."""

    def make() -> Data:
        rng = np.random.default_rng(seed)
        columns = (d * rng.random((n, entries)) ** 2.5).astype(np.int64)
        where = np.repeat(np.arange(n), entries), columns.ravel()
        X = sparse.csr_matrix((rng.exponential(size=n * entries), where), shape=(n, d))
        y = np.where(X @ rng.standard_normal(d) >= 0, 1.0, -1.0)
        return X, np.where(rng.random(n) < noise, -y, y)

    return make


def _made(n: int, d: int, flip: float, seed: int) -> Callable[[], Data]:
    def make() -> Data:
        X, y = make_classification(n, d, n_informative=min(d, 15), flip_y=flip, random_state=seed)
        return X, signs(y, 1)

    return make


SETS: dict[str, Callable[[], Data]] = {
    "sms tf-idf": _sms(TfidfVectorizer()),
    "sms counts": _sms(CountVectorizer()),
    "sms letters": _sms(TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)),
    "spambase": _spambase,
    "adult": _adult,
    "letter": _libsvm("letter", lambda y: y > 13),
    "svmguide1": _libsvm("svmguide1", lambda y: y > 0),
    "splice": _libsvm("splice_scale", lambda y: y > 0),
    "diabetes": _libsvm("diabetes_scale", lambda y: y > 0),
    "kddcup04_bio": _libsvm("kddcup04_bio", lambda y: y > 0),
    "digits": _digits,
    "wdbc": _wdbc,
    "fashion 0 v 6": _fashion(0, 6),
    "fashion 5 v 9": _fashion(5, 9),
    "sparse 4k x 55k": _random_sparse(4_000, 55_000, 80, 0.02, 1),
    "sparse 50k x 300": _random_sparse(50_000, 300, 12, 0.1, 2),
    "sparse 15k x 3k": _random_sparse(15_000, 3_000, 40, 0.05, 3),
    "dense 3k x 400": _made(3_000, 400, 0.02, 4),
    "dense 20k x 20": _made(20_000, 20, 0.1, 5),
}
CELLS = list(itertools.product((0.1, 3.0, 100.0), (1e-3, 1e-6), ("none", "free")))


def problems(names: list[str]) -> Iterator[tuple[str, Problem, float]]:
    """Every cell of these sets: what to call it, the problem, tol."""
    for name in names:
        X, y = SETS[name]()
        for C, tol, bias in CELLS:
            yield f"{name}, C={C:g}, tol={tol:g}, {bias}", Problem(X, y, np.full(len(y), C), HINGE, bias), tol  # type: ignore[arg-type]


def seconds(problem: Problem, tol: float, tuning: Tuning, seed: int, longest: float) -> float:
    """Processor time of a fit; infinite if it does not converge in time."""
    began = time.process_time()
    limits = Limits(tol, max_time=longest)
    found = run([Stage(CoordinateDescent(seed, tuning), "ablation")], problem, limits, certify)
    took = time.process_time() - began
    return took if found.status is Status.CONVERGED else math.inf


def main() -> None:
    """Compare variants and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=int, default=3)
    parser.add_argument(
        "--longest", type=float, default=3.0, help="seconds; cells that take longer are left out"
    )
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--variants", nargs="*", default=list(VARIANTS))
    asked = parser.parse_args()
    ratios: dict[str, list[tuple[float, str]]] = {name: [] for name in ("again", *asked.variants)}
    for name, problem, tol in problems(asked.sets):
        tunings = {"": Tuning(), "again": Tuning(), **{each: VARIANTS[each] for each in asked.variants}}
        if seconds(problem, tol, Tuning(), 0, asked.longest) == math.inf:
            print(f"{name}: left out, longer than {asked.longest} s", flush=True)
            continue
        least = dict.fromkeys(tunings, math.inf)
        for fit in range(asked.fits):
            order = list(tunings)
            for each in order[fit:] + order[:fit]:  # the first finds the caches cold
                least[each] = min(least[each], seconds(problem, tol, tunings[each], fit, 5 * asked.longest))
        for each, found in ratios.items():
            found.append((min(least[each], 5 * asked.longest) / least[""], name))
        print(
            f"{name}: {least['']:.4f} s", *(f"{least[each] / least['']:.2f}" for each in ratios), flush=True
        )
    print(f"\n{'turned off':36} cells  mean  worst  best")
    for each, found in ratios.items():
        mean = math.exp(sum(math.log(ratio) for ratio, _ in found) / len(found))
        worst, best = max(found), min(found)
        print(f"{each:36} {len(found):5} {mean:5.2f} {worst[0]:6.2f} {best[0]:5.2f}  {worst[1]}; {best[1]}")


if __name__ == "__main__":
    main()
