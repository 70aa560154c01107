"""The perceptron on six rows: its boundary, and its updates against the bound."""

import sys

import matplotlib.pyplot as plt
import numpy as np

from separatrix import Perceptron
from separatrix.report import perceptron_plots as plots

X = np.array([[8.0, 7.0], [7.0, 9.0], [9.0, 8.5], [5.0, 4.0], [3.5, 6.5], [6.5, 4.0]])
y = np.array([1, 1, 1, -1, -1, -1])

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
model = Perceptron().fit(X, y)
plots.decision_boundary(model, X, y, ax=left)
left.set_title("x-space: rows and boundary")
plots.updates_against_bound(model, ax=right)
right.set_title("updates, and the most there can be")
figure.savefig(sys.argv[1])
