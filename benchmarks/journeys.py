"""Journeys through the code: how many files and functions of separatrix a short task enters, counted by a trace.

    python -m benchmarks.journeys            one line for each journey
    python -m benchmarks.journeys fit        the files that one of them enters, with the functions and calls in each

Calls are counted in the second run of a journey, when what is made once (imports, tables) is there. A room is
a folder of the package. Nothing is timed: the counts are the same on every machine of one instruction set.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

import separatrix

_ROOT = str(Path(separatrix.__file__).parent)
Work = Callable[[], object]

_COLUMNS = ("journey", "files", "functions", "calls", "file changes", "room changes")


def trace(work: Work) -> list[tuple[str, str]]:
    """Every call of a Python function of the package while ``work`` runs: its file and its name."""
    calls: list[tuple[str, str]] = []

    def on_event(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(_ROOT):
            calls.append((frame.f_code.co_filename[len(_ROOT) + 1 :], frame.f_code.co_qualname))

    sys.setprofile(on_event)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def fit() -> Work:
    """`SVC().fit` of an array, then its plane and its certificate."""
    X, y = _small()

    def work() -> object:
        model = separatrix.SVC().fit(X, y)
        return model.coef_, model.certificate_

    return work


def command() -> Work:
    """`separatrix fit a.svm` with its model and its certificate, in this process."""
    from sklearn.datasets import dump_svmlight_file

    from separatrix.cli.app import main

    def work() -> object:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            place = str(Path(folder) / "a.svm")
            dump_svmlight_file(*_small(), place)
            with contextlib.redirect_stderr(io.StringIO()):
                return main(["fit", place])

    return work


def perceptron() -> Work:
    """`Perceptron().fit` of separable rows, then its certificate."""
    X = np.random.default_rng(0).normal(size=(300, 10))
    X[:, 0] += np.sign(X[:, 0])
    y = X[:, 0] > 0
    return lambda: separatrix.Perceptron().fit(X, y).certificate_


def drag() -> Work:
    """One message of a drag in the lab: a point of the soft margin moves, and two views are asked for."""
    from separatrix.lab.session import Session

    session = Session()
    reply = session.handle({"id": 1, "op": "preset", "name": "overlapping"})
    x, *rest = reply["scene"]["points"][0]
    places = count(1)

    def work() -> object:
        move = {"id": 2, "op": "move", "row": 0, "point": [x + 0.1 * next(places), *rest], "grab": 1}
        return session.handle({**move, "want": {"x": {}, "panel": {"quick": True}}})

    return work


def _small() -> tuple[Any, Any]:
    return make_classification(300, 10, n_informative=5, flip_y=0.1, random_state=0)


JOURNEYS = {"fit": fit, "command": command, "perceptron": perceptron, "drag": drag}


def counts(calls: list[tuple[str, str]]) -> list[int]:
    """Files, functions, calls, changes of file, changes of room."""
    files = [file for file, _ in calls]
    rooms = [file.partition("/")[0] for file in files]
    changes = [sum(a != b for a, b in pairwise(each)) for each in (files, rooms)]
    return [len(set(files)), len(set(calls)), len(calls), *changes]


def main(names: list[str]) -> None:
    """Print the table, or the files of the journeys that are named."""
    print("".join(f"{name:>14}" for name in _COLUMNS))
    for name in names or JOURNEYS:
        work = JOURNEYS[name]()
        work()
        calls = trace(work)
        print("".join(f"{value:>14}" for value in (name, *counts(calls))))
        for file, number in Counter(file for file, _ in calls).most_common() if names else ():
            functions = sorted({function for place, function in calls if place == file})
            print(f"  {file} ({number}): {', '.join(functions)}")


if __name__ == "__main__":
    main(sys.argv[1:])
