"""The picture of a comparison of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from separatrix.validation.comparison import Comparison


def plot_comparison(result: Comparison, ax: Any = None) -> Any:
    """Accuracies of the splits as dots, means as bars, and the interval of each difference to the best."""
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(7.0, 0.6 + 0.6 * len(result.names)), layout="constrained")
    best = max(result.names, key=result.mean)
    spread = np.random.default_rng(0).uniform(-0.18, 0.18, result.accuracies.shape[1])
    labels = []
    for place, name in enumerate(result.names):
        values = result.accuracies[place]
        ax.plot(values, place + spread, ".", color="0.6", markersize=4, zorder=1)
        ax.plot([values.mean()] * 2, [place - 0.3, place + 0.3], color="C0", linewidth=2.5, zorder=2)
        label = name
        if name != best:
            difference = result.difference(name, best)
            low, high = (values.mean() - difference.mean + end for end in difference.interval)
            ax.plot([low, high], [place - 0.3] * 2, color="C3", linewidth=2, zorder=3)
            label += f"\n{difference.mean:+.3f}, p = {difference.p_value:.2g}"
        labels.append(label)
    ax.axvline(result.mean(best), color="C0", linewidth=0.8, linestyle=":")
    ax.set_yticks(range(len(result.names)), labels)
    ax.invert_yaxis()
    red = f"red: {result.confidence:.0%} interval of the difference to {best}"
    ax.set_xlabel(f"accuracy on {result.accuracies.shape[1]} test folds; {red}")
    return ax
