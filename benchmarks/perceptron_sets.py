"""How the perceptron ends on every set of the data folder: a clean pass, a proof that none is possible, or a limit.

    python -m benchmarks.perceptron_sets [--source libsvm] [--only NAME] [--seconds 10]

Two classes as they are; more of them by Kesler's construction and each class against the rest. The time limit holds
for the passes of one fit; a run that a limit ends asks for the exact verdict where X has at most four million entries.
Every certificate is verified in rigorous floats (Kesler's where its expanded rows have at most ten million entries).
Sets are read from the folder that SEPARATRIX_DATA names.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import separatrix
from benchmarks.data import folder
from benchmarks.separability import idx_images, libsvm_sets, other_sets

MOST_KESLER_ENTRIES = 10_000_000
COLUMNS = ("set", "rows x columns", "classes", "ended with", "proofs verified", "passes", "updates", "CPU s")


def image_sets() -> Iterator[tuple[str, Any, np.ndarray]]:
    """All ten classes of each."""
    for name in ("mnist", "fashion-mnist"):
        yield name, *idx_images(folder() / name)


#: LIBSVM text; tables, messages and pairs of image classes; the image sets whole.
SOURCES = {"libsvm": libsvm_sets, "other": other_sets, "images": image_sets}


def ended(model: separatrix.Perceptron, X: Any, y: np.ndarray) -> tuple[str, str]:
    """How each problem of a fit ended, and how many of the proofs there are were verified."""
    endings: Counter[str] = Counter()
    proofs = verified = 0
    for result in model.problems_.values():
        status = result.status.value
        if status not in ("converged", "inseparable"):
            endings[status] += 1
            continue
        kesler = len(result.positive) > 1
        entries = X.nnz if sparse.issparse(X) else X.size
        if kesler and 2 * (len(model.classes_) - 1) * entries > MOST_KESLER_ENTRIES:
            endings["clean pass" if status == "converged" else status] += 1
            continue
        certificate = result.certificate
        endings["clean pass" if certificate.kind == "mistakes" else certificate.kind] += 1
        proofs += 1
        verified += bool(separatrix.verify(certificate, X, y, exact=False))
    counted = ", ".join(
        name if n == 1 == len(model.problems_) else f"{n} {name}" for name, n in endings.items()
    )
    return counted, f"{verified} of {proofs}"


def row(name: str, X: Any, y: np.ndarray, way: str, seconds: float) -> str:
    began = time.process_time()
    model = separatrix.Perceptron(multi_class=way, max_time=seconds, n_threads=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    took = time.process_time() - began
    ending, proofs = ended(model, X, y)
    k = len(model.classes_)
    classes = "2" if k == 2 else f"{k}, {'Kesler' if way == 'kesler' else 'each against the rest'}"
    shape = f"{X.shape[0]} x {X.shape[1]}"
    cells = (name, shape, classes, ending, proofs, model.n_epochs_, model.n_updates_, f"{took:.2f}")
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", choices=list(SOURCES), nargs="+", default=list(SOURCES))
    parser.add_argument("--only", default="", help="sets whose name contains this")
    parser.add_argument("--seconds", type=float, default=10.0, help="limit for the passes of each fit")
    arguments = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS))
    read = chain.from_iterable(SOURCES[source]() for source in arguments.source)
    for name, X, y in read:
        if arguments.only not in name:
            continue
        for way in ("auto",) if len(np.unique(y)) == 2 else ("kesler", "ovr"):
            print(row(name, X, y, way, arguments.seconds), flush=True)


if __name__ == "__main__":
    main()
