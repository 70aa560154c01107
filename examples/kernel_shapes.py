"""XOR, circles and spirals: not separable by a line, solved by the right kernel, each with its proof.

Draws build/kernel_shapes.png where matplotlib is installed.
"""

import numpy as np

from separatrix import SVC, kernels, verify

rng = np.random.default_rng(0)


def xor(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    X = rng.uniform(-1, 1, size=(n, 2))
    X += 0.1 * np.sign(X)  # room along the axes
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def circles(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    angle, ring = rng.uniform(0, 2 * np.pi, n), np.arange(n) % 2
    radius = 0.5 + 0.7 * ring + 0.08 * rng.normal(size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), ring


def spirals(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    t, arm = np.sqrt(rng.uniform(0.05, 1, n)), np.arange(n) % 2
    angle = 3 * np.pi * t + np.pi * arm
    X = 1.3 * t[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + 0.02 * rng.normal(size=(n, 2)), arm


shapes = [
    ("xor", xor(), kernels.Poly(degree=2, gamma=1.0)),
    ("circles", circles(), kernels.Poly(degree=2, gamma=1.0, coef0=1.0)),
    ("spirals", spirals(), kernels.Rbf(gamma=20.0)),
]
models = []
for name, (X, y), kernel in shapes:
    line = SVC(C=float(10)).fit(X, y).score(X, y)
    model = SVC(C=float("inf"), kernel=kernel).fit(X, y)  # the hard margin: not one row inside the slab
    proof = verify(model.certificate_, X, y)
    print(f"{name:8s} a line has {line:.0%} right; {kernel.name} has {model.score(X, y):.0%}, margin {model.margin_:.4f},")
    print(f"         {len(model.support_)} support vectors. {proof.reason}")
    models.append((name, X, y, model))

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    raise SystemExit(0) from None
from pathlib import Path

figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
grid = np.linspace(-1.6, 1.6, 240)
plane = np.stack(np.meshgrid(grid, grid), axis=-1)
for axis, (name, X, y, model) in zip(axes, models, strict=True):
    f = model.decision_function(plane.reshape(-1, 2)).reshape(plane.shape[:2])
    axis.contourf(grid, grid, f > 0, levels=[-0.5, 0.5, 1.5], colors=["#dbe9f6", "#fde8d7"])
    axis.contour(grid, grid, f, levels=[-1, 0, 1], colors="k", linestyles=[":", "-", ":"], linewidths=[0.8, 1.5, 0.8])
    axis.scatter(*X.T, c=np.where(y, "#d95f02", "#1f78b4"), s=14)
    axis.scatter(*X[model.support_].T, s=60, facecolors="none", edgecolors="k")
    axis.set_title(f"{name}: {model.kernel.name} kernel, margin {model.margin_:.3f}")
    axis.set_aspect("equal")
path = Path("build") / "kernel_shapes.png"
path.parent.mkdir(exist_ok=True)
figure.savefig(path, dpi=120)
print(f"picture: {path}")
