"""Two rings: no line separates them, a plane in the space of the kernel does."""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles

from separatrix import SVC

X, y = make_circles(120, noise=0.07, factor=0.45, random_state=0)
grid = np.linspace(-1.6, 1.6, 161)
points = np.array([[a, b] for b in grid for a in grid])

figure, axes = plt.subplots(1, 3, figsize=(12, 3.9), layout="constrained")
chosen = [("linear", {}), ("poly", {"degree": 2, "coef0": 1.0, "gamma": 1.0}), ("rbf", {"gamma": 2.0})]
for panel, (kernel, parameters) in zip(axes, chosen, strict=True):
    model = SVC(C=10.0, kernel=kernel, **parameters).fit(X, y)
    f = model.decision_function(points).reshape(len(grid), len(grid))
    panel.contourf(grid, grid, f, levels=[-1e9, 0, 1e9], colors=["C0", "C1"], alpha=0.15)
    panel.contour(grid, grid, f, levels=[-1, 0, 1], colors="k", linestyles=["--", "-", "--"], linewidths=1)
    for label in (0, 1):
        panel.scatter(*X[y == label].T, s=14)
    panel.set(aspect="equal", title=f"{kernel}: {np.count_nonzero(model.predict(X) != y)} errors of {len(y)}")
figure.savefig(sys.argv[1])
