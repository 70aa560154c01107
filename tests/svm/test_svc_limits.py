"""Limits, Ctrl-C, strict, warm_start, verbose."""

from __future__ import annotations

import pickle
import re
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from crawl import Crawl, crawling
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from separatrix import SVC, NotConvergedError, verify
from separatrix.fitting import binary
from separatrix.solvers.loop.protocol import Progress
from separatrix.solvers.loop.run import Stage

X, Y = make_classification(3000, 20, flip_y=0.2, random_state=0)


def test_max_iter_keeps_the_best_iterate_and_says_so() -> None:
    with crawling(), pytest.warns(ConvergenceWarning) as caught:
        model = SVC(max_iter=2, tol=1e-9).fit(X, Y)
    text = str(caught[0].message)
    assert re.search(r"relative duality gap of \S+, not tol=1e-09: max_iter=2 came first", text)
    assert "warm_start=True" in text
    assert caught[0].filename == __file__
    assert model.status_ == "max_iter"
    assert model.n_iter_ == 2
    assert model.gap_ > 1e-9
    answer = verify(model.certificate_, X, Y, exact=False)
    assert answer, answer.reason
    assert model.history_[-1].proved


def test_max_time() -> None:
    began = time.perf_counter()
    with crawling(), pytest.warns(ConvergenceWarning, match="max_time=0.2 s came first"):
        model = SVC(max_time=0.2, tol=1e-9).fit(X, Y)
    assert model.status_ == "max_time"
    assert 0.2 <= time.perf_counter() - began < 10
    assert model.history_[-1].time > 0.1
    assert verify(model.certificate_, X, Y, exact=False)


def test_max_time_is_shared_by_many_classes() -> None:
    began = time.perf_counter()
    with crawling(), pytest.warns(ConvergenceWarning, match=r"in 5 of 5 problems \(worst: \d\)"):
        model = SVC(max_time=0.5).fit(X, np.arange(len(Y)) % 5)
    assert time.perf_counter() - began < 20
    assert model.status_ == "max_time"
    assert len(model.problems_) == 5
    assert all(result.n_iter >= 1 for result in model.problems_.values())


def test_a_limit_that_is_not_needed_is_not_mentioned() -> None:
    assert SVC(max_iter=1000, max_time=60.0).fit(X, Y).status_ == "converged"


def test_strict_raises_and_carries_the_result() -> None:
    model = SVC(max_iter=2, tol=1e-9, strict=True)
    with crawling(), pytest.raises(NotConvergedError, match="max_iter=2 came first") as caught:
        model.fit(X, Y)
    (result,) = caught.value.problems.values()
    assert result.gap == caught.value.gap > 1e-9
    assert verify(result.certificate, X, Y, exact=False)
    assert pickle.loads(pickle.dumps(caught.value)).gap == caught.value.gap
    assert SVC(strict=True).fit(X, Y).status_ == "converged"


def interrupt(code: str) -> str:
    """Run the code, send SIGINT once it says "fitting" and has had a moment; what it prints afterwards."""
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "fitting\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    return out


SLOW = """
import signal, sys, warnings
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what runs in the background with it ignored
sys.path.insert(0, {folder!r})
warnings.simplefilter("ignore")
import numpy as np
from crawl import Crawl, crawling
from separatrix import SVC, verify
from separatrix.fitting import classes as many

many._workers = lambda *ignored: min({threads}, {classes})
rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 3)); y = rng.integers(0, {classes}, 4000)
print("fitting", flush=True)
with crawling(pause=0.05):
    model = SVC().fit(X, y)
certificates = model.certificate_ if {classes} > 2 else {{1: model.certificate_}}
print(model.status_, 0 < model.gap_, all(bool(verify(c, X, y, exact=False)) for c in certificates.values()))
"""


@pytest.mark.parametrize(("classes", "threads"), [(2, 1), (3, 2)])
def test_ctrl_c_keeps_the_best_iterate_with_its_certificate(classes: int, threads: int) -> None:
    assert (
        interrupt(SLOW.format(folder=str(Path(__file__).parent), classes=classes, threads=threads))
        == "interrupted True True\n"
    )


def test_warm_start_begins_where_the_last_fit_ended() -> None:
    model = SVC(tol=1e-4, warm_start=True).fit(X, Y)
    first = model.history_[0].primal
    model.fit(X, Y)
    assert model.status_ == "converged"
    assert model.history_[0].primal < first


def test_warm_start_survives_a_change_of_C_rows_or_columns() -> None:
    model = SVC(tol=1e-6, warm_start=True)
    for C in (1.0, 100.0, 0.01):
        model.set_params(C=C).fit(X, Y)
        assert model.status_ == "converged"
        assert model.primal_ == pytest.approx(SVC(C=C, tol=1e-6).fit(X, Y).primal_, rel=1e-6)
    assert model.fit(X[:1000], Y[:1000]).status_ == "converged"
    assert model.fit(X[:, :5], Y).status_ == "converged"
    assert model.set_params(loss="squared_hinge").fit(X[:, :5], Y).status_ == "converged"
    assert model.fit(X, np.arange(len(Y)) % 3).status_ == "converged"


def test_warm_start_from_a_soft_margin_to_the_hard_one() -> None:
    model = SVC(C=1.0, warm_start=True).fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(C=float("inf")).fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    assert model.margin_ == pytest.approx(1.0)


def test_without_warm_start_a_second_fit_is_the_same() -> None:
    model = SVC(random_state=0).fit(X, Y)
    coef = model.coef_.copy()
    np.testing.assert_array_equal(model.fit(X, Y).coef_, coef)


@pytest.mark.parametrize("classes", [2, 3])
def test_verbose_writes_to_stderr_only(capfd: Any, classes: int) -> None:
    SVC(verbose=True).fit(X, np.arange(len(Y)) % classes)
    out, err = capfd.readouterr()
    assert out == ""
    lines = err.strip().splitlines()
    assert len(lines) == (1 if classes == 2 else 3)
    assert all(re.search(r"gap \d.\de[+-]\d+ \(goal 0.001\).*converged", line) for line in lines)
    SVC().fit(X, Y)
    assert capfd.readouterr() == ("", "")


class Optimist(Crawl):
    """Crawls, and believes from the first step that it has arrived."""

    def step(self, problem: Any, state: Any, tol: float) -> Progress:
        super().step(problem, state, tol)
        return Progress(1.0, 1.0 - 1e-6)


def test_a_belief_that_is_not_proved_does_not_end_a_small_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = binary.stages
    monkeypatch.setattr(binary, "stages", lambda *given: [Stage(Optimist(), "a test"), *chosen(*given)])
    model = SVC(max_iter=10**6).fit(X[:100], Y[:100])  # a limit of steps: solved step by step
    assert model.status_ == "converged"
    assert model.gap_ <= 1e-3
    assert model.history_["solver"].tolist().count("crawl") > 100
    assert np.all(np.diff(model.history_["time"]) >= 0)
    assert np.all(np.diff(model.history_["iteration"]) >= 0)
    assert model.n_iter_ == model.history_[-1].iteration
