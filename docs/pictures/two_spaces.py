"""The same six rows in both spaces: points and a line, lines and a cone."""

import sys

import matplotlib.pyplot as plt
import numpy as np

from separatrix import Perceptron
from separatrix.report import perceptron_plots as plots

X = np.array([[2.0, 1.0], [1.0, 3.0], [3.0, 2.5], [-1.0, -2.0], [-2.5, 0.5], [0.5, -2.0]])
y = np.array([1, 1, 1, -1, -1, -1])

figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
plots.decision_boundary(Perceptron(bias="none").fit(X, y), X, y, ax=axes[0])
axes[0].set_title("x-space: a row is a point")
plots.dual_lines(X, y, ax=axes[1])
axes[1].set_title("w-space: a row is a line")
plots.risk_contour(X, y, path=plots.descent_path(X, y, step=0.2, start=3), ax=axes[2])
axes[2].set_title("the risk, its creases, a descent")
figure.savefig(sys.argv[1])
