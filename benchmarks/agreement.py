"""Every data set, C and bias: converged, certificate verified, optimum not above any reference solver's.

    python -m benchmarks.agreement [--only TEXT ...] [--max-seconds S] [--fresh]

For each problem, at tol = 1e-6: the status is "converged" without a warning; the certificate verifies against
the data; the objective is at most (1 + 1e-5) times that of the best reference; and no reference is below the
proved lower bound, which would refute it. Results go to benchmarks/results/agreement.jsonl, one line each;
a run continues where the last one ended. The exit code is 1 if any line fails. Small sets come first.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import data, reference, tables
from benchmarks.problems import Case

RESULTS = Path(__file__).parent / "results" / "agreement.jsonl"
COSTS = (0.01, 1.0, 100.0)
BIASES = ("free", "augmented", "none")
TOL, AGREEMENT = 1e-6, 1e-5

# By size, so that a mistake shows early.
ORDER = (
    *("iris", "heart_scale", "ionosphere", "australian_scale", "diabetes_scale", "svmguide1", "svmguide1.t"),
    *("breast-cancer-wdbc", "splice_scale", "rcv1_vw_small", "rcv1_vw_small.t", "colon-cancer_scaled"),
    *("mushrooms", "spambase", "sms-spam", "leukemia_train", "phishing", "a9a.t", "a9a", "cod-rna_scaled"),
    *("leukemia_ALLAML", "adult test", "adult data", "letter", "ijcnn1", "arcene", "imdb", "imdb.t"),
    *("news20bydate.t", "news20bydate", "kddcup99_10pct", "kddcup04_bio", "mnist", "fashion-mnist"),
)


def read(name: str) -> tuple[Any, np.ndarray]:
    """X (dense where more than half full, else CSR with int32 indices) and the labels as they are."""
    if name == "spambase":
        return tables.spambase()
    if name == "sms-spam":
        return tables.sms_spam()
    if name.startswith("adult "):
        return tables.adult(name.removeprefix("adult "))
    if name in ("mnist", "fashion-mnist"):
        return data.images(name)
    X, y = data.read_libsvm(name)
    if X.nnz > 0.5 * X.shape[0] * X.shape[1]:
        return X.toarray(), y
    index = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sparse.csr_matrix((X.data, *index), shape=X.shape), y


def targets(name: str, labels: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """The binary problems of a set: one, or one for each class against the rest."""
    classes = np.unique(labels)
    if len(classes) == 2:
        yield name, data.signs(labels, classes[1])
    else:
        for label in classes:
            yield f"{name} class {label:g}", data.signs(labels, label)


@dataclass
class Outcome:
    """One line of the results."""

    problem: str
    C: float
    bias: str
    loss: str
    status: str
    gap: float
    primal: float
    reference: float
    reference_solver: str
    seconds: float
    verify_seconds: float
    failures: list[str]

    @property
    def above(self) -> float:
        """How far ours is above the reference, relatively; negative where it is lower."""
        return (self.primal - self.reference) / self.reference

    def __str__(self) -> str:
        mark = "FAILED: " + "; ".join(self.failures) if self.failures else "ok"
        known = np.isfinite(self.reference)
        compared = f"{self.above:+.1e} ({self.reference_solver})" if known else "no reference in time"
        return (
            f"| {self.problem} | {self.C:g} | {self.bias} | {self.loss} | {self.status} | {self.gap:.1e} | "
            f"{compared} | {self.seconds:.2f} + {self.verify_seconds:.2f} | {mark} |"
        )


def examine(X: Any, y: np.ndarray, problem: str, case: Case, options: argparse.Namespace) -> Outcome:
    """Fit, verify, compare."""
    import separatrix

    failures: list[str] = []
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = separatrix.SVC(
            C=case.C,
            loss=case.loss,
            bias=case.bias,
            tol=TOL,
            max_time=options.fit_seconds,
            solver=options.solver,
        ).fit(X, y)
    seconds = time.perf_counter() - began
    began = time.perf_counter()
    verdict = separatrix.verify(model.certificate_, X, y, exact=False)
    verify_seconds = time.perf_counter() - began
    if str(model.status_) != "converged":
        failures.append(f"status {model.status_}")
    elif said:
        failures.append(f"warned: {said[0].message}")
    if not verdict:
        failures.append(f"not verified: {verdict.reason}")
    value, solver = reference.lowest(X, y, case, options.max_seconds)
    if model.primal_ > value * (1 + AGREEMENT):
        failures.append(f"objective above that of {solver}")
    if value < model.dual_ * (1 - 1e-12):
        failures.append(f"{solver} is below the proved bound")
    return Outcome(
        problem, case.C, case.bias, case.loss, str(model.status_), float(model.gap_), float(model.primal_),
        value, solver, seconds, verify_seconds, failures,
    )  # fmt: skip


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.agreement", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--only", nargs="*", help="data sets whose name contains one of these texts")
    parser.add_argument(
        "--max-seconds", type=float, default=20.0, help="for the reference solvers, per problem"
    )
    parser.add_argument("--fit-seconds", type=float, default=600.0, help="max_time of our fits")
    parser.add_argument("--loss", choices=("hinge", "squared_hinge"), default="hinge")
    parser.add_argument("--classes", type=int, default=1000, help="at most so many classes of a set")
    parser.add_argument("--solver", default="auto")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    return parser.parse_args()


def done_before() -> set[tuple[str, float, str, str]]:
    if not RESULTS.exists():
        return set()
    lines = [json.loads(line) for line in RESULTS.read_text().splitlines()]
    return {
        (line["problem"], line["C"], line["bias"], line["loss"]) for line in lines if not line["failures"]
    }


def main() -> int:
    options = arguments()
    RESULTS.parent.mkdir(exist_ok=True)
    if options.fresh:
        RESULTS.unlink(missing_ok=True)
    before, failed, counted, alone = done_before(), 0, 0, 0
    print("| problem | C | bias | loss | status | gap | ours above reference | fit + verify, s | |")
    print("|" + "---|" * 9)
    for name in ORDER:
        if options.only and not any(text in name for text in options.only):
            continue
        X, labels = read(name)
        for problem, y in list(targets(name, labels))[: options.classes]:
            for C in COSTS:
                for bias in BIASES:
                    if (problem, C, bias, options.loss) in before:
                        continue
                    outcome = examine(X, y, problem, Case("", name, C, options.loss, bias), options)
                    counted, failed = counted + 1, failed + bool(outcome.failures)
                    alone += not np.isfinite(outcome.reference)
                    print(outcome, flush=True)
                    with RESULTS.open("a") as stream:
                        stream.write(json.dumps(vars(outcome)) + "\n")
    print(
        f"{counted} problems, {failed} failed, {alone} without a reference, {len(before)} done before",
        file=sys.stderr,
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
