"""scikit-learn's callbacks: tasks, stop requests, its own callbacks, and older versions.

Tests `fitting/callbacks.py`.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from crawl import crawling
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning

from separatrix import SVC, verify
from separatrix.fitting import classes

callback = pytest.importorskip("sklearn.callback", reason="callbacks came with scikit-learn 1.9")

X, Y = make_classification(200, 5, flip_y=0.2, random_state=0)
IRIS, SPECIES = load_iris(return_X_y=True)


class Recorder:
    """Notes every hook; asks to stop after a number of tasks called ``stop_at``."""

    def __init__(self, stop_at: str = "", after: int = 0) -> None:
        self.events: list[tuple[str, str, int]] = []
        self.scores: list[float] = []
        self.stop_at, self.after = stop_at, after

    def setup(self, estimator: Any, context: Any) -> None:
        self.events.append(("setup", context.task_name, context.task_id))

    def teardown(self, estimator: Any, context: Any) -> None:
        self.events.append(("teardown", context.task_name, context.task_id))

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        self.events.append(("begin", context.task_name, context.task_id))

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, X: Any = None, y: Any = None, fitted_estimator: Any = None
    ) -> bool:
        self.events.append(("end", context.task_name, context.task_id))
        if fitted_estimator is not None:
            self.scores.append(fitted_estimator.score(X, y))
        return context.task_name == self.stop_at and context.task_id + 1 >= self.after

    def count(self, hook: str, name: str) -> int:
        return sum(1 for event in self.events if event[:2] == (hook, name))


def test_every_step_is_a_task() -> None:
    recorder = Recorder()
    model = SVC().set_callbacks(recorder).fit(X, Y)
    assert recorder.events[:2] == [("setup", "fit", 0), ("begin", "fit", 0)]
    assert recorder.events[-2:] == [("end", "fit", 0), ("teardown", "fit", 0)]
    assert recorder.count("begin", "step") == recorder.count("end", "step") == model.n_iter_
    assert len(recorder.scores) == model.n_iter_ + 1
    assert recorder.scores[-1] == model.score(X, Y)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_with_many_classes_each_problem_is_a_task(multi_class: str) -> None:
    recorder = Recorder()
    model = SVC(multi_class=multi_class).set_callbacks(recorder).fit(IRIS, SPECIES)
    for key in model.problems_:
        assert recorder.count("begin", repr(key)) == recorder.count("end", repr(key)) == 1
    steps = sum(result.n_iter for result in model.problems_.values())
    assert recorder.count("end", "step") == steps


def test_a_stop_request_keeps_the_iterate_with_its_certificate() -> None:
    recorder = Recorder(stop_at="step", after=3)
    with crawling(), pytest.warns(ConvergenceWarning, match="interrupted"):
        model = SVC(tol=1e-9, max_iter=1000).set_callbacks(recorder).fit(X, Y)
    assert model.status_ == "interrupted"
    assert model.n_iter_ == 3
    assert verify(model.certificate_, X, Y, exact=False)


def test_the_callbacks_hear_of_errors() -> None:
    recorder = Recorder()
    with pytest.raises(ValueError, match="one class"):
        SVC().set_callbacks(recorder).fit(X, np.zeros(len(Y)))
    recorder = Recorder(stop_at="step", after=1)
    with crawling(), pytest.raises(RuntimeError):
        SVC(tol=1e-9, max_iter=1000, strict=True).set_callbacks(recorder).fit(X, Y)
    assert recorder.events[-1] == ("teardown", "fit", 0)


def test_callbacks_in_parallel_classes(monkeypatch: Any) -> None:
    monkeypatch.setattr(classes, "_workers", lambda *ignored: 2)
    recorder = Recorder()
    model = SVC(n_threads=2).set_callbacks(recorder).fit(IRIS, SPECIES)
    steps = sum(result.n_iter for result in model.problems_.values())
    assert recorder.count("begin", "step") == recorder.count("end", "step") == steps


def test_scikit_learn_s_progress_bar(capfd: Any) -> None:
    pytest.importorskip("rich")
    for labels, data in ((Y, X), (SPECIES, IRIS)):
        model = SVC().set_callbacks(callback.ProgressBar()).fit(data, labels)
        assert model.status_ == "converged"
        assert "SVC - fit" in capfd.readouterr().out


def test_scikit_learn_s_scoring_monitor() -> None:
    monitor = callback.ScoringMonitor(scoring="accuracy")
    model = SVC().set_callbacks(monitor).fit(X, Y)
    log = monitor.get_logs()
    scores = [entry["accuracy"] for entry in log.data]
    assert len(scores) == model.n_iter_ + 1
    assert scores[-1] == pytest.approx(model.score(X, Y))


def test_older_versions_do_without() -> None:
    code = (
        "import sys; sys.modules['sklearn.callback'] = None\n"
        "from separatrix.fitting import callbacks\n"
        "from separatrix import SVC\n"
        "model = SVC().fit([[0.0], [1.0]], [0, 1])\n"
        "print(callbacks.AVAILABLE, hasattr(model, 'set_callbacks'), model.status_)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "False False converged\n", done.stderr
