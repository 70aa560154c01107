"""A fit can be watched, and its points given back: where a later fit starts, whatever the solver."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_classification

from separatrix import SVC, verify
from separatrix.cli.checkpoint import Checkpoints, read, source_of


class Recorder:
    """Keeps everything."""

    def __init__(self):
        self.records, self.ended, self.points = [], [], {}

    def show(self, name, record):
        self.records.append(record)

    def done(self, name, record, status):
        self.ended.append((name, str(status)))

    def keep(self, key, point, final):
        self.points[key] = point()


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
def test_a_watch_sees_every_problem_to_its_end(settings):
    model, watch = SVC(**settings), Recorder()
    model._watch = watch
    model.fit(X, Y)
    assert watch.records
    assert sorted(status for _, status in watch.ended) == ["converged"] * 3
    assert set(watch.points) == set(model.problems_)
    for key, point in watch.points.items():
        assert len(point.alpha) == len(model.problems_[key].rows)


@pytest.mark.parametrize("settings", SETTINGS, ids=names)
def test_points_survive_a_file_and_a_fit_from_them_is_proved(settings, tmp_path):
    source = source_of(X, Y, settings)
    first, path = SVC(max_iter=1, tol=1e-6, **settings), tmp_path / "state"
    saver = Checkpoints(path, source, pause=0.0)
    first._watch = saver
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first.fit(X, Y)
    points = read(path, source)
    assert set(points) == set(first.problems_)
    for key, point in points.items():
        kept = saver.points[key]
        np.testing.assert_array_equal(point.alpha, kept.alpha)
        assert point.intercept == kept.intercept
    second = SVC(tol=1e-6, **settings)
    second._start = points
    second.fit(X, Y)
    assert second.status_ == "converged"
    plain = SVC(tol=1e-6, **settings).fit(X, Y)
    assert max(second.dual_, plain.dual_) <= min(second.primal_, plain.primal_) * (1 + 1e-12)
    for certificate in second.certificate_.values():
        assert verify(certificate, X, Y, exact=False)
