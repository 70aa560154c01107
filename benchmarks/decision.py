"""From a file to a decision: one command, beside scikit-learn's SVC and LogisticRegression searched over the same grid.

    python -m benchmarks.decision [--only adult] [--limit 120]

Ours is `separatrix fit FILE --search --probabilities sigmoid --report`: it reads the file, chooses, fits, calibrates,
proves, measures and writes the page. Theirs begin with the matrix that our reader made and end with the refitted
model: GridSearchCV over a pipeline (StandardScaler or nothing, then SVC) and (the same, then LogisticRegression), with
the settings of our own table, on the same rows, 5 folds; where there are more than 3,000 training rows the grid is
searched on 3,000 of them, drawn as ours are, and the best is refitted to all. Ours learns from a fifth fewer rows, on
which it calibrates. Accuracies are of the same held-out rows (adult: of its test part). Seconds are CPU seconds on one
thread. Each kernel and scaling of theirs gets --limit CPU seconds; one that is not done by then is left out, and the
sum has a ">".
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as Theirs

from benchmarks.data import folder
from separatrix import read
from separatrix.validation.choose import STEPS, sample_rows
from separatrix.validation.search import divide


@dataclass(frozen=True)
class Table:
    """A file, the options that it needs, and a test file where it has one."""

    name: str
    file: Path
    reading: dict[str, Any] = field(default_factory=dict)
    test: Path | None = None

    @property
    def words(self) -> list[str]:
        out = [word for key, value in self.reading.items() for word in (f"--{key}", str(value))]
        return out if self.test is None else [*out, "--test", str(self.test)]


def tables(place: Path) -> Iterator[Table]:
    parts = []
    for part in ("data", "test"):
        text = gzip.decompress((folder() / f"adult.{part}.csv.gz").read_bytes()).decode()
        parts.append(place / f"adult.{part}.csv")
        parts[-1].write_text(text.replace("50K.", "50K"))  # labels of the test part end in a full stop
    yield Table("adult", parts[0], {"missing": "mean"}, parts[1])
    yield Table("spambase", folder() / "spambase.csv.gz")
    yield Table("SMS messages", folder() / "SMSSpamCollection.tsv.gz")
    for name, load in (("wine", load_wine), ("breast cancer", load_breast_cancer), ("digits", load_digits)):
        data = load()
        path = place / f"{name.replace(' ', '-')}.csv"
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*data.feature_names, "kind"])
            labels = data.target_names[data.target]
            writer.writerows(
                [*row, label] for row, label in zip(data.data.tolist(), labels.tolist(), strict=True)
            )
        yield Table(name, path, {"label": "kind"})


def ours(table: Table, place: Path) -> tuple[float, dict[str, Any]]:
    """CPU seconds of the command, and what it answered."""
    words = [sys.executable, "-m", "separatrix", "fit", str(table.file), *table.words, "--search", "--report"]
    words += ["--probabilities", "sigmoid", "--threads", "1", "--json", "-q", "-o", str(place)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    found: dict[str, Any] = json.loads(done.stdout)
    return seconds, found


def rows_of(table: Table) -> tuple[Any, ...]:
    """Training rows and held-out rows, as the command divides them."""
    data = read(table.file, **table.reading)
    X, y = data.X, data.y
    if table.test is not None:
        other = read(table.test, encoding=data.encoding)
        return X, y, other.X, other.y
    held_out = divide(y, 0.2, False, 0).held_out
    rest = np.setdiff1d(np.arange(len(y)), held_out)
    return X[rest], y[rest], X[held_out], y[held_out]


def limited(work: Callable[[], Any], seconds: int) -> tuple[float, Any]:
    """CPU seconds and result of some work in a process of its own; None where the time was not enough."""
    context = multiprocessing.get_context("fork")
    ours_end, theirs_end = context.Pipe(duplex=False)

    def run() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        warnings.simplefilter("ignore")
        began = time.process_time()
        found = work()
        theirs_end.send((time.process_time() - began, found))

    child = context.Process(target=run)
    child.start()
    theirs_end.close()
    try:
        result: tuple[float, Any] = ours_end.recv()
    except EOFError:
        result = float(seconds), None
    child.join()
    return result


def theirs(
    data: tuple[Any, ...], trials: list[dict[str, Any]], logistic: bool, limit: int
) -> tuple[str, str]:
    """CPU seconds and held-out accuracy of scikit-learn over the same settings; for logistic, the linear ones."""
    X, y, X_out, y_out = data
    if sparse.issparse(X):  # scikit-learn's solvers want int32 indices
        X, X_out = (
            sparse.csr_matrix((Z.data, Z.indices.astype(np.int32), Z.indptr.astype(np.int32)), shape=Z.shape)
            for Z in (X, X_out)
        )
    sample = sample_rows(y, min(len(y), STEPS.rows[0]), 0)
    total, late, best, score = 0.0, False, -1.0, float("nan")
    for kernel, scaling in dict.fromkeys((each["kernel"], each["scaling"]) for each in trials):
        own = [each for each in trials if (each["kernel"], each["scaling"]) == (kernel, scaling)]
        if logistic and kernel != "linear":
            continue
        scaler = "passthrough" if scaling is None else StandardScaler(with_mean=not sparse.issparse(X))
        model = LogisticRegression(max_iter=2000) if logistic else Theirs(kernel=kernel, cache_size=500)
        grid = {"model__C": sorted({each["C"] for each in own})}
        if not logistic and kernel != "linear":
            grid["model__gamma"] = sorted({each["gamma"] for each in own})
        pipeline = Pipeline([("scale", scaler), ("model", model)])

        def work(pipeline: Pipeline = pipeline, grid: dict[str, list[float]] = grid) -> tuple[float, float]:
            folds = StratifiedKFold(5, shuffle=True, random_state=0)
            found = GridSearchCV(pipeline, grid, cv=folds, refit=False).fit(X[sample], y[sample])
            fitted = pipeline.set_params(**found.best_params_).fit(X, y)
            return found.best_score_, float(np.mean(fitted.predict(X_out) == y_out))

        seconds, found = limited(work, limit)
        total += seconds
        late = late or found is None
        if found is not None and found[0] > best:
            best, score = found
    return f"{'> ' if late else ''}{total:.0f}", f"{100 * score:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=int, default=120)
    options = parser.parse_args()
    print(
        "| table | rows | ours: chosen | majority | accuracy | balanced | ROC AUC | Brier | gap | CPU s |",
        end="",
    )
    print(" SVC | CPU s | logistic | CPU s |")
    print("|---" * 14 + "|")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for table in tables(place):
            if options.only not in table.name:
                continue
            seconds, found = ours(table, place)
            measured, trials = found["held_out"], found["search"]["table"]
            data = rows_of(table)
            svc_seconds, svc = theirs(data, trials, False, options.limit)
            logistic_seconds, logistic = theirs(data, trials, True, options.limit)
            best = found["search"]["best"]
            chosen = f"{best['kernel']}, {best['scaling'] or 'as is'}, C = {best['C']:g}"
            cells = [
                table.name, f"{found['data']['rows']:,}", chosen, f"{100 * measured['baseline']:.1f}",
                f"{100 * measured['accuracy']:.1f}", f"{100 * measured['balanced_accuracy']:.1f}",
                f"{measured['roc_auc']:.3f}", f"{measured['brier']:.3f}", f"{found['gap']:.0e}", f"{seconds:.0f}",
                svc, svc_seconds, logistic, logistic_seconds,
            ]  # fmt: skip
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
