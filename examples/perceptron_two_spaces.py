"""The two spaces of the perceptron: rows and boundary in x-space, risk, creases and the path of w in w-space."""

import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from separatrix import Perceptron
from separatrix.report import perceptron_plots as plots

X = np.array([[2.0, 1.0], [1.0, 3.0], [3.0, 2.5], [-1.0, -2.0], [-2.5, 0.5], [0.5, -2.0]])
y = np.array([1, 1, 1, -1, -1, -1])


def main(target: str = str(Path(tempfile.gettempdir()) / "perceptron_two_spaces.png")) -> None:
    figure = plt.figure(figsize=(15, 9))
    model = Perceptron(bias="none").fit(X, y)
    plots.decision_boundary(model, X, y, ax=figure.add_subplot(2, 3, 1))
    plots.risk_contour(X, y, path=plots.descent_path(X, y, step=0.2, start=3), ax=figure.add_subplot(2, 3, 2))
    plots.risk_surface(X, y, ax=figure.add_subplot(2, 3, 3, projection="3d"))
    plots.dual_lines(X, y, ax=figure.add_subplot(2, 3, 4))
    shifted = X + 6.0
    plots.updates_against_bound(Perceptron().fit(shifted, y), ax=figure.add_subplot(2, 3, 5))
    plots.steps_against_step_size(shifted, y, ax=figure.add_subplot(2, 3, 6))
    figure.tight_layout()
    figure.savefig(target, dpi=100)
    print(f"wrote {target}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
