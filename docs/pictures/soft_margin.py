"""The soft margin for three values of C: support vectors on the margin and using slack; primal and dual meeting."""

import sys

import matplotlib.pyplot as plt
import numpy as np

from separatrix import SVC

rng = np.random.default_rng(3)
X = np.vstack([rng.normal((1.2, 1.0), 1.0, (30, 2)), rng.normal((-1.2, -1.0), 1.0, (30, 2))])
y = np.repeat([1, -1], 30)

figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
for panel, C in zip(axes, (0.02, 10.0), strict=False):
    model = SVC(C=C).fit(X, y)
    w, b = model.coef_[0], model.intercept_[0]
    for label, marker in ((1, "o"), (-1, "s")):
        panel.scatter(*X[y == label].T, marker=marker, s=18, zorder=3)
    for kind, edge in (("margin", "black"), ("slack", "crimson")):
        rows = model.support_[model.support_kind_ == kind]
        panel.scatter(*X[rows].T, s=70, facecolors="none", edgecolors=edge, label=f"{kind}: {len(rows)}")
    t = np.linspace(-4, 4, 2)
    for shift in (-1.0, 0.0, 1.0):
        panel.plot(t, -(w[0] * t + b - shift) / w[1], "k", lw=1, ls="--" if shift else "-")
    panel.set(xlim=(-4, 4), ylim=(-4, 4), title=f"C = {C:g}: slab {2 * model.margin_:.2f} wide")
    panel.legend(loc="lower right", fontsize=8)

history = SVC(C=10.0, tol=1e-9, solver="interior-point").fit(X, y).history_
axes[2].semilogy(history["iteration"], np.maximum(history["gap"], 1e-16), "o-", ms=3)
axes[2].set(xlabel="step", title="the relative gap, step by step")
figure.savefig(sys.argv[1])
