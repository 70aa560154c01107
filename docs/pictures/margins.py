"""Three separators of the same rows, and the one with the widest slab."""

import sys

import matplotlib.pyplot as plt
import numpy as np

from separatrix import SVC, Perceptron, geometry

X = np.array(
    [[2.0, 2.0], [3.0, 1.0], [2.0, 4.0], [4.0, 3.0], [-1.0, -1.0], [0.0, -2.0], [-2.0, 0.0], [-3.0, -1.0]]
)
y = np.array([1, 1, 1, 1, -1, -1, -1, -1])


def draw(axes, w, b, title):
    """Rows, the boundary w.x + b = 0 and its slab."""
    for label, marker in ((1, "o"), (-1, "s")):
        axes.scatter(*X[y == label].T, marker=marker, s=45, zorder=3)
    t = np.linspace(-4.5, 5.5, 2)
    reach = geometry.margin(X, y, w, b)
    for shift, style in ((0.0, "-"), (reach, "--"), (-reach, "--")):
        axes.plot(t, -(w[0] * t + b - shift * np.linalg.norm(w)) / w[1], "k", ls=style, lw=1)
    axes.set(xlim=(-4, 5), ylim=(-3.5, 5), aspect="equal", title=f"{title}: margin {reach:.2f}")


figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
draw(axes[0], np.array([0.2, 1.0]), -0.2, "some separator")
model = Perceptron().fit(X, y)
draw(axes[1], model.coef_[0], model.intercept_[0], "the perceptron's")
widest = SVC(C=np.inf).fit(X, y)
draw(axes[2], widest.coef_[0], widest.intercept_[0], "the widest")
figure.savefig(sys.argv[1])
