"""Checkpoints: however often a fit is stopped, it never falls back, and it ends in the same digits.

Tests `cli/checkpoint.py`, and in `fitting/binary.py` the pieces in which a fit with checkpoints is solved.
"""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest

from separatrix import SVC
from separatrix.cli import checkpoint
from separatrix.cli.checkpoint import Checkpoints, source_of
from separatrix.cli.checkpoint import read as read_checkpoint
from separatrix.fitting.observer import Observer, Several
from separatrix.svm.svc import fit_observed

CLASSES = 5


def table(n=400, d=12):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-1, 1, d)
    y = np.argmax(X @ rng.normal(size=(d, CLASSES)) + 3.0 * rng.normal(size=(n, CLASSES)), axis=1)
    return X, y


X, Y = table()
SOURCE = source_of(X, Y, {})
KINDS = {
    "descent": {"solver": "coordinate-descent", "C": 30.0},
    "squared, augmented": {
        "solver": "coordinate-descent",
        "loss": "squared_hinge",
        "bias": "augmented",
        "tol": 1e-6,
    },
    "no bias, pairs": {"solver": "coordinate-descent", "bias": "none", "multi_class": "ovo", "C": 30.0},
    "interior point": {"solver": "interior-point"},
    "kernel": {"kernel": "rbf", "solver": "block-smo", "C": 100.0, "tol": 1e-6},
}


class Killed(Exception):
    """The process is gone; nothing is saved on the way out."""


class KillAt(Observer):
    """Ends the process once this many steps have been made in all."""

    def __init__(self, steps):
        self.left = steps

    def step(self, part, record, point):
        self.left -= 1
        if self.left <= 0:
            raise Killed


def fit(path, parameters, steps=None):
    """One process: begins with the file if there is one, and leaves one behind; None if it was killed."""
    points = read_checkpoint(path, SOURCE) if path.exists() else {}
    saver = Checkpoints(path, SOURCE, pause=0.0, points=points)
    model = SVC(n_threads=1, **parameters)
    killer = [] if steps is None else [KillAt(steps)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fit_observed(model, X, Y, None, Several([saver, *killer]), points)
        except Killed:
            return None
    saver.close()
    return model


def progress(path):
    """Of each problem: solved or not, and the steps that are kept."""
    points = read_checkpoint(path, SOURCE) if path.exists() else {}
    return {key: (point.done, point.steps) for key, point in points.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_that_is_killed_again_and_again_ends_in_the_same_digits(kind, tmp_path, monkeypatch):
    # Enough steps between two kills for a piece: a whole problem of the interior point, which has no others.
    piece, most = {"interior point": (200, 40), "kernel": (2, 5)}.get(kind, (7, 60))
    monkeypatch.setattr(checkpoint, "PIECE_STEPS", piece)
    monkeypatch.setattr(Checkpoints, "piece_steps", piece)
    parameters, chance = KINDS[kind], random.Random(1)
    whole = fit(tmp_path / "whole", parameters)
    before, runs = {}, 0
    while True:
        model = fit(tmp_path / "state", parameters, steps=chance.randint(3, most))
        now, runs = progress(tmp_path / "state"), runs + 1
        assert all(now[key] >= there for key, there in before.items()), "progress went back"
        if model is not None:
            break
        before = now
        assert runs < 1000
    assert runs > 3, "it was to be killed several times"
    for name in ("coef_", "alpha_", "intercept_", "slack_") if model.kernel == "linear" else ("alpha_",):
        np.testing.assert_array_equal(getattr(model, name), getattr(whole, name), err_msg=name)
    assert (model.primal_, model.dual_, model.gap_) == (whole.primal_, whole.dual_, whole.gap_)


def test_a_solved_problem_is_kept_though_the_run_that_resumed_never_came_to_it(tmp_path):
    """The fault: a resumed run wrote only the problems that it had come to again."""
    path = tmp_path / "state"
    fit(path, KINDS["descent"])
    assert all(done for done, _ in progress(path).values())
    assert len(progress(path)) == CLASSES
    saver = Checkpoints(path, SOURCE, pause=0.0, points=read_checkpoint(path, SOURCE))
    key = next(iter(saver.points))
    saver._keep(key, saver.points[key])  # the first problem is looked at again; then the process is killed
    assert len(progress(path)) == CLASSES
    assert saver.solved == CLASSES


def test_a_checkpoint_that_lies_changes_no_answer(tmp_path):
    path = tmp_path / "state"
    whole = fit(path, KINDS["descent"])
    points = read_checkpoint(path, SOURCE)
    for point in points.values():
        point.alpha[:] = 0.0
        point.coef[:] = 1.0
    model = SVC(n_threads=1, **KINDS["descent"])
    fit_observed(model, X, Y, None, None, points)
    assert model.gap_ <= 1e-3
    assert model.primal_ == pytest.approx(whole.primal_, rel=1e-3)


def test_steps_and_seconds_of_the_pieces_are_those_of_one_history(tmp_path, monkeypatch):
    monkeypatch.setattr(Checkpoints, "piece_steps", 5)
    history = next(iter(fit(tmp_path / "state", KINDS["descent"]).problems_.values())).history
    steps = history["iteration"]
    assert steps[-1] > 5
    assert np.all(np.diff(steps) >= 0)
    assert np.all(np.diff(history["time"]) >= 0)
    assert history[-1].proved


def test_max_iter_counts_the_steps_of_all_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(Checkpoints, "piece_steps", 5)
    model = fit(tmp_path / "state", {**KINDS["descent"], "max_iter": 12, "tol": 1e-12})
    assert {problem.n_iter for problem in model.problems_.values()} == {12}
    assert model.status_ == "max_iter"
