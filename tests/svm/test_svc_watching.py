"""A fit can be observed, and its points given back: where a later fit starts, whatever the solver."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_classification

from separatrix import SVC, verify
from separatrix.cli.checkpoint import Checkpoints, read, source_of
from separatrix.fitting.observer import Observer
from separatrix.svm.svc import fit_observed


class Recorder(Observer):
    """Keeps everything."""

    def __init__(self):
        self.records, self.ended, self.points = [], [], {}

    def step(self, part, record, point):
        self.records.append(record)

        self.points[part.key] = point()

    def end(self, part, record, status, point):
        self.ended.append((part.name, str(status)))
        self.points[part.key] = point()


X, Y = make_classification(200, 6, n_informative=4, n_classes=3, flip_y=0.2, random_state=0)
SETTINGS = [
    {"solver": "coordinate-descent"},
    {"solver": "interior-point"},
    {"kernel": "rbf", "gamma": 0.2},
    {"multi_class": "ovo"},
    {"loss": "squared_hinge"},
]


def names(settings):
    return "-".join(map(str, settings.values()))


@pytest.mark.parametrize("settings", SETTINGS, ids=names)
def test_an_observer_sees_every_problem_to_its_end(settings):
    model, watch = SVC(**settings), Recorder()
    fit_observed(model, X, Y, observer=watch)
    assert watch.records
    assert sorted(status for _, status in watch.ended) == ["converged"] * 3
    assert set(watch.points) == set(model.problems_)
    for key, point in watch.points.items():
        assert len(point.alpha) == len(model.problems_[key].rows)


@pytest.mark.parametrize("settings", SETTINGS, ids=names)
def test_points_survive_a_file_and_a_fit_from_them_is_proved(settings, tmp_path):
    source = source_of(X, Y, settings)
    first, path = SVC(max_iter=2, tol=1e-6, **settings), tmp_path / "state"
    saver = Checkpoints(path, source, pause=0.0)
    saver.piece_steps = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit_observed(first, X, Y, observer=saver)
    saver.close()
    points = read(path, source)
    assert set(points) == set(first.problems_)
    for key, point in points.items():
        kept = saver.points[key]
        np.testing.assert_array_equal(point.alpha, kept.alpha)
        assert point.intercept == kept.intercept
    second = SVC(tol=1e-6, **settings)
    fit_observed(second, X, Y, start=points)
    assert second.status_ == "converged"
    plain = SVC(tol=1e-6, **settings).fit(X, Y)
    assert max(second.dual_, plain.dual_) <= min(second.primal_, plain.primal_) * (1 + 1e-12)
    for certificate in second.certificate_.values():
        assert verify(certificate, X, Y, exact=False)
