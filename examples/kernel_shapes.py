"""XOR, circles and spirals: no line separates them, the right kernel does, each with its proof and a picture."""

from pathlib import Path

import numpy as np

from separatrix import SVC, kernels, verify

rng = np.random.default_rng(0)
points = rng.uniform(-1, 1, size=(120, 2))
points += 0.1 * np.sign(points)  # room along the axes
xor = points, (points[:, 0] * points[:, 1] > 0).astype(int)

side, angle = np.arange(120) % 2, rng.uniform(0, 2 * np.pi, 120)
radius = 0.5 + 0.7 * side + 0.08 * rng.normal(size=120)
circles = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), side

t, arm = np.sqrt(rng.uniform(0.05, 1, 200)), np.arange(200) % 2
angle = 3 * np.pi * t + np.pi * arm
spirals = (
    1.3 * t[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + 0.02 * rng.normal(size=(200, 2)),
    arm,
)

shapes = [
    ("xor", xor, kernels.Poly(degree=2, gamma=1.0)),
    ("circles", circles, kernels.Poly(degree=2, gamma=1.0, coef0=1.0)),
    ("spirals", spirals, kernels.Rbf(gamma=20.0)),
]
models = []
for name, (X, y), kernel in shapes:
    line = SVC(C=10.0).fit(X, y).score(X, y)
    model = SVC(C=float("inf"), kernel=kernel).fit(X, y)  # the hard margin: not one row inside the slab
    print(
        f"{name:8s} a line has {line:.0%} right; {kernel.name} has {model.score(X, y):.0%}, margin {model.margin_:.4f}"
    )
    print(f"         {verify(model.certificate_, X, y).reason}")
    models.append((name, X, y, model))

try:
    from matplotlib.figure import Figure
except ImportError:
    raise SystemExit(0) from None

figure = Figure(figsize=(12, 4.2), layout="constrained")
grid = np.linspace(-1.6, 1.6, 240)
plane = np.stack(np.meshgrid(grid, grid), axis=-1)
for axis, (name, X, y, model) in zip(figure.subplots(1, 3), models, strict=True):
    f = model.decision_function(plane.reshape(-1, 2)).reshape(plane.shape[:2])
    axis.contourf(grid, grid, f > 0, levels=[-0.5, 0.5, 1.5], colors=["#dbe9f6", "#fde8d7"])
    axis.contour(grid, grid, f, levels=[-1, 0, 1], colors="k", linestyles=[":", "-", ":"])
    axis.scatter(*X.T, c=np.where(y, "#d95f02", "#1f78b4"), s=14)
    axis.scatter(*X[model.support_].T, s=60, facecolors="none", edgecolors="k")
    axis.set(title=f"{name}: {model.kernel.name} kernel, margin {model.margin_:.3f}", aspect="equal")
path = Path("build") / "kernel_shapes.png"
path.parent.mkdir(exist_ok=True)
figure.savefig(path, dpi=120)
print(f"picture: {path}")
