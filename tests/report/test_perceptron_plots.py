"""Each picture is an Axes with what it promises on it."""

from __future__ import annotations

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib.colors import to_rgb  # noqa: E402

from separatrix import Perceptron  # noqa: E402
from separatrix.report import perceptron_plots as plots  # noqa: E402

X = np.array([[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.5, 0.5]])
y = np.array([1, 1, -1, -1])


@pytest.fixture(autouse=True)
def _closed():
    yield
    matplotlib.pyplot.close("all")


def test_every_picture_returns_its_axes():
    import matplotlib.pyplot as plt

    model = Perceptron(bias="none").fit(X, y)
    path = plots.descent_path(X, y, step=0.2, start=3)
    for axes in (
        plots.risk_contour(X, y, path=path),
        plots.risk_surface(X, y),
        plots.dual_lines(X, y),
        plots.decision_boundary(model, X, y),
        plots.updates_against_bound(model),
        plots.steps_against_step_size(X, y, sizes=[0.01, 1.0]),
    ):
        assert isinstance(axes, plt.Axes)
        axes.figure.canvas.draw()
    given = plt.figure().add_subplot()
    assert plots.dual_lines(X, y, ax=given) is given
    assert len(given.lines) == len(X)


def test_small_steps_crawl_and_the_path_ends_in_the_version_space():
    axes = plots.steps_against_step_size(X + 6.0, y, sizes=[0.001, 1.0])
    crawl, brisk = axes.lines[0].get_ydata()
    assert crawl > brisk
    path = plots.descent_path(X, y, step=0.2, start=3)
    assert np.all(y * (X @ path[-1]) > 0)


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match="two columns"):
        plots.risk_contour(np.ones((3, 3)), [1, 1, -1])


def test_the_ground_of_a_class_has_the_colour_of_its_rows():
    """The picture of the first tutorial had the rows of one class on the ground of the other."""
    X = np.array([[8.0, 7.0], [7.0, 9.0], [9.0, 8.5], [5.0, 4.0], [3.5, 6.5], [6.5, 4.0]])
    y = np.array([1, 1, 1, -1, -1, -1])
    ax = plots.decision_boundary(Perceptron().fit(X, y), X, y)
    ground = [tuple(colour[:3]) for colour in ax.collections[-1].get_facecolor()]
    rows = [to_rgb(line.get_color()) for line in ax.lines]
    assert ground == rows
    assert [line.get_label() for line in ax.lines] == ["-1", "1"]
