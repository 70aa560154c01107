"""Pictures of the perceptron in both spaces. Every function draws on an Axes and returns it (extra `plots`).

x-space holds the rows and the decision boundary; w-space holds the weights: a row is the line y_i w.x_i = 0 there,
the risk R(w) = sum_i max(0, -y_i w.x_i) is a cone with its creases on those lines, and the separators are the open
cone where R vanishes, the version space. Rows have two columns and boundaries go through the origin in w-space.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.perceptron.gradient import GradientSteps, perceptron_risk
from separatrix.perceptron.parameters import Settings
from separatrix.perceptron.rows import LabelledRows

Array = NDArray[np.float64]


def _new_axes(ax: Any, solid: bool = False) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Plots need matplotlib: pip install 'separatrix[plots]'.") from error
    return plt.figure().add_subplot(projection="3d" if solid else None)


def _checked(X: Any, y: Any) -> tuple[Array, Array]:
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"Pictures of w-space need rows with two columns; got shape {X.shape}.")
    classes = np.unique(y)
    if len(classes) != 2:
        raise ValueError(f"Pictures of w-space need two classes; got {len(classes)}.")
    return X, np.where(y == classes[1], 1.0, -1.0)


def _grid(extent: float, points: int) -> tuple[Array, Array]:
    ticks = np.linspace(-extent, extent, points)
    first, second = np.meshgrid(ticks, ticks)
    return first, second


def risk_contour(
    X: Any, y: Any, *, path: Any = None, extent: float = 1.0, points: int = 201, ax: Any = None
) -> Any:
    """The risk over w-space as contours, with its creases and the version space; ``path`` (m, 2) of w on top."""
    X, signs = _checked(X, y)
    ax = _new_axes(ax)
    first, second = _grid(extent, points)
    W = np.column_stack([first.ravel(), second.ravel()])
    risk = perceptron_risk(X, signs, W).reshape(first.shape)
    ax.contourf(first, second, risk, levels=20, cmap="viridis", alpha=0.8)
    inside = np.all((W @ X.T) * signs > 0, axis=1).reshape(first.shape)
    if inside.any():
        ax.contourf(first, second, inside.astype(float), levels=[0.5, 1.5], colors=["white"], alpha=0.9)
    dual_lines(X, y, extent=extent, ax=ax)
    if path is not None:
        steps = np.asarray(path, dtype=np.float64)
        scale = extent / max(float(np.abs(steps).max()), 1e-300)
        ax.plot(*(0.95 * scale * steps).T, "o-", color="tab:red", markersize=3, label="w, step by step")
        ax.legend(loc="upper right")
    ax.set(xlabel="w1", ylabel="w2", title="Perceptron risk; white: the version space")
    return ax


def risk_surface(X: Any, y: Any, *, extent: float = 1.0, points: int = 61, ax: Any = None) -> Any:
    """The risk over w-space as a surface: a polyhedral cone with its tip at w = 0."""
    X, signs = _checked(X, y)
    ax = _new_axes(ax, solid=True)
    first, second = _grid(extent, points)
    W = np.column_stack([first.ravel(), second.ravel()])
    risk = perceptron_risk(X, signs, W).reshape(first.shape)
    ax.plot_surface(first, second, risk, cmap="viridis", linewidth=0, antialiased=True, alpha=0.9)
    for x in X:
        direction = np.array([-x[1], x[0]]) / max(float(np.hypot(*x)), 1e-300)
        ray = np.linspace(-extent, extent, 2)[:, None] * direction
        ax.plot(ray[:, 0], ray[:, 1], perceptron_risk(X, signs, ray), color="black", linewidth=0.7)
    ax.set(xlabel="w1", ylabel="w2", zlabel="risk", title="The creases lie on the rows' dual lines")
    return ax


def dual_lines(X: Any, y: Any, *, extent: float = 1.0, ax: Any = None) -> Any:
    """Each row as its line y_i w.x_i = 0 in w-space, with a short normal towards the side it wants w on."""
    X, signs = _checked(X, y)
    ax = _new_axes(ax)
    for x, sign in zip(X, signs, strict=True):
        size = max(float(np.hypot(*x)), 1e-300)
        along, normal = np.array([-x[1], x[0]]) / size, sign * x / size
        colour = "tab:blue" if sign > 0 else "tab:orange"
        ends = extent * np.array([-along, along])
        ax.plot(ends[:, 0], ends[:, 1], color=colour, linewidth=0.8)
        middle = 0.6 * extent * along
        ax.annotate(
            "", middle + 0.08 * extent * normal, middle, arrowprops={"arrowstyle": "->", "color": colour}
        )
    ax.set(xlim=(-extent, extent), ylim=(-extent, extent), xlabel="w1", ylabel="w2")
    ax.set_aspect("equal")
    return ax


def decision_boundary(model: Any, X: Any, y: Any, *, points: int = 200, ax: Any = None) -> Any:
    """The rows in x-space and where a fitted model (any kernel) changes its mind."""
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"Pictures of x-space need rows with two columns; got shape {X.shape}.")
    ax = _new_axes(ax)
    low, high = X.min(axis=0), X.max(axis=0)
    pad = 0.1 * np.maximum(high - low, 1e-9)
    first, second = np.meshgrid(
        *(np.linspace(a, b, points) for a, b in zip(low - pad, high + pad, strict=True))
    )
    scores = model.decision_function(np.column_stack([first.ravel(), second.ravel()]))
    if scores.ndim == 1:
        ax.contour(first, second, scores.reshape(first.shape), levels=[0.0], colors="black")
        side = (scores > 0).astype(np.intp)
    else:
        side = scores.argmax(axis=1)
    # The ground of a class has the colour of its rows.
    colours = [f"C{k % 10}" for k in range(len(model.classes_))]
    levels = np.arange(len(colours) + 1) - 0.5
    ax.contourf(first, second, side.reshape(first.shape), levels=levels, colors=colours, alpha=0.2)
    for label, colour in zip(model.classes_, colours, strict=True):
        mine = np.asarray(y) == label
        ax.plot(*X[mine].T, "o", color=colour, label=str(label))
    ax.legend()
    ax.set(xlabel="x1", ylabel="x2", title="Decision boundary")
    return ax


def updates_against_bound(model: Any, *, ax: Any = None) -> Any:
    """Updates of a run, or of a stream, against what the theorem allows."""
    ax = _new_axes(ax)
    history = model.history_
    ax.step(history["rows"], history["updates"], where="post", label="updates")
    ax.plot(history["rows"], history["bound"], "--", label="bound")
    ax.set(xlabel="rows visited", ylabel="updates", yscale="log", title="Updates against the bound")
    ax.legend()
    return ax


def descent_path(X: Any, y: Any, *, step: float | str = 1.0, start: int = 0, max_steps: int = 1000) -> Array:
    """w after each step of gradient descent through the origin, shape (steps + 1, 2), for `risk_contour`."""
    X, signs = _checked(X, y)
    rows = LabelledRows(np.ascontiguousarray(X), signs.astype(np.int8), constant=0.0)
    descent = GradientSteps(rows, Settings(step=step, start=start))
    assert descent.w is not None
    path = [descent.w.copy()]
    while len(path) <= max_steps and descent.step():
        path.append(descent.w.copy())
    return np.array(path)


def steps_against_step_size(
    X: Any,
    y: Any,
    *,
    sizes: Sequence[float] | None = None,
    start: int = 0,
    max_steps: int = 5000,
    ax: Any = None,
) -> Any:
    """Passes of gradient descent from y_j x_j until one finds no mistake: too small crawls, too big oscillates."""
    ax = _new_axes(ax)
    chosen = np.geomspace(1e-3, 1e2, 41) if sizes is None else np.asarray(sizes, dtype=np.float64)
    counts = [1 + _steps_until_clean(X, y, float(size), start, max_steps) for size in chosen]
    ax.plot(chosen, counts, "o-")
    ax.set(
        xlabel="step",
        ylabel="passes until clean",
        xscale="log",
        yscale="log",
        title="Gradient descent and its step",
    )
    return ax


def _steps_until_clean(X: Any, y: Any, step: float, start: int, max_steps: int) -> int:
    """Steps with bias `unit`, or the limit."""
    signs = np.where(np.asarray(y) == np.unique(y)[1], 1, -1).astype(np.int8)
    rows = LabelledRows(np.ascontiguousarray(X, dtype=np.float64), signs, constant=1.0)
    descent = GradientSteps(rows, Settings(step=step, start=start))
    while descent.updates < max_steps and descent.step():
        pass
    return descent.updates
